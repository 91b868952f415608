/**
 * The effective plugins of the draft's profiles, as the server evaluates them: plugins by point, in order. Until it
 * answers, each edit shows its guess; an answer replaces all guesses.
 */
import { batch, computed, signal } from "../../vendor/preact.js";

const MOST_KNOWN = 50;

/** {yaml, profiles}: the newest answer with its text; null before the first. */
const answer = signal(null);
const guesses = signal([]);
/** True if the text was typed and the shown profiles are of an older text. */
export const stale = signal(false);
const known = new Map(); // profiles by text, so that an undo shows at once

/** The shown profiles: the last answer with the guesses of later edits. */
export const shown = computed(() =>
  guesses.value.reduce((profiles, guess) => guess(profiles), answer.value?.profiles ?? null),
);

/** Return the profiles of a text; null if the server has not answered. */
export const profilesOfText = (yaml) => known.get(yaml) ?? null;

/** Store the server's answer to a text; `waiting` are the guesses of edits that are not in the text. */
export function storeAnswer(yaml, profiles, waiting) {
  known.delete(yaml);
  known.set(yaml, profiles);
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value);
  batch(() => {
    answer.value = { yaml, profiles };
    guesses.value = waiting;
    stale.value = false;
  });
}

export const addGuess = (change) => (guesses.value = [...guesses.peek(), change]);
export const dropLastGuess = () => (guesses.value = guesses.peek().slice(0, -1));
export const setGuesses = (waiting) => (guesses.value = waiting);

export function forgetTable() {
  known.clear();
  answer.value = null;
  guesses.value = [];
  stale.value = false;
}

const withProfile = (profileIndex, change) => (profiles) =>
  profiles?.map((other, place) => (place === profileIndex ? change(other) : other));

const withPoint = (profileIndex, point, change) =>
  withProfile(profileIndex, (effective) => ({
    ...effective,
    points: { ...effective.points, [point]: change(effective.points[point]) },
  }));

const without = (entries, plugin) => entries.filter((entry) => entry.plugin !== plugin);

/** Guesses of edits: each maps the shown profiles to the likely new ones. */
export const guessOff = (profileIndex, point, plugin) =>
  withPoint(profileIndex, point, ({ enabled, disabled }) => ({
    enabled: without(enabled, plugin),
    disabled: enabled.some((entry) => entry.plugin === plugin && entry.multi)
      ? [...disabled, { plugin, by: plugin, at: point, returns: true }]
      : disabled,
  }));

export const guessOn = (profileIndex, point, plugin, weight) =>
  withPoint(profileIndex, point, ({ enabled, disabled }) => ({
    enabled: [
      ...without(enabled, plugin),
      disabled.some((entry) => entry.plugin === plugin && entry.returns)
        ? { plugin, origin: "default", index: null, multi: true, weight, weightAt: null }
        : { plugin, origin: "explicit", index: null, multi: false, weight, weightAt: null },
    ],
    disabled: without(disabled, plugin),
  }));

export const guessMove = (profileIndex, point, plugin, to) =>
  withPoint(profileIndex, point, ({ enabled, disabled }) => {
    const moved = enabled.find((entry) => entry.plugin === plugin);
    const order = without(enabled, plugin);
    if (moved) order.splice(to, 0, moved);
    return { enabled: order, disabled };
  });

export const guessWeight = (profileIndex, plugin, weight) =>
  withPoint(profileIndex, "score", ({ enabled, disabled }) => ({
    enabled: enabled.map((entry) => (entry.plugin === plugin ? { ...entry, weight, weightAt: null } : entry)),
    disabled,
  }));

/** Guess an added profile: a copy of `copyOf`, or an unknown one. */
export const guessProfile = (copyOf) => (profiles) =>
  profiles && copyOf !== null ? [...profiles, profiles[copyOf]] : profiles;

export const guessRemoved = (profileIndex) => (profiles) => profiles?.filter((_made, place) => place !== profileIndex);
