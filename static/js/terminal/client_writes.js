/** The writes of clients, newest first, each with its program, time and result. */
import { html } from "../../vendor/preact.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { undoOrRedo } from "../drive/undo.js";
import { translatedText } from "../base/sentence.js";
import { icon } from "../parts/icon.js";
import { showObject } from "./terminal_actions.js";
import { formatRealTime } from "./real_time.js";

const MARKS = {
  waiting: ["waiting", "is-waiting"],
  done: ["pass", "is-pass"],
  undone: ["undo", "quiet"],
  refused: ["rejected", "is-rejected"],
};
const stateWords = () => ({
  waiting: _("waiting"),
  done: _("done"),
  undone: _("undone"),
  refused: _("refused"),
});

function What({ write }) {
  const text = translatedText(write, "what");
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
        ? fill(_("Undoes this change and all later ones ({n} in total)"), { n: formatNumber(back) })
        : _("Undoes this change. kubectl sees the result.");
    return html`<button type="button" class="btn small" title=${title} onClick=${() => undoOrRedo("undo", back)}>
      ${back > 1 ? fill(_("Undo {n}"), { n: formatNumber(back) }) : _("Undo")}
    </button>`;
  }
  if (!forth) return null;
  return html`<button type="button" class="btn small" onClick=${() => undoOrRedo("redo", forth)}>
    ${forth > 1 ? fill(_("Redo {n}"), { n: formatNumber(forth) }) : _("Redo")}
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
        <span class="mono">${write.client || "?"}</span> ${formatRealTime(write.at)}${" "}
        <span class=${write.code ? "is-rejected" : ""}>${outcome}</span>
        ${write.times > 1 && html` <span>×${formatNumber(write.times)}</span>`}
      </p>
      ${write.message && html`<p class="write-says">${write.message}</p>`}
    </div>
    ${!isPart && html`<${TakeBack} write=${write} />`}
  </li>`;
}

/** The changes of one client command, by object. They are undone and redone together. */
function CommandWrites({ writes }) {
  const [newest] = writes;
  const [mark, tone] = MARKS[newest.state];
  return html`<li class="write" data-go data-write=${newest.state}>
    ${icon(mark, tone)}
    <details class="grow">
      <summary>
        <span class="write-what">${ngettext("{n} change in one go", "{n} changes in one go", writes.length)}</span>
        <span class="quiet write-by">
          <span class="mono">${newest.client}</span> ${formatRealTime(newest.at)} ${stateWords()[newest.state]}
        </span>
      </summary>
      <ol class="writes">${writes.map((write) => html`<${Write} key=${write.number} write=${write} isPart />`)}</ol>
    </details>
    <${TakeBack} write=${newest} />
  </li>`;
}

/** Group writes by command. */
function groupByCommand(writes) {
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
    <h3 class="caps" id="terminal-writes">${_("Client changes")}</h3>
    ${
      writes.length
        ? html`<ol class="writes" aria-live="polite">
          ${groupByCommand(writes).map((group) => {
            const [write] = group;
            const key = write.number ?? `${write.at} ${write.what}`;
            return group.length > 1
              ? html`<${CommandWrites} key=${key} writes=${group} />`
              : html`<${Write} key=${key} write=${write} />`;
          })}
        </ol>`
        : html`<p class="quiet">
          ${_("No changes yet. Changes by kubectl, helm or a program appear here, and you can undo them.")}
        </p>`
    }
  </section>`;
}
