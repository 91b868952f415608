/** The writes of clients, newest first, each with its program, time and result. */
import { html } from "../../vendor/preact.js";
import { _, fill, ngettext, number } from "../base/i18n.js";
import { takeBack } from "../drive/undoing.js";
import { textOf } from "../base/sentence.js";
import { icon } from "../parts/icon.js";
import { showObject } from "./actions.js";
import { moment } from "./when.js";

const MARKS = {
  waiting: ["waiting", "is-waiting"],
  done: ["pass", "is-pass"],
  undone: ["undo", "quiet"],
  refused: ["rejected", "is-rejected"],
};
const stateWords = () => ({
  waiting: _("waits"),
  done: _("done"),
  undone: _("undone"),
  refused: _("refused"),
});

function What({ write }) {
  const text = textOf(write, "what");
  // A deleted object has no view.
  const isThere = write.key && write.state === "done" && !write.what.startsWith("delete ");
  return isThere
    ? html`<button type="button" class="link" onClick=${() => showObject(write)}>${text}</button>`
    : html`<span>${text}</span>`;
}

function TakeBack({ write: { back, forth } }) {
  if (back > 0) {
    const title =
      back > 1
        ? fill(_("Takes back this change and those after it: {n} in all"), { n: number(back) })
        : _("Takes back this change; kubectl sees it");
    return html`<button type="button" class="btn small" title=${title} onClick=${() => takeBack("undo", back)}>
      ${back > 1 ? fill(_("Undo {n}"), { n: number(back) }) : _("Undo")}
    </button>`;
  }
  if (!forth) return null;
  return html`<button type="button" class="btn small" onClick=${() => takeBack("redo", forth)}>
    ${forth > 1 ? fill(_("Redo {n}"), { n: number(forth) }) : _("Redo")}
  </button>`;
}

/** `isPart`: it is undone and redone with others. */
function Write({ write, isPart = false }) {
  const [mark, tone] = MARKS[write.state];
  const outcome = write.code ? `${write.code} ${write.reason}` : stateWords()[write.state];
  return html`<li class="write" data-write=${write.state}>
    ${icon(mark, tone)}
    <div class="grow">
      <p class="write-what"><${What} write=${write} /></p>
      <p class="quiet write-by">
        <span class="mono">${write.client || "?"}</span> ${moment(write.at)}${" "}
        <span class=${write.code ? "is-rejected" : ""}>${outcome}</span>
        ${write.times > 1 && html` <span>×${number(write.times)}</span>`}
      </p>
      ${write.message && html`<p class="write-says">${write.message}</p>`}
    </div>
    ${!isPart && html`<${TakeBack} write=${write} />`}
  </li>`;
}

/** The changes of one client command by object. It is undone and redone as a whole. */
function Go({ writes }) {
  const [newest] = writes;
  const [mark, tone] = MARKS[newest.state];
  return html`<li class="write" data-go data-write=${newest.state}>
    ${icon(mark, tone)}
    <details class="grow">
      <summary>
        <span class="write-what">${ngettext("{n} change in one go", "{n} changes in one go", writes.length)}</span>
        <span class="quiet write-by">
          <span class="mono">${newest.client}</span> ${moment(newest.at)} ${stateWords()[newest.state]}
        </span>
      </summary>
      <ol class="writes">${writes.map((write) => html`<${Write} key=${write.number} write=${write} isPart />`)}</ol>
    </details>
    <${TakeBack} write=${newest} />
  </li>`;
}

/** Group writes by command. */
function grouped(writes) {
  const groups = [];
  for (const write of writes) {
    const last = groups.at(-1)?.[0];
    if (last && write.go !== null && last.go === write.go && last.state === write.state) groups.at(-1).push(write);
    else groups.push([write]);
  }
  return groups;
}

export function Writes({ writes }) {
  return html`<section aria-labelledby="terminal-writes">
    <h3 class="caps" id="terminal-writes">${_("What clients did")}</h3>
    ${
      writes.length
        ? html`<ol class="writes" aria-live="polite">
          ${grouped(writes).map((go) => {
            const [write] = go;
            const key = write.number ?? `${write.at} ${write.what}`;
            return go.length > 1
              ? html`<${Go} key=${key} writes=${go} />`
              : html`<${Write} key=${key} write=${write} />`;
          })}
        </ol>`
        : html`<p class="quiet">
          ${_("Nothing yet. What kubectl, helm or a program changes stands here as it happens, and can be undone.")}
        </p>`
    }
  </section>`;
}
