/** The allocator's search on one node, step by step, with the result for each device. */
import { html, useState } from "../../vendor/preact.js";
import { translateSentence } from "../base/sentence.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { icon } from "../parts/icon.js";
import { deviceName, kindWord } from "./device_texts.js";

const MARKS = { taken: ["pass", "is-pass"], givenBack: ["back", "is-waiting"], refused: ["rejected", "is-rejected"] };
const didWord = (did) => ({ taken: _("takes"), givenBack: _("gives back"), refused: _("refuses") })[did];
const becameWord = (state) =>
  ({ taken: _("taken for this request"), givenBack: _("taken, and given back"), refused: _("refused") })[state];

/** Return the state of every device after `steps` steps: Map request → Map device → step. */
function statesAfter(steps) {
  const states = new Map();
  for (const step of steps) {
    const key = `${step.claim} ${step.request}`;
    if (!states.has(key)) states.set(key, new Map());
    states.get(key).set(step.device, step);
  }
  return states;
}

function Devices({ name, devices, last }) {
  const [claim, request] = name.split(" ");
  return html`<section class="searched">
    <h4><span class="mono">${request}</span> <span class="quiet mono">${claim}</span></h4>
    <ul>
      ${[...devices.values()].map(
        (step) => html`<li key=${step.device} class=${step === last ? "now" : ""} data-searched=${step.device}>
          ${icon(...MARKS[step.did])} <span class="mono" title=${step.device}>${deviceName(step.device)}</span>
          ${" "}
          <span class=${step.kind ? "" : "quiet"}>
            ${
              step.why
                ? html`<span class="quiet">${kindWord(step.kind)}:</span> ${translateSentence(step.why)}`
                : becameWord(step.did)
            }
          </span>
        </li>`,
      )}
    </ul>
  </section>`;
}

export function Search({ search }) {
  const { steps } = search;
  const [stepNumber, setStepNumber] = useState(steps.length);
  const last = steps[stepNumber - 1];
  const fits = search.outcome === "fits";
  return html`
    <h3 class="mono">${search.node}</h3>
    <p class="row wrap" data-search-outcome=${search.outcome}>
      ${icon(fits ? "pass" : "rejected", fits ? "is-pass" : "is-rejected")} <b>${translateSentence(search.text)}</b>
    </p>
    ${search.message && html`<p class="mono quiet">${search.message}</p>`}
    ${
      steps.length > 0 &&
      html`
        <div class="row search-steps">
          <button type="button" class="btn icon" aria-label=${_("One step back")} disabled=${stepNumber === 0}
            onClick=${() => setStepNumber(stepNumber - 1)}
          >${icon("left")}</button>
          <input type="range" min="0" max=${steps.length} value=${stepNumber} aria-label=${_("Step of the search")}
            aria-valuetext=${fill(_("step {n} of {all}"), {
              n: formatNumber(stepNumber),
              all: formatNumber(steps.length),
            })}
            onInput=${(event) => setStepNumber(Number(event.currentTarget.value))}
          />
          <button type="button" class="btn icon" aria-label=${_("One step forward")}
            disabled=${stepNumber === steps.length}
            onClick=${() => setStepNumber(stepNumber + 1)}
          >${icon("right")}</button>
          <span class="num">${formatNumber(stepNumber)} / ${formatNumber(steps.length)}</span>
        </div>
        <p class="search-now" aria-live="polite">
          ${
            last
              ? html`
                ${didWord(last.did)} <b class="mono">${deviceName(last.device)}</b>
                ${last.why ? html`: ${translateSentence(last.why)}` : ""}
              `
              : _("The search has not evaluated a device yet.")
          }
        </p>
      `
    }
    ${
      search.omitted > 0 &&
      html`<p class="quiet">
        ${ngettext("{n} more step is not listed", "{n} more steps are not listed", search.omitted)}
      </p>`
    }
    ${[...statesAfter(steps.slice(0, stepNumber))].map(
      ([name, devices]) => html`<${Devices} key=${name} name=${name} devices=${devices} last=${last} />`,
    )}
    ${
      search.claims.some(({ given }) => given.length) &&
      html`
        <h4 class="caps">${_("Devices that would be allocated")}</h4>
        <ul>
          ${search.claims.flatMap(({ claim, given }) =>
            given.map(
              (device) => html`<li key=${claim + device.request + device.device}>
                ${icon("pass", "is-pass")} <span class="mono quiet">${claim} ${device.request}</span> <span
                  class="mono"
                >${device.device}</span>
              </li>`,
            ),
          )}
        </ul>
      `
    }
  `;
}
