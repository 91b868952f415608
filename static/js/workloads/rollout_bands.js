/** A rollout as bands: what is stacked, from the bottom up, in which colour, and how wide each moment is. */
import { _, fill, number } from "../base/i18n.js";

// The one that is to stay, then those before it, the newest first.
const TINTS = ["chosen", "bar", "series-4", "series-5", "series-2"];
const WIDEST = 8; // times the narrowest: a quiet hour takes no more room than a few changes

const STATES = [
  { state: "ended", word: () => _("ended"), tint: "passed" },
  { state: "failed", word: () => _("failed"), tint: "series-7" },
  { state: "ready", word: () => _("ready") },
  { state: "starting", word: () => _("starting"), faint: true },
  { state: "waiting", word: () => _("no node"), tint: "rejected" },
];

const isSomewhere = (values) => values.some((value) => value > 0);

/** The states that are anywhere in it, from the bottom up, each with its word. */
export const statesOf = ({ revisions }) =>
  STATES.filter(({ state }) => revisions.some((one) => isSomewhere(one[state])));

/** [{revision, state, word, tint, faint, values}], without those that are nowhere. */
export function bandsOf({ revisions }) {
  const newestFirst = [...revisions].sort(
    (a, b) => b.current - a.current || revisions.indexOf(b) - revisions.indexOf(a),
  );
  const from = newestFirst[0]?.current ? 0 : 1;
  const tintOf = (one) => TINTS[(newestFirst.indexOf(one) + from) % TINTS.length];
  return statesOf({ revisions }).flatMap(({ state, word, tint, faint = false }) =>
    revisions
      .filter((one) => isSomewhere(one[state]))
      .map((one) => ({
        revision: one.name,
        state,
        word: word(),
        tint: tint ?? tintOf(one),
        faint,
        values: one[state],
      })),
  );
}

/** Where each of the points begins, as parts of 1, and the end: as long as it lasts, quiet times cut short. */
export function placesOf({ t, now }) {
  const lasts = t.map((at, i) => (t[i + 1] ?? Math.max(at, now)) - at);
  const some = lasts.filter((one) => one > 0).toSorted((a, b) => a - b);
  const usual = some[some.length >> 1] || 1;
  const wide = lasts.map((one) => Math.min(WIDEST, Math.max(1, one / usual)));
  const whole = wide.reduce((sum, one) => sum + one, 0);
  let sum = 0;
  return [0, ...wide.map((one) => (sum += one) / whole)];
}

/** What the picture shows at a place, in words: "v1: 3 ready; v2: 2 no node". */
export const wordsAt = (bands, place) =>
  bands
    .filter(({ values }) => values[place] > 0)
    .map(({ revision, word, values }) => `${revision && `${revision}: `}${number(values[place])} ${word}`)
    .join("; ") || _("no pods");

/** Between which bounds the controller stays, as words; "" where it has none. */
export function boundsAt({ wanted, least, most }, place) {
  if (typeof most[place] === "number")
    return fill(_("{wanted} wanted, at least {least} ready, at most {most}"), {
      wanted: number(wanted[place]),
      least: number(least[place]),
      most: number(most[place]),
    });
  return typeof wanted[place] === "number" ? fill(_("{wanted} wanted"), { wanted: number(wanted[place]) }) : "";
}
