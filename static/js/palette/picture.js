/** Actions that save a picture of a view. */
import { _, fill, withWords } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { group, needsCluster } from "./entry.js";

// What draws them is loaded with the first one.
export const savePicture = (view, format) =>
  withWords(() => import("../share/picture.js")).then((drawing) => drawing.savePicture(view, format), report);

/** The views that pictures are made of: [name, what it is called, where it is]. */
export const pictured = () => [
  ["cluster", _("Cluster"), ".panel.cluster"],
  ["pipeline", _("Cycle pipeline"), ".panel.pipeline"],
  ["matrix", _("Node × plugin"), ".panel.matrix"],
  ["ledger", _("Scores"), ".panel.side .side-body"],
  ["timeline", _("Timeline"), ".transport .timeline"],
];

const formats = () => ({
  png: _("save a picture of “{view}” as PNG"),
  svg: _("save a picture of “{view}” as SVG"),
  slide: _("save a slide of “{view}”, 16:9"),
});

export const picturing = () =>
  group(
    _("Pictures"),
    pictured().flatMap(([view, title]) =>
      Object.entries(formats()).map(([format, words]) => [
        `picture-${view}-${format}`,
        fill(words, { view: title }),
        [],
        needsCluster,
        () => savePicture(view, format),
      ]),
    ),
  );
