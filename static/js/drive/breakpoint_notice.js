/** The notice that a breakpoint has stopped a run. */
import { _, fill } from "../base/i18n.js";
import { notify } from "../base/notices.js";
import { translateSentence } from "../base/sentence.js";
import { breakpointText } from "./breakpoints.js";

/** Show the notice for the record that met the breakpoint; a controller is named with its object and reason. */
export function reportStop({ stoppedBy, actor, object, reason }) {
  const text = actor
    ? fill(_("Stopped at a breakpoint: {actor}, {kind} {object}: {reason}"), {
        actor,
        kind: object.kind,
        object: object.key,
        reason: translateSentence(reason),
      })
    : fill(_("Stopped at a breakpoint: {what}."), { what: breakpointText(stoppedBy) });
  notify(text);
}
