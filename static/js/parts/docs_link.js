/** Links to sections of the documentation. A test checks that each linked page and anchor exists. */
import { html } from "../../vendor/preact.js";

/** Return the address of a page such as "how-to/deploy" or "how-to/deploy#behind-a-proxy"; "" is the front page. */
function docsAddress(place) {
  const [page, anchor] = place.split("#");
  return `/docs/${page && `${page}/`}${anchor ? `#${anchor}` : ""}`;
}

/** A link that opens the section `to` (see `docsAddress`) in another tab. */
export function DocsLink({ to, children }) {
  return html`<a href=${docsAddress(to)} target="_blank">${children}</a>`;
}
