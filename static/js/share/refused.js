/** What is said to who looks on and asks for more. */
import { _, withWords } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { isEmbed, isGuest } from "./guest.js";

/** Say that this is not for who looks at the cluster, and what is. */
export function tellRefused() {
  if (!isGuest)
    return notify(_("This is the teacher's cluster: you can look at it. Fork the moment to try something."));
  const action = isEmbed
    ? null
    : { label: _("Try it yourself"), run: () => withWords(() => import("./opening.js")).then(({ tryIt }) => tryIt()) };
  return notify(
    _("This is a shared moment: it can be looked at, and stays as it is. Try it yourself in a cluster of your own."),
    { action },
  );
}
