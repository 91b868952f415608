/** The gallery: moments that ship with the playground. Each opens like a shared moment. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { loadGallery } from "./shares.js";
import { MomentPicture } from "./moment_picture.js";
import { Dialog } from "../parts/dialog.js";

export function GalleryDialog() {
  const [rows, setRows] = useState(null);
  useEffect(() => {
    loadGallery().then(setRows, reportError);
  }, []);
  return html`<${Dialog} title=${_("Examples gallery")} wide>
    <p>${_("Prepared snapshots. They open read-only, and you can try each in your own cluster.")}</p>
    ${!rows && html`<p class="quiet">${_("Loading…")}</p>`}
    <ol class="lesson-list">
      ${(rows ?? []).map(
        (row) => html`<li key=${row.slug} class="lesson-row">
          <${MomentPicture} ...${row.picture} />
          <div class="grow">
            <h3>${_(row.title)}</h3>
            <p class="gallery-text">${_(row.text)}</p>
            <p class="quiet">${row.emulates}</p>
          </div>
          <a class="btn" href=${row.path}>${_("Open")}<span class="sr">: ${_(row.title)}</span></a>
        </li>`,
      )}
    </ol>
  <//>`;
}
