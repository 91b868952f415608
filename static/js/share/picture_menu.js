/** The menu of a panel that saves a picture of it. */
import { html } from "../../vendor/preact.js";
import { savePicture } from "../palette/picture.js";
import { _ } from "../base/i18n.js";
import { Menu, MenuItem } from "../parts/menu.js";

/** `view`: a name of palette/picture.js. */
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
