/** The explanation for guests and followers why they cannot change the cluster. */
import { _, loadWithMessages } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { isEmbed, isGuest } from "../base/guest.js";

/** Show a notice: why the cluster is read-only, and where the user can make changes. */
export function explainRefusal() {
  if (!isGuest) return notify(_("This is the teacher's cluster. Fork it to try something."));
  const action = isEmbed
    ? null
    : {
        label: _("Try it yourself"),
        run: () =>
          loadWithMessages(() => import("./shared_moment.js")).then(({ createOwnCluster }) => createOwnCluster()),
      };
  return notify(_("This is a shared snapshot, so it is read-only. Try changes in your own cluster."), { action });
}
