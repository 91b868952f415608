/** The origin of an entry, in words. */
import { _ } from "../base/i18n.js";

const TEXTS = {
  default: () => _("default"),
  multiPoint: () => "multiPoint",
  explicit: () => _("explicit"),
  set: () => _("set"),
  extender: () => _("by an extender"),
};

export const originText = ({ origin }) => TEXTS[origin]?.() ?? origin;
