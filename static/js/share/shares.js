/** Shares of the moment on the screen: the link, the embed code, and stored shares. */
import { get, clusterPath, post, remove } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { store } from "../base/store.js";

/** Return the moment on the screen in the format of simulator/exchange/share_file.py. */
function currentCursor() {
  const cursor = { view: store.side.peek() };
  const shown = store.shown.peek();
  if (shown) Object.assign(cursor, { cycle: shown.record.cycle.number, event: shown.step });
  for (const [name, value] of Object.entries(store.pinned.peek())) if (value) cursor[name] = value;
  return cursor;
}

/** Create a share {id, title, size, path, embed, …}; with `stored` the server stores it even if it fits in a link. */
export const makeShare = (title, stored) =>
  post(clusterPath(store.cluster.peek().id, "shares"), {
    cursor: currentCursor(),
    stored,
    ...(title ? { title } : {}),
  });

export const loadShares = () => get("shares/");
export const deleteShare = (id) => remove(`shares/${id}/`);
export const loadGallery = () => get("gallery/");

const escapeAttribute = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** Return the HTML that embeds it in another page. */
export function embedCode({ embed, title }) {
  const source = `src="${escapeAttribute(location.origin + embed)}"`;
  const size = 'width="100%" height="640" style="border:0"';
  return `<iframe ${source} ${size} loading="lazy" title="${escapeAttribute(title)}"></iframe>`;
}

/** Copy a text; return true if the browser allows it. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export const copyResultText = (copied) =>
  copied ? _("Copied") : _("Clipboard access is blocked. Select the text and copy it.");
