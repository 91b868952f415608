/** A collapsible part of the form; its state lasts as long as the page. */
import { html, signal } from "../../vendor/preact.js";
import { icon } from "../parts/icon.js";

const open = signal(new Set(["point score"]));

/** `about`: a few words beside the title; a closed head also shows the problems inside. */
export function Group({ name, title, about, mono = false, problems = [], children }) {
  const isOpen = open.value.has(name);
  const toggle = () => {
    const next = new Set(open.peek());
    if (!next.delete(name)) next.add(name);
    open.value = next;
  };
  return html`<section class="fold" data-group=${name}>
    <h3>
      <button type="button" class="fold-head" aria-expanded=${isOpen} onClick=${toggle}>
        ${icon(isOpen ? "down" : "right", "quiet")}
        <span class=${mono ? "mono" : ""}>${title}</span>
        <span class="quiet about">${about}</span>
        ${problems.length > 0 && html`<span class="is-rejected">${icon("rejected")} <b>${problems.length}</b></span>`}
      </button>
    </h3>
    ${isOpen && html`<div class="fold-body">${children}</div>`}
  </section>`;
}
