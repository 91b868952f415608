/** A breakpoint has stopped a run: what of it is told. */
import { _, fill } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { sentence } from "../explain/sentence.js";
import { breakpointText } from "./breakpoints.js";

/** `record` is the one that met it. Of a controller it says which, about which object, and why. */
export function tellStopped({ stoppedBy, actor, object, reason }) {
  const text = actor
    ? fill(_("Stopped at a breakpoint: {actor}, {kind} {object}: {reason}"), {
        actor,
        kind: object.kind,
        object: object.key,
        reason: sentence(reason),
      })
    : fill(_("Stopped at a breakpoint: {what}."), { what: breakpointText(stoppedBy) });
  notify(text);
}
