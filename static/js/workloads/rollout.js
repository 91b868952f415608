/** A workload's pods over virtual time, by revision and state; a press, a drag or the arrow keys move through it. */
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { formatClock } from "../base/format.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { coalesce } from "../base/latest.js";
import { reportError } from "../base/notices.js";
import { theme } from "../base/preferences.js";
import { store } from "../base/store.js";
import { shortClock } from "../life/short_clock.js";
import { moveSlider } from "../life/slider_keys.js";
import { goToRecord, lastUpTo, selectedSeq } from "../life/controller_steps.js";
import { useSize } from "../parts/canvas.js";
import { loadStyleSheet } from "../parts/style_sheet.js";
import { refusal } from "../access/allowed.js";
import { bandsOf, boundsAt, placesOf, statesOf, wordsAt } from "./rollout_bands.js";
import { paintRollout } from "./rollout_paint.js";

await loadStyleSheet(new URL("./rollout.css", import.meta.url));

const REST = 700; // ms between two requests during fast changes

/** Return the server's data about a rollout, fetched again as the cluster changes; null before the first answer. */
function useRollout({ kind, namespace, name }) {
  const { id, revision } = store.cluster.value;
  const [loaded, setLoaded] = useState(null);
  const question = useRef(null);
  question.current = {
    id,
    path: `${clusterPath(id, "rollout")}?${new URLSearchParams({ kind, key: `${namespace}/${name}` })}`,
  };
  const refreshRollout = useMemo(
    () =>
      coalesce(async () => {
        const request = question.current;
        if (!request) return;
        try {
          const answer = await get(request.path);
          if (question.current?.path === request.path) setLoaded({ path: request.path, answer });
        } catch (error) {
          reportError(error);
        }
      }, REST),
    [],
  );
  useEffect(refreshRollout, [question.current.path, revision]);
  useEffect(() => () => (question.current = null), []);
  return loaded?.path === question.current.path ? loaded.answer : null;
}

/** The counts at one point: a row per revision, a column per state. */
function Legend({ answer, bands, place }) {
  const states = statesOf(answer);
  const findBand = (revision, state) => bands.find((band) => band.revision === revision.name && band.state === state);
  const shown = answer.revisions.filter((revision) => bands.some((band) => band.revision === revision.name));
  return html`<table class="rollout-legend">
    <thead>
      <tr><td />${states.map(({ state, word }) => html`<th key=${state} scope="col">${word()}</th>`)}</tr>
    </thead>
    <tbody>
      ${shown.map(
        (revision) => html`<tr key=${revision.name}>
          <th scope="row" class="mono">${revision.name}</th>
          ${states.map(({ state }) => {
            const band = findBand(revision, state);
            if (!band) return html`<td key=${state} />`;
            return html`<td key=${state} class="num" style=${{ "--band": `var(--${band.tint})` }}>
              <i class=${band.faint ? "faint" : ""} />${formatNumber(place < 0 ? 0 : band.values[place])}
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
        (time, i) => html`<tr key=${i}>
          <th scope="row" class="mono">${formatClock(time)}</th>
          ${bands.map(
            ({ revision, word, values }) =>
              html`<td key=${revision + word} class="num">${formatNumber(values[i])}</td>`,
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
  if (!answer.t.length) return html`<p class="quiet">${_("Its Pods have not changed since controllers started.")}</p>`;
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
  const isNewest = selectedSeq.value === null;
  const place = isNewest ? last : lastUpTo(seq, selectedSeq.value);
  const held = refusal("cycle-back");
  useEffect(() => {
    if (size.width) paintRollout(canvas.current, size, { answer, bands, places, place, isNewest });
  }, [size, answer, place, isNewest, colour]);
  const goToPoint = (i) => !held && i !== place && goToRecord(seq[i]);
  const pick = (event) => {
    const { left, width } = canvas.current.getBoundingClientRect();
    const part = Math.max(0, (event.clientX - left) / width);
    goToPoint(Math.max(0, Math.min(last, lastUpTo(places, part))));
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
      aria-valuenow=${Math.max(0, place)} aria-valuetext=${`${formatClock(t[Math.max(0, place)])}: ${words}`}
      onPointerDown=${down} onPointerMove=${(event) => event.buttons === 1 && pick(event)}
      onKeyDown=${(event) => moveSlider(event, Math.max(0, place), last, goToPoint)}
    ><canvas ref=${canvas} aria-hidden="true" /></div>
    <p class="rollout-times mono quiet" aria-hidden="true">
      <span>${shortClock(t[0])}</span> <b>${place < 0 ? "" : formatClock(t[place])}</b>
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
