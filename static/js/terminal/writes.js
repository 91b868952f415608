/** What clients do, the newest first: each write with its program, its time and what became of it. */
import { html } from "../../vendor/preact.js";
import { _, fill, number } from "../base/i18n.js";
import { redo } from "../branches/undo.js";
import { textOf } from "../explain/sentence.js";
import { icon } from "../parts/icon.js";
import { showObject, undoLast } from "./actions.js";
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
  // What is gone has nothing to show.
  const isThere = write.key && write.state === "done" && !write.what.startsWith("delete ");
  return isThere
    ? html`<button type="button" class="link" onClick=${() => showObject(write)}>${text}</button>`
    : html`<span>${text}</span>`;
}

function TakeBack({ write, cluster }) {
  if (write.back > 0) {
    const title =
      write.back > 1
        ? fill(_("Takes back this change and those after it: {n} in all"), { n: number(write.back) })
        : _("Takes back this change; kubectl sees it");
    return html`<button type="button" class="btn small" title=${title} onClick=${() => undoLast(write.back)}>
      ${write.back > 1 ? fill(_("Undo {n}"), { n: number(write.back) }) : _("Undo")}
    </button>`;
  }
  if (write.number === null || write.number !== cluster.can_redo?.number) return null;
  return html`<button type="button" class="btn small" onClick=${redo}>${_("Redo")}</button>`;
}

function Write({ write, cluster }) {
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
    <${TakeBack} write=${write} cluster=${cluster} />
  </li>`;
}

export function Writes({ cluster, writes }) {
  return html`<section aria-labelledby="terminal-writes">
    <h3 class="caps" id="terminal-writes">${_("What clients did")}</h3>
    ${
      writes.length
        ? html`<ol class="writes" aria-live="polite">
          ${writes.map(
            (write) => html`<${Write} key=${write.number ?? `${write.at} ${write.what}`} write=${write}
              cluster=${cluster}
            />`,
          )}
        </ol>`
        : html`<p class="quiet">
          ${_("Nothing yet. What kubectl, helm or a program changes stands here as it happens, and can be undone.")}
        </p>`
    }
  </section>`;
}
