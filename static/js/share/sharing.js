/** Handing on the moment on the screen: the link, the code of an embed, and what is stored. */
import { get, of, post, remove } from "../base/api.js";
import { _ } from "../base/i18n.js";
import { store } from "../base/store.js";

/** The moment on the screen, as docs/sharing.md has it. */
function cursorNow() {
  const cursor = { view: store.side.peek() };
  const shown = store.shown.peek();
  if (shown) Object.assign(cursor, { cycle: shown.record.cycle.number, event: shown.step });
  for (const [name, value] of Object.entries(store.pinned.peek())) if (value) cursor[name] = value;
  return cursor;
}

/** {id, title, size, path, embed, …}; with `stored` it is kept on the server even if it would fit in a link. */
export const makeShare = (title, stored) =>
  post(of(store.cluster.peek().id, "shares"), { cursor: cursorNow(), stored, ...(title ? { title } : {}) });

export const loadShares = () => get("shares/");
export const deleteShare = (id) => remove(`shares/${id}/`);
export const loadGallery = () => get("gallery/");

const attribute = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** What makes another page show it. */
export function embedCode({ embed, title }) {
  const source = `src="${attribute(location.origin + embed)}"`;
  const size = 'width="100%" height="640" style="border:0"';
  return `<iframe ${source} ${size} loading="lazy" title="${attribute(title)}"></iframe>`;
}

/** Copy; returns whether the browser allows it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export const copyWords = (copied) =>
  copied ? _("Copied") : _("The clipboard is closed to this page: select the text and copy it.");
