/** The options of a prediction and of a class question, in words. */
import { _ } from "../base/i18n.js";

const NOBODY = "(none)";

export const outcomeWord = (option) =>
  ({ scheduled: _("it gets a node"), unschedulable: _("it stays pending") })[option];
export const optionWord = (option) => (option === NOBODY ? _("none of them") : (outcomeWord(option) ?? option));
