/** The panel of a class: questions and answers, and for the teacher the followers. */
import { html, useState } from "../../vendor/preact.js";
import { whyIdle } from "../drive/idle_reason.js";
import { askQuestion, closeQuestion, handPointer, removeFollower } from "./class_actions.js";
import { classPanel, inClass } from "../access/class_membership.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { lesson } from "../lesson/lesson_state.js";
import { optionWord } from "../lesson/option_words.js";
import { atHead, store } from "../base/store.js";
import { FollowerQuestion, TeacherQuestion } from "./class_question.js";
import { icon } from "../parts/icon.js";
import { Menu, MenuItem } from "../parts/menu.js";

const questions = () => [
  ["chosen_node", _("Which node does it get?")],
  ["outcome", _("Does it get a node?")],
  ["next_pod", _("Which pod is next?")],
  ["rejected_by", _("Which plugin rejects the pinned node?")],
  ["nominated_node", _("Which node is nominated?")],
  ["victims", _("Which pods are evicted?")],
];

/** Return the predictions of the cluster's lesson: [[id, words]]. */
const listPredictions = () =>
  (lesson.value?.text.steps ?? []).flatMap((step) =>
    step.blocks.filter((block) => block.kind === "predict").map((block) => [block.argument, step.title]),
  );

/** Return why a question about the next attempt is impossible; "" if it is possible. */
function whyNoAttempt() {
  const { active = 0, backoff = 0 } = store.queue.value?.counts ?? {};
  return !store.queue.value || active + backoff > 0 ? "" : whyIdle();
}

/** The choice of a question and its attempt: the next one, or the cycle on the screen. */
function QuestionForm() {
  const [choice, setChoice] = useState("chosen_node");
  const [busy, setBusy] = useState(false);
  const cycle = store.shown.value?.record.cycle.number ?? null;
  const [chosenAbout, setAbout] = useState(() => (atHead.peek() ? "next" : "shown"));
  const noNext = whyNoAttempt();
  const about = cycle === null ? "next" : noNext ? "shown" : chosenAbout;
  const { node } = store.pinned.value;
  const [kind, name] = choice.split(":");
  const send = (event) => {
    event.preventDefault();
    setBusy(true);
    const question =
      kind === "check"
        ? { check: name }
        : { ask: kind, ...(kind === "rejected_by" ? { node } : {}), cycle: about === "shown" ? cycle : null };
    askQuestion(question).finally(() => setBusy(false));
  };
  return html`<form class="stack-form" onSubmit=${send}>
    <label class="field">
      <span>${_("Ask the class")}</span>
      <select value=${choice} onChange=${(event) => setChoice(event.target.value)}>
        ${questions().map(([id, label]) => html`<option key=${id} value=${id}>${label}</option>`)}
        ${listPredictions().map(
          ([id, label]) => html`<option key=${id} value=${`check:${id}`}>
            ${fill(_("Lesson: {title}"), { title: label })}
          </option>`,
        )}
      </select>
    </label>
    ${
      kind !== "check" &&
      html`<label class="field">
        <span>${_("About")}</span>
        <select value=${about} onChange=${(event) => setAbout(event.target.value)}>
          <option value="next" disabled=${Boolean(noNext)} title=${noNext}>
            ${_("the next attempt, not run yet")}
          </option>
          ${
            cycle !== null &&
            html`<option value="shown">${fill(_("cycle {n}, in view"), { n: formatNumber(cycle) })}</option>`
          }
        </select>
      </label>`
    }
    ${kind !== "check" && noNext && html`<p class="quiet" id="class-no-next">${noNext}</p>`}
    ${kind === "rejected_by" && !node && html`<p class="quiet">${_("Pin the node first: click it.")}</p>`}
    <button type="submit" class="btn primary" aria-describedby=${noNext && "class-no-next"}
      disabled=${busy || (kind === "rejected_by" && !node) || (kind !== "check" && about === "next" && noNext !== "")}
    >${_("Ask")}</button>
  </form>`;
}

function Person({ follower, isOpen, pointer }) {
  return html`<li class="class-person" data-follower=${follower.name}>
    ${icon(follower.here ? "pass" : "idle", follower.here ? "is-pass" : "quiet")}
    <span class="grow cut" title=${follower.name}>
      ${follower.name} ${!follower.here && html`<span class="quiet">${_("away")}</span>`}
    </span>
    ${pointer?.id === follower.id && html`<span class="quiet">${_("has the pointer")}</span>`}
    ${isOpen && html`<span class="quiet">${follower.answered ? _("answered") : _("no answer yet")}</span>`}
    <${Menu} bare align="end"
      label=${html`<span class="sr">${fill(_("Actions for {name}"), { name: follower.name })}</span>⋯`}
    >
      ${(close) => html`
        <${MenuItem} onPick=${() => (close(), handPointer(pointer?.id === follower.id ? null : follower.id))}>
          ${pointer?.id === follower.id ? _("Take the pointer back") : _("Hand over the pointer")}
        <//>
        <${MenuItem} danger onPick=${() => (close(), removeFollower(follower.id))}>${_("Remove from the class")}<//>
      `}
    <//>
  </li>`;
}

function Teacher({ classState }) {
  const { question, followers, pointer } = classState;
  const right = question?.right?.map(optionWord).join(", ") || _("none");
  return html`
    ${
      question &&
      html`<section class="class-part">
        <${TeacherQuestion} question=${question} />
        ${
          question.open
            ? html`<button type="button" class="btn primary" onClick=${closeQuestion}>
              ${_("Close and show the answer")}
            </button>`
            : html`<p class="is-pass">${icon("pass")} ${fill(_("Correct answer: {right}."), { right })}</p>`
        }
      </section>`
    }
    ${!question?.open && html`<section class="class-part"><${QuestionForm} /></section>`}
    <section class="class-part">
      <h3>${ngettext("{n} follower", "{n} followers", followers.length)}</h3>
      ${
        followers.length === 0 &&
        html`<p class="quiet">${_("Show the code or send the link. Followers don't need an account.")}</p>`
      }
      <ul class="class-people">
        ${followers.map(
          (follower) =>
            html`<${Person} key=${follower.id} follower=${follower} isOpen=${question?.open} pointer=${pointer} />`,
        )}
      </ul>
    </section>
  `;
}

function Follower({ classState }) {
  if (!classState.question) return html`<p class="quiet">${_("The teacher has not asked a question yet.")}</p>`;
  return html`<section class="class-part"><${FollowerQuestion} classState=${classState} /></section>`;
}

export function ClassPanel() {
  const classState = inClass.value;
  return html`<aside class="panel lesson class-panel" aria-label=${_("Questions of the class")}>
    <div class="head lesson-head">
      <h2 class="grow">${_("Questions")}</h2>
      <button type="button" class="btn bare icon" aria-label=${_("Close")} onClick=${() => (classPanel.value = false)}>
        ${icon("close")}
      </button>
    </div>
    <div class="lesson-body scroll" tabindex="0">
      ${
        classState.role === "teacher"
          ? html`<${Teacher} classState=${classState} />`
          : html`<${Follower}
        classState=${classState} />`
      }
    </div>
  </aside>`;
}
