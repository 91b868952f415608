/** Actions that save a picture of a view. */
import { _, fill } from "../i18n.js";
import { report } from "../notices.js";
import { group, needsCluster } from "./entry.js";

// What draws them is loaded with the first one.
export const savePicture = (view, format) => import("../actions/picture.js").then((drawing) => drawing.savePicture(view, format), report);

/** The views that pictures are made of: [name, what it is called, where it is]. */
export const pictured = () => [
  ["cluster", _("Cluster"), ".panel.cluster"],
  ["pipeline", _("Cycle pipeline"), ".panel.pipeline"],
  ["matrix", _("Node × plugin"), ".panel.matrix"],
  ["ledger", _("Scores"), ".panel.side .side-body"],
  ["timeline", _("Timeline"), ".transport .timeline"],
];

export const picturing = () =>
  group(
    _("Pictures"),
    pictured().flatMap(([view, title]) =>
      ["png", "svg"].map((format) => [`picture-${view}-${format}`, fill(_("save a picture of “{view}” as {format}"), { view: title, format: format.toUpperCase() }), [], needsCluster, () => savePicture(view, format)]),
    ),
  );
