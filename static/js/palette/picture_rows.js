/** Actions that save a picture of a view. */
import { actionGroup, needsCluster } from "../access/action_rows.js";
import { _, fill, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { openSideTab } from "../cycle/selection.js";
import { listPictureViews, savePicture } from "../pictures/picture_menu.js";

/** Open the scores, whose script may not be loaded yet, and save a picture of them. */
async function saveScores(format) {
  openSideTab("scores");
  await loadWithMessages(() => import("../explain/scores.js"));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)));
  return savePicture("ledger", format);
}

const save = (view, format) => (view === "ledger" ? saveScores(format).catch(reportError) : savePicture(view, format));

const formats = () => ({
  png: _("save a picture of “{view}” as PNG"),
  svg: _("save a picture of “{view}” as SVG"),
  slide: _("save a slide of “{view}”, 16:9"),
});

export const pictureActions = () =>
  actionGroup(
    _("Pictures"),
    listPictureViews().flatMap(([view, title]) =>
      Object.entries(formats()).map(([format, words]) => [
        `picture-${view}-${format}`,
        fill(words, { view: title }),
        [],
        needsCluster,
        () => save(view, format),
      ]),
    ),
  );
