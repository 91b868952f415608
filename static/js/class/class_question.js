/** A question of a class: its words, the options, and the answers as bars. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { answerQuestion } from "./class_actions.js";
import { clickedNode, inClass } from "../access/class_membership.js";
import { get } from "../base/api.js";
import { useDraft } from "../base/drafts.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { optionWord, outcomeWord } from "../lesson/option_words.js";
import { preferences } from "../base/preferences.js";
import { showPanel } from "../base/screen.js";
import { lastCycle, store } from "../base/store.js";
import { icon, verdictMark } from "../parts/icon.js";

const MOST_BARS = 12;

/** Return the question as one sentence. */
function questionText({ ask, pod, node, cycle }) {
  const template = {
    chosen_node: _("Which node does {pod} get?"),
    outcome: _("Does {pod} get a node?"),
    next_pod: _("Which pod is scheduled next?"),
    rejected_by: _("Which plugin rejects {node} for {pod}?"),
    nominated_node: _("Which node is nominated for {pod}?"),
    victims: _("Which pods are evicted for {pod}?"),
  }[ask];
  return cycle === null
    ? fill(template, { pod, node })
    : `${fill(template, { pod, node })} ${fill(_("(cycle {n})"), { n: formatNumber(cycle) })}`;
}

/** The text of a lesson's prediction, from its step. */
function LessonText({ question }) {
  const [text, setText] = useState("");
  const lang = (preferences.lessonLanguage.value ?? document.documentElement.lang).toLowerCase();
  useEffect(() => {
    const findText = (lesson) =>
      lesson.steps.flatMap((step) => step.blocks).find((block) => block.argument === question.check)?.html ?? "";
    get(`lessons/${question.lesson}/?lang=${encodeURIComponent(lang)}`).then(
      (lesson) => setText(findText(lesson)),
      () => {},
    );
  }, [question.lesson, question.check, lang]);
  return html`<div class="words" dangerouslySetInnerHTML=${{ __html: text }} />`;
}

const QuestionHeading = ({ question }) =>
  question.lesson ? html`<${LessonText} question=${question} />` : html`<h3>${questionText(question)}</h3>`;

/** Return the rows of the chart: all options, or only picked and correct ones. */
function chartRows({ options, counts, right }) {
  const rows = options.map((option, i) => ({ option, count: counts[i], right: right?.includes(option) ?? false }));
  if (rows.length <= MOST_BARS) return { rows, left: 0 };
  const listed = rows
    .filter((row) => row.count || row.right)
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_BARS);
  return { rows: listed, left: rows.length - listed.length };
}

/** The answers as bars, with a table for screen readers. */
function Chart({ question, ownAnswer = null }) {
  const { rows, left } = chartRows(question);
  const most = Math.max(1, ...rows.map((row) => row.count));
  return html`<div class="class-chart">
    <table>
      <caption class="quiet">
        ${ngettext("{n} answer", "{n} answers", question.answers)}
        ${question.right_answers !== null ? html` · ${ngettext("{n} right", "{n} right", question.right_answers)}` : ""}
      </caption>
      <tbody>
        ${rows.map(
          ({ option, count, right }) => html`<tr key=${option} class=${right ? "right" : ""} data-option=${option}>
            <th scope="row">
              <span class=${`cut ${outcomeWord(option) ? "" : "mono"}`} title=${optionWord(option)}>
                ${optionWord(option)}
              </span>
              ${right && html` ${verdictMark("pass")}<span class="sr">${_("right")}</span>`}
              ${ownAnswer?.includes(option) && html` <span class="quiet">${_("yours")}</span>`}
            </th>
            <td class="share"><i style=${{ width: `${(100 * count) / most}%` }} /></td>
            <td class="num">${formatNumber(count)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
    ${
      left > 0 &&
      html`<p class="quiet">
        ${ngettext("{n} more option that no one picked", "{n} more options that no one picked", left)}
      </p>`
    }
  </div>`;
}

/** The button to the outcome, which is in another tab on a narrow page. */
const OutcomeButton = () =>
  html`<button type="button" class="btn only-in-tabs" onClick=${() => showPanel("cluster")}>
    ${_("Show the result")}
  </button>`;

/** The answer of a follower, who can change it until the question closes. */
function AnswerForm({ question, chosen }) {
  const [picked, setPicked] = useDraft(`answer ${inClass.peek().id} ${question.number}`, chosen ?? []);
  const clicked = clickedNode.value;
  useEffect(() => {
    if (clicked) setPicked([clicked]);
  }, [clicked]);
  const toggle = (option) =>
    setPicked(
      !question.several
        ? [option]
        : picked.includes(option)
          ? picked.filter((other) => other !== option)
          : [...picked, option],
    );
  const sent = chosen !== null && JSON.stringify([...chosen].sort()) === JSON.stringify([...picked].sort());
  const send = (event) => {
    event.preventDefault();
    answerQuestion(question.number, picked);
  };
  // An answer that the outcome follows is final.
  const isFinal =
    chosen !== null && store.cluster.value?.id === inClass.value.cluster && lastCycle.value >= question.hides;
  const legend = isFinal
    ? _("Your answer")
    : question.several
      ? _("Pick all that apply, or none")
      : question.kind === "node"
        ? _("Pick one, or click a node")
        : _("Pick one");
  return html`<form class="question" onSubmit=${send}>
    <fieldset disabled=${isFinal}>
      <legend class="quiet">${legend}</legend>
      <div class="options">
        ${question.options.map(
          (option) => html`<label class="option" key=${option}>
            <input type=${question.several ? "checkbox" : "radio"} name="class-answer"
              checked=${picked.includes(option)} onChange=${() => toggle(option)}
            /> <span class=${outcomeWord(option) ? "" : "mono"}>${optionWord(option)}</span>
          </label>`,
        )}
      </div>
    </fieldset>
    ${
      question.hides !== null &&
      chosen === null &&
      html`<p class="quiet">${_("The result is hidden until you answer.")}</p>`
    }
    <div class="class-row">
      ${
        !isFinal &&
        html`<button type="submit" class="btn primary" disabled=${sent || (!question.several && picked.length === 0)}>
          ${chosen === null ? _("Submit answer") : _("Change answer")}
        </button>`
      }
      <span role="status">${sent && html`${icon("pass", "is-pass")} ${_("Answer submitted")}`}</span>
      ${isFinal && html`<${OutcomeButton} />`}
    </div>
  </form>`;
}

/** The question for a follower: to answer, or with the engine's answer. */
export function FollowerQuestion({ classState }) {
  const { question, me } = classState;
  const chosen = me?.chosen ?? null;
  if (question.open)
    return html`
      <${QuestionHeading} question=${question} />
      <${AnswerForm} key=${question.number} question=${question} chosen=${chosen} />
    `;
  const correct = chosen !== null && JSON.stringify([...chosen].sort()) === JSON.stringify([...question.right].sort());
  const right = question.right.map(optionWord).join(", ") || _("none");
  return html`
    <${QuestionHeading} question=${question} />
    <div class=${`answered ${correct ? "is-pass" : ""}`} role="status">
      <b>${correct ? html`${verdictMark("pass")} ${_("Right")}` : fill(_("Correct answer: {right}."), { right })}</b>
    </div>
    <div class="class-row"><${OutcomeButton} /></div>
    <${Chart} question=${question} ownAnswer=${chosen} />
  `;
}

/** The question for the teacher: each answer as it arrives. */
export function TeacherQuestion({ question }) {
  return html`<${QuestionHeading} question=${question} /><${Chart} question=${question} />`;
}
