/** A workload's pods over virtual time, by revision and state; a press, a drag or the arrow keys move through it. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { clock } from "../base/format.js";
import { _, fill, number } from "../base/i18n.js";
import { coalesce } from "../base/latest.js";
import { report } from "../base/notices.js";
import { theme } from "../base/preferences.js";
import { store } from "../base/store.js";
import { shortClock } from "../life/short_clock.js";
import { slide } from "../life/slide.js";
import { goTo, lastUpTo, moment } from "../life/steps.js";
import { useSize } from "../parts/canvas.js";
import { sheet } from "../parts/sheet.js";
import { refusal } from "../access/allowed.js";
import { bandsOf, boundsAt, placesOf, statesOf, wordsAt } from "./rollout_bands.js";
import { paintRollout } from "./rollout_paint.js";

await sheet(new URL("./rollout.css", import.meta.url));

const REST = 700; // ms between two requests during fast changes

/** Return the server's data about a rollout, fetched again as the cluster changes; null before the first answer. */
function useRollout({ kind, namespace, name }) {
  const { id, revision } = store.cluster.value;
  const [found, setFound] = useState(null);
  const question = useRef(null);
  question.current = { id, path: `${of(id, "rollout")}?${new URLSearchParams({ kind, key: `${namespace}/${name}` })}` };
  const look = useMemo(
    () =>
      coalesce(async () => {
        const wanted = question.current;
        if (!wanted) return;
        try {
          const answer = await get(wanted.path);
          if (question.current?.path === wanted.path) setFound({ path: wanted.path, answer });
        } catch (error) {
          report(error);
        }
      }, REST),
    [],
  );
  useEffect(look, [question.current.path, revision]);
  useEffect(() => () => (question.current = null), []);
  return found?.path === question.current.path ? found.answer : null;
}

/** The counts at one point: a row per revision, a column per state. */
function Legend({ answer, bands, place }) {
  const states = statesOf(answer);
  const of = (revision, state) => bands.find((band) => band.revision === revision.name && band.state === state);
  const shown = answer.revisions.filter((one) => bands.some((band) => band.revision === one.name));
  return html`<table class="rollout-legend">
    <thead>
      <tr><td />${states.map(({ state, word }) => html`<th key=${state} scope="col">${word()}</th>`)}</tr>
    </thead>
    <tbody>
      ${shown.map(
        (one) => html`<tr key=${one.name}>
          <th scope="row" class="mono">${one.name}</th>
          ${states.map(({ state }) => {
            const band = of(one, state);
            if (!band) return html`<td key=${state} />`;
            return html`<td key=${state} class="num" style=${{ "--band": `var(--${band.tint})` }}>
              <i class=${band.faint ? "faint" : ""} />${number(place < 0 ? 0 : band.values[place])}
            </td>`;
          })}
        </tr>`,
      )}
    </tbody>
  </table>`;
}

/** The rollout as a table of numbers. */
function Table({ answer: { t }, bands }) {
  const [open, setOpen] = useState(false);
  const rows = () => html`<table>
    <thead>
      <tr>
        <th scope="col">${_("Time")}</th>
        ${bands.map(({ revision, word }) => html`<th key=${revision + word} scope="col">${`${revision} ${word}`}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${t.map(
        (at, i) => html`<tr key=${i}>
          <th scope="row" class="mono">${clock(at)}</th>
          ${bands.map(
            ({ revision, word, values }) => html`<td key=${revision + word} class="num">${number(values[i])}</td>`,
          )}
        </tr>`,
      )}
    </tbody>
  </table>`;
  return html`<details onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${_("As a table")}</summary>
    ${open && html`<div class="rollout-table" tabindex="0">${rows()}</div>`}
  </details>`;
}

/** `large`: in its own dialog. */
export function Rollout({ workload, large = false }) {
  const answer = useRollout(workload);
  if (!answer) return html`<div class=${`rollout ${large ? "large" : ""}`} aria-busy="true" />`;
  if (!answer.t.length)
    return html`<p class="quiet">${_("Its pods have not changed since controllers are at work.")}</p>`;
  return html`<${Picture} workload=${workload} answer=${answer} large=${large} />`;
}

function Picture({ workload, answer, large }) {
  const box = useRef(null);
  const canvas = useRef(null);
  const size = useSize(box);
  const colour = theme();
  const { t, seq } = answer;
  const bands = useMemo(() => bandsOf(answer), [answer]);
  const places = useMemo(() => placesOf(answer), [answer]);
  const last = t.length - 1;
  const isNewest = moment.value === null;
  const place = isNewest ? last : lastUpTo(seq, moment.value);
  const held = refusal("cycle-back");
  useEffect(() => {
    if (size.width) paintRollout(canvas.current, size, { answer, bands, places, place, isNewest });
  }, [size, answer, place, isNewest, colour]);
  const go = (i) => !held && i !== place && goTo(seq[i]);
  const pick = (event) => {
    const { left, width } = canvas.current.getBoundingClientRect();
    const part = Math.max(0, (event.clientX - left) / width);
    go(Math.max(0, Math.min(last, lastUpTo(places, part))));
  };
  const down = (event) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    pick(event);
  };
  const words = place < 0 ? _("no pods") : wordsAt(bands, place);
  const bounds = place < 0 ? "" : boundsAt(answer, place);
  return html`<div class=${`rollout ${large ? "large" : ""}`} data-rollout=${workload.name}>
    <div ref=${box} class="rollout-bars" role="slider" tabindex="0"
      aria-label=${fill(_("Pods of {name} over time"), { name: workload.name })}
      aria-disabled=${held ? "true" : undefined} title=${held || undefined} aria-valuemin="0" aria-valuemax=${last}
      aria-valuenow=${Math.max(0, place)} aria-valuetext=${`${clock(t[Math.max(0, place)])}: ${words}`}
      onPointerDown=${down} onPointerMove=${(event) => event.buttons === 1 && pick(event)}
      onKeyDown=${(event) => slide(event, Math.max(0, place), last, go)}
    ><canvas ref=${canvas} aria-hidden="true" /></div>
    <p class="rollout-times mono quiet" aria-hidden="true">
      <span>${shortClock(t[0])}</span> <b>${place < 0 ? "" : clock(t[place])}</b>
      <span>${shortClock(Math.max(t[last], answer.now))}</span>
    </p>
    <${Legend} answer=${answer} bands=${bands} place=${place} />
    ${
      bounds &&
      html`<p class="quiet">
        ${typeof answer.most[place] === "number" && html`<i class="rollout-bound" />`}${bounds}
      </p>`
    }
    ${large && html`<${Table} answer=${answer} bands=${bands} />`}
  </div>`;
}
