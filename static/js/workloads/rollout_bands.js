/** The bands of a rollout: stacked states from the bottom up, their colors, and the width of each moment. */
import { _, fill, formatNumber } from "../base/i18n.js";

// The target revision first, then earlier ones, newest first.
const TINTS = ["chosen", "bar", "series-4", "series-5", "series-2"];
const WIDEST = 8; // times the narrowest, so that quiet times stay narrow

const STATES = [
  { state: "ended", word: () => _("ended"), tint: "passed" },
  { state: "failed", word: () => _("failed"), tint: "series-7" },
  { state: "ready", word: () => _("ready") },
  { state: "starting", word: () => _("starting"), faint: true },
  { state: "waiting", word: () => _("no node"), tint: "rejected" },
];

const isSomewhere = (values) => values.some((value) => value > 0);

/** Return the states that occur, from the bottom up, each with its word. */
export const statesOf = ({ revisions }) =>
  STATES.filter(({ state }) => revisions.some((revision) => isSomewhere(revision[state])));

/** Return [{revision, state, word, tint, faint, values}], without empty ones. */
export function bandsOf({ revisions }) {
  const newestFirst = [...revisions].sort(
    (a, b) => b.current - a.current || revisions.indexOf(b) - revisions.indexOf(a),
  );
  const from = newestFirst[0]?.current ? 0 : 1;
  const tintOf = (revision) => TINTS[(newestFirst.indexOf(revision) + from) % TINTS.length];
  return statesOf({ revisions }).flatMap(({ state, word, tint, faint = false }) =>
    revisions
      .filter((revision) => isSomewhere(revision[state]))
      .map((revision) => ({
        revision: revision.name,
        state,
        word: word(),
        tint: tint ?? tintOf(revision),
        faint,
        values: revision[state],
      })),
  );
}

/** Return where each point begins, as fractions of 1, and the end: proportional to time, with quiet times shortened. */
export function placesOf({ t, now }) {
  const durations = t.map((at, i) => (t[i + 1] ?? Math.max(at, now)) - at);
  const some = durations.filter((one) => one > 0).toSorted((a, b) => a - b);
  const usual = some[some.length >> 1] || 1;
  const wide = durations.map((one) => Math.min(WIDEST, Math.max(1, one / usual)));
  const whole = wide.reduce((sum, one) => sum + one, 0);
  let sum = 0;
  return [0, ...wide.map((one) => (sum += one) / whole)];
}

/** Return the picture at one point in words: "v1: 3 ready; v2: 2 no node". */
export const wordsAt = (bands, place) =>
  bands
    .filter(({ values }) => values[place] > 0)
    .map(({ revision, word, values }) => `${revision && `${revision}: `}${formatNumber(values[place])} ${word}`)
    .join("; ") || _("no pods");

/** Return the controller's bounds in words; "" for none. */
export function boundsAt({ wanted, least, most }, place) {
  if (typeof most[place] === "number")
    return fill(_("{wanted} desired, at least {least} ready, at most {most}"), {
      wanted: formatNumber(wanted[place]),
      least: formatNumber(least[place]),
      most: formatNumber(most[place]),
    });
  return typeof wanted[place] === "number" ? fill(_("{wanted} desired"), { wanted: formatNumber(wanted[place]) }) : "";
}
