/** The guarantee of a repair: minimal cost, minimal edits, or only that it works. */
import { _ } from "../base/i18n.js";

export const claimWord = (claim) =>
  ({ minimum: _("cheapest"), minimal: _("no spare edits"), found: _("works") })[claim] ?? claim;

export const claimMeaning = (claim) =>
  ({
    minimum: _("Cheapest known fix. The search was complete."),
    minimal: _("Every edit in this fix is needed."),
    found: _("This fix works. A smaller one may exist; the search ran out of time."),
  })[claim];
