/** The decoder: a pasted FailedScheduling text, explained part by part. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { decodeText } from "./cached_answers.js";
import { translateSentence } from "../base/sentence.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { Dialog } from "../parts/dialog.js";
import { icon } from "../parts/icon.js";
import { GlossaryButton } from "../parts/glossary_button.js";

const REST = 250;
const SAMPLE =
  "0/5 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}, 4 Insufficient cpu. preemption: 0/5 " +
  "nodes are available: 1 Preemption is not helpful for scheduling, 4 No preemption victims found for incoming pod.";

const evictingWord = (evicting) =>
  ({
    could: _("removing pods might help"),
    cannot: _("removing pods would not help"),
    depends: _("whether removing pods helps depends on the node"),
  })[evicting] ?? "";

function Part({ part }) {
  return html`<li class="decoded" data-known=${String(part.known)}>
    <p class="row">
      <b class="num reason-count">${part.count === null ? "" : formatNumber(part.count)}</b>
      <span class="mono grow">${part.reason}</span>
    </p>
    ${
      part.known
        ? html`<p>
          ${part.plugin && html`<b>${part.plugin}</b> `}
          ${part.plugin && html`<${GlossaryButton} kind="plugin" name=${part.plugin} />`}
          ${part.point && html` <span class="quiet">${part.point}</span>`} ${translateSentence(part.meaning)}
          .
        </p>`
        : html`<p class="quiet">
          ${icon("idle")} ${_("not known: it may come from an extender or an out-of-tree plugin")}
        </p>`
    }
    ${part.look.map(
      (look, index) => html`<p key=${index} class="quiet">
        ${translateSentence(look.what)}
        ${look.command && html`: <code class="mono">${look.command}</code>`}
      </p>`,
    )}
    ${
      (evictingWord(part.evicting) || part.versions) &&
      html`<p class="quiet">
        ${[evictingWord(part.evicting), part.versions && fill(_("used by {versions}"), { versions: part.versions })]
          .filter(Boolean)
          .join(" · ")}
      </p>`
    }
  </li>`;
}

function Decoded({ answer }) {
  return html`<section aria-live="polite" data-decoded>
    ${
      answer.total !== null &&
      html`<h3>
        ${fill(_("{fit} of {total} nodes could take the pod"), {
          fit: formatNumber(answer.fit),
          total: formatNumber(answer.total),
        })}
      </h3>`
    }
    <ul class="decoded-list">${answer.parts.map((part, index) => html`<${Part} key=${index} part=${part} />`)}</ul>
    ${
      answer.postFilter.length > 0 &&
      html`
        <h4 class="caps">${_("After the filters")}</h4>
        <ul class="decoded-list">
          ${answer.postFilter.map((part, index) => html`<${Part} key=${index} part=${part} />`)}
        </ul>
      `
    }
    ${
      answer.preemption &&
      html`
        <h4 class="caps">${_("Preemption")}</h4>
        <ul class="decoded-list">
          ${answer.preemption.parts.map((part, index) => html`<${Part} key=${index} part=${part} />`)}
        </ul>
      `
    }
    ${answer.notes.map((note, index) => html`<p key=${index} class="quiet">${translateSentence(note)}.</p>`)}
  </section>`;
}

export function DecoderDialog({ text: initialText }) {
  const [text, setText] = useState(initialText ?? "");
  const [answer, setAnswer] = useState(null);
  const [problem, setProblem] = useState("");
  const newestTurn = useRef(0);
  useEffect(() => {
    const turn = ++newestTurn.current;
    if (!text.trim()) {
      setAnswer(null);
      return undefined;
    }
    const timer = setTimeout(async () => {
      try {
        const result = await decodeText(text);
        if (turn === newestTurn.current) setAnswer(result), setProblem("");
      } catch (error) {
        if (turn === newestTurn.current) setProblem(error.message);
      }
    }, REST);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<${Dialog} title=${_("What does this message mean?")} wide>
    <label class="block" for="decoder-text">
      ${_("Paste a FailedScheduling line, from kubectl describe, from events or from a log")}
    </label>
    <textarea id="decoder-text" class="mono decoder-text" rows="4" spellcheck=${false} value=${text}
      onInput=${(event) => setText(event.currentTarget.value)}
    ></textarea>
    ${
      !text &&
      html`<p>
        <button type="button" class="btn small" onClick=${() => setText(SAMPLE)}>${_("Try an example")}</button>
      </p>`
    }
    ${problem && html`<p class="is-rejected" role="alert">${problem}</p>`}
    ${answer && html`<${Decoded} answer=${answer} />`}
  <//>`;
}
