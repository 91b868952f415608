/** The guarantee of a repair: minimal cost, minimal edits, or only that it works. */
import { _ } from "../base/i18n.js";

export const claimWord = (claim) =>
  ({ minimum: _("minimum"), minimal: _("minimal"), found: _("found") })[claim] ?? claim;

export const claimMeaning = (claim) =>
  ({
    minimum: _("Nothing that is known to help costs less: everything that might was looked at."),
    minimal: _("None of its parts can be left out."),
    found: _("It works. Whether less would do could not be shown in the time."),
  })[claim];
