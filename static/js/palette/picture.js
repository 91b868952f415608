/** Actions that save a picture of a view. */
import { pictured, savePicture } from "../actions/picture.js";
import { _, fill } from "../i18n.js";
import { group, needsCluster } from "./entry.js";

export const picturing = () =>
  group(
    _("Pictures"),
    pictured().flatMap(([view, title]) =>
      ["png", "svg"].map((format) => [`picture-${view}-${format}`, fill(_("save a picture of “{view}” as {format}"), { view: title, format: format.toUpperCase() }), [], needsCluster, () => savePicture(view, format)]),
    ),
  );
