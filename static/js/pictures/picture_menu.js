/** The views that can be saved as a picture, and the menu of a panel that saves one. */
import { html } from "../../vendor/preact.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { Menu, MenuItem } from "../parts/menu.js";

/** Return [[name, title, CSS selector]] of the views. */
export const listPictureViews = () => [
  ["cluster", _("Cluster"), ".panel.cluster"],
  ["pipeline", _("Cycle pipeline"), ".panel.pipeline"],
  ["matrix", _("Node × plugin"), ".panel.matrix"],
  ["ledger", _("Scores"), ".panel.side .side-body"],
  ["timeline", _("Timeline"), ".transport .timeline"],
];

/** Save a picture of a view: "png", "svg", or "slide". */
export const savePicture = (view, format) =>
  loadWithMessages(() => import("./draw_picture.js")).then((drawing) => {
    const [, title, place] = listPictureViews().find(([name]) => name === view);
    return drawing.savePicture({ view, title, place }, format);
  }, reportError);

/** `view`: a name of `listPictureViews`. */
export function PictureMenu({ view }) {
  const save = (format, close) => (close(), savePicture(view, format));
  return html`<${Menu} bare align="end" className="picture-menu" title=${_("Save a picture")}
    label=${html`<span class="sr">${_("Save a picture")}</span><span aria-hidden="true">⋯</span>`}
  >
    ${(close) => html`
      <${MenuItem} hint="PNG" onPick=${() => save("png", close)}>${_("Picture")}<//>
      <${MenuItem} hint="SVG" onPick=${() => save("svg", close)}>${_("Drawing")}<//>
      <${MenuItem} hint="16:9" onPick=${() => save("slide", close)}>${_("Slide")}<//>
    `}
  <//>`;
}
