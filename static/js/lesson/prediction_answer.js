/**
 * The result of a prediction: why it is wrong by the engine's reasons, the right answer, and the cycle that shows it.
 */
import { html } from "../../vendor/preact.js";
import { translateSentence } from "../base/sentence.js";
import { _, fill } from "../base/i18n.js";
import { showAnswer } from "./show_answer.js";
import { reportError } from "../base/notices.js";
import { optionWord } from "./option_words.js";
import { icon, verdictMark } from "../parts/icon.js";

const formatOptions = (options) => options.map(optionWord).join(", ") || _("none");

/** Return all answers so far. */
export const triesOf = (check) => check.tries ?? [];

/** Return true if the last answer is right, also at the second try. */
export const isAnsweredRight = (check) => triesOf(check).at(-1)?.correct === true;

/** Return the mark above a question, which is that of its answer. */
export function answerMark(check) {
  if (!isAnsweredRight(check)) return html`<span class="quiet">${_("answered")}</span>`;
  return html`<span class="is-pass">
    ${verdictMark("pass")} ${check.correct ? _("right") : _("right at the second try")}
  </span>`;
}

function Wrong({ answer }) {
  return html`<div class="wrong-answer">
    <p>${fill(_("Your answer: {yours}."), { yours: formatOptions(answer.chosen) })}</p>
    ${
      answer.why.length > 0 &&
      html`<ul>${answer.why.map((reason) => html`<li key=${reason.text}>${translateSentence(reason)}</li>`)}</ul>`
    }
  </div>`;
}

/** The first wrong answer: why, and the offer of a second try. */
export function FirstTry({ check }) {
  const [first] = triesOf(check);
  return (
    first &&
    html`<div class="answered" role="status">
      <b>${icon("waiting", "is-waiting")} ${_("Not this one. You have a second try.")}</b>
      <${Wrong} answer=${first} />
    </div>`
  );
}

/** The closed question: the engine's answer, why the user's is wrong, and the button that shows it. */
export function Answered({ check, show }) {
  const wrong = triesOf(check).filter((answer) => !answer.correct);
  return html`
    <div class="answered" role="status">
      ${
        isAnsweredRight(check)
          ? html`<b class="is-pass">${verdictMark("pass")} ${_("Right")}</b>`
          : html`<b>${fill(_("Correct answer: {right}."), { right: formatOptions(check.right) })}</b>`
      }
      ${wrong.map((answer) => html`<${Wrong} key=${answer.chosen.join()} answer=${answer} />`)}
    </div>
    ${
      show &&
      html`<button type="button" class="btn show-answer" onClick=${() => showAnswer(show, check).catch(reportError)}>
        ${icon("play")} ${show.by === "queue" ? _("Show me the queue") : _("Run the cycle and show me")}
      </button>`
    }
  `;
}
