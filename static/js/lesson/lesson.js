/** The lesson beside the cluster: one step at a time, with its checks, questions and tasks. */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { useDraft } from "../base/drafts.js";
import { LANGUAGES, _, fill, ngettext, loadWithMessages } from "../base/i18n.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { arriving, lesson } from "./lesson_state.js";
import {
  MISSED,
  goToStep,
  hints,
  lessons,
  loadLessons,
  nextLesson,
  openCheck,
  predict,
  restartLesson,
  showHint,
  setLessonLanguage,
  continueLesson,
} from "./lesson_progress.js";
import { reportError } from "../base/notices.js";
import { optionWord, outcomeWord } from "./option_words.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { pointAt } from "./view_pointer.js";
import { Answered, FirstTry, answerMark, isAnsweredRight, triesOf } from "./prediction_answer.js";
import { icon, verdictMark } from "../parts/icon.js";

const NATIVE = Object.fromEntries(LANGUAGES);

/** Markdown that the server rendered with HTML disabled. */
const RenderedText = ({ text, className = "" }) =>
  html`<div class=${`words ${className}`} dangerouslySetInnerHTML=${{ __html: text }} />`;

/** Move the focus to a part of the lesson, because the focused element is about to disappear. */
const focusOn = (selector) =>
  requestAnimationFrame(() => document.querySelector(`.lesson ${selector}`)?.focus({ preventScroll: true }));

/** The last hint: the repairs of the pod that still has no node. */
function MakeItFit({ pod }) {
  const ask = () =>
    loadWithMessages(() => import("../repair/repair_actions.js")).then(({ requestedPod }) => {
      pinPod(pod);
      openSideTab("pod");
      requestedPod.value = pod;
    }, reportError);
  return html`<button type="button" class="btn" data-last-hint onClick=${ask}>${_("What would make it fit?")}</button>`;
}

/** Return a matcher for a pattern with `*`, `?` and `[12]`, like the engine's. */
const toPattern = (pattern) =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|\\/]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  );

/** Return a pending pod that a task still needs. */
function findPendingPod(check) {
  const lanes = Object.values(store.queue.value?.lanes ?? {});
  const patterns = (check?.unmet ?? []).filter((one) => one.scheduled).map((one) => toPattern(one.scheduled));
  return lanes.flat().find(({ pod }) => patterns.some((pattern) => pattern.test(pod)))?.pod ?? null;
}

function Hints({ id, all, pod }) {
  const shown = Math.min(hints.value[id] ?? 0, all.length);
  const showNextHint = () => {
    showHint(id);
    if (shown + 1 === all.length) focusOn(`[data-check="${id}"]`);
  };
  return html`<div class="hints">
    ${all.slice(0, shown).map(
      (text, i) => html`<div class="hint" key=${i}>
        <span class="quiet">${fill(_("Hint {n}"), { n: i + 1 })}</span>
        <${RenderedText} text=${text} />
      </div>`,
    )}
    ${
      shown < all.length &&
      html`<button type="button" class="btn bare" onClick=${showNextHint}>
        ${shown ? _("Another hint") : _("Give me a hint")}
      </button>`
    }
    ${shown === all.length && pod && html`<${MakeItFit} pod=${pod} />`}
  </div>`;
}

/** A question with its options; a click on a node in the cluster also answers it. */
function Question({ id, check }) {
  const tries = triesOf(check);
  const [picked, setPicked] = useDraft(`prediction ${lesson.peek().cluster} ${id} ${tries.length}`, []);
  const pinned = store.pinned.value.node;
  // A wrong option is not available for the second try.
  const isOut = (option) => !check.several && tries.some((answer) => answer.chosen.includes(option));
  const clicked =
    check.kind === "node" && picked.length === 0 && check.options.includes(pinned) && !isOut(pinned)
      ? [pinned]
      : picked;
  const toggle = (option) =>
    setPicked(
      !check.several
        ? [option]
        : picked.includes(option)
          ? picked.filter((one) => one !== option)
          : [...picked, option],
    );
  const send = (event) => {
    event.preventDefault();
    predict(id, clicked).then(() => focusOn(`[data-check="${id}"]`), reportError);
  };
  return html`<form class="question" onSubmit=${send}>
    <fieldset>
      <legend class="quiet">
        ${
          check.several
            ? _("Pick all that apply, or none")
            : check.kind === "node"
              ? _("Pick one, or click a node")
              : _("Pick one")
        }
      </legend>
      <div class="options">
        ${check.options.map(
          (option) => html`<label class=${`option ${isOut(option) ? "is-out" : ""}`} key=${option}>
            <input type=${check.several ? "checkbox" : "radio"} name=${id} checked=${clicked.includes(option)}
              disabled=${isOut(option)} onChange=${() => toggle(option)}
            /> <span class=${outcomeWord(option) ? "" : "mono"}>${optionWord(option)}</span>
          </label>`,
        )}
      </div>
    </fieldset>
    <button type="submit" class="btn primary" disabled=${!check.several && clicked.length === 0}>
      ${tries.length ? _("Submit second answer") : _("Submit answer")}
    </button>
  </form>`;
}

function conditionText(condition) {
  const [name] = Object.keys(condition);
  const subject = condition[name];
  const texts = {
    scheduled: condition.nodes
      ? fill(_("{pod} is on {nodes}"), { pod: subject, nodes: (condition.nodes ?? []).join(", ") })
      : fill(_("{pod} has a node"), { pod: subject }),
    pending: fill(_("{pod} has no node"), { pod: subject }),
    gone: fill(_("{pod} is deleted"), { pod: subject }),
    lane: fill(_("{pod} is in the queue {lane}"), { pod: condition.pod, lane: subject }),
    unchanged: fill(_("{object} keeps its {path}"), { object: subject, path: condition.path }),
    skew: fill(_("{pod} differ by at most {n} between values of {key}"), {
      pod: subject,
      n: condition.at_most,
      key: condition.key,
    }),
    weight: fill(_("{plugin} scores with weight {n} or more"), { plugin: subject, n: condition.above }),
    stays_under: fill(_("every Pod gets the same node under {version}"), { version: subject }),
  };
  return texts[Object.keys(texts).find((known) => known in condition)] ?? JSON.stringify(condition);
}

const Missing = ({ unmet }) => html`<div class="missing">
  <span class="quiet">${_("Still to do")}</span>
  <ul>
    ${unmet.map(
      (condition) => html`<li
      key=${JSON.stringify(condition)}>${verdictMark("waiting")} ${conditionText(condition)}</li>`,
    )}
  </ul>
</div>`;

function Check({ block, openId }) {
  const id = block.argument;
  const check = lesson.value.checks[id];
  const isOpen = id === openId;
  const isOver = check?.done && check.form === "predict";
  const tone = check?.done ? (isOver && !isAnsweredRight(check) ? "done missed" : "done") : isOpen ? "open" : "later";
  const label = { wait: _("Do"), predict: _("Predict"), task: _("Task") }[block.kind];
  return html`<section class=${`check ${tone}`} data-check=${id} tabindex="-1">
    <p class="check-head">
      <b>${label}</b>
      ${
        isOver
          ? html` ${answerMark(check)}`
          : check?.done && html` <span class="is-pass">${verdictMark("pass")} ${_("done")}</span>`
      }
    </p>
    <${RenderedText} text=${block.html} />
    ${isOpen && !check && block.kind === "predict" && html`<p class="quiet">${_("Calculating…")}</p>`}
    ${
      isOpen &&
      check?.form === MISSED &&
      html`<p class="is-waiting">
        ${verdictMark("waiting")} ${_(
          "You are ahead of the lesson: this step has already happened. Continue with the next step, or " +
            "restart the lesson.",
        )}
      </p>`
    }
    ${
      isOpen &&
      check?.form === "predict" &&
      html`<${FirstTry} check=${check} /><${Question} key=${triesOf(check).length} id=${id} check=${check} />`
    }
    ${isOver && html`<${Answered} check=${check} show=${block.show} />`}
    ${isOpen && check?.unmet?.length > 0 && html`<${Missing} unmet=${check.unmet} />`}
    ${isOpen && block.hints.length > 0 && html`<${Hints} id=${id} all=${block.hints} pod=${findPendingPod(check)} />`}
  </section>`;
}

function Block({ block, openId }) {
  if (block.kind === "prose") return html`<${RenderedText} text=${block.html} />`;
  if (block.kind !== "point") return html`<${Check} block=${block} openId=${openId} />`;
  return html`<section class="pointer">
    <${RenderedText} text=${block.html} />
    <button type="button" class="btn" onClick=${() => pointAt(block.argument)}>${_("Show me")}</button>
  </section>`;
}

/** The end of a lesson: the next one, and the list of all. */
function Onwards({ slug }) {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    loadLessons().catch(reportError);
  }, [slug]);
  const next = nextLesson(lessons.value ?? [], slug);
  const startNext = () => {
    setBusy(true);
    continueLesson(next)
      .catch(reportError)
      .finally(() => setBusy(false));
  };
  return html`
    <button type="button" class=${`btn ${next ? "" : "primary"}`}
      onClick=${() => openDialog("lessons")}
    >${_("All lessons")}</button>
    ${
      next &&
      html`<button type="button" class="btn primary" disabled=${busy} title=${next.title} onClick=${startNext}>
        ${_("Next lesson")} ${icon("right")}
      </button>`
    }
  `;
}

/** Return the blocks up to the current check; later ones would reveal the answer. */
function visibleBlocks(blocks, openId) {
  const end = blocks.findIndex((block) => block.argument === openId && block.kind !== "point");
  return end < 0 ? blocks : blocks.slice(0, end + 1);
}

export function Lesson() {
  const { text, step } = lesson.value;
  const openId = openCheck.value;
  const { title, blocks } = text.steps[step];
  const last = step + 1 === text.steps.length;
  const body = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    // Only after a change of step or a new lesson, not when the page loads.
    if (!first.current || arriving.peek()) body.current.focus({ preventScroll: true });
    first.current = false;
    arriving.value = false;
  }, [step, arriving.value]);
  useLayoutEffect(() => {
    // The next part may begin below the visible area.
    body.current.querySelector(".check.open")?.scrollIntoView({ block: "nearest" });
  }, [openId]);
  return html`<aside class="panel lesson" aria-label=${_("Lesson")} lang=${text.language}>
    <div class="lesson-head">
      <h2>${text.title}</h2>
      <span class="quiet grow">${fill(_("step {n} of {all}"), { n: step + 1, all: text.steps.length })}</span>
      <select class="btn small" aria-label=${_("Language of the lesson")} value=${text.language}
        onChange=${(event) => setLessonLanguage(event.target.value).catch(reportError)}
      >
        ${text.languages.map((lang) => html`<option key=${lang} value=${lang}>${NATIVE[lang] ?? lang}</option>`)}
      </select>
      <button type="button" class="btn small bare" onClick=${() => restartLesson().catch(reportError)}
        title=${_("Back to the beginning of the lesson")}
      >${_("Restart")}</button>
    </div>
    <div class="lesson-body scroll" tabindex="0" ref=${body} key=${step}>
      ${step === 0 && html`<p class="lesson-question">${text.question}</p>`}
      <h3>${title}</h3>
      ${visibleBlocks(blocks, openId).map((block, i) => html`<${Block} key=${i} block=${block} openId=${openId} />`)}
      ${last && !openId && html`<p class="lesson-end is-pass">${verdictMark("pass")} ${_("Lesson complete.")}</p>`}
    </div>
    <div class="lesson-foot">
      <button type="button" class="btn" disabled=${step === 0} onClick=${() => goToStep(step - 1)}>
        ${icon("left")} ${_("Back")}
      </button>
      <span class="grow" />
      ${last && !openId && html`<${Onwards} slug=${text.slug} />`}
      ${
        last &&
        openId &&
        html`<button type="button" class="btn" onClick=${() => openDialog("lessons")}>
          ${_("All lessons")}
        </button>`
      }
      ${
        !last &&
        html`<button type="button" class=${`btn ${openId ? "" : "primary"}`} onClick=${() => goToStep(step + 1)}>
          ${openId ? _("Skip") : _("Next")} ${icon("right")}
        </button>`
      }
    </div>
  </aside>`;
}

export const progressWords = ({ done, total }) => ngettext("{n} thing to do", "{n} things to do", total - done);
