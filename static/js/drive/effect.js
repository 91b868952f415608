/** The effect of a change: which pods moved by which hint, or why a pod stays, with a button that helps. */
import { get, of } from "../base/api.js";
import { plainCause } from "../cycle/plain_words.js";
import { glossaryRead } from "../base/glossary.js";
import { sentence, textOf } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, words } from "../base/i18n.js";
import { notify, report } from "../base/notices.js";
import { store } from "../base/store.js";
import { laneWord } from "../cycle/words.js";
import { mayChange } from "../branches/branches.js";
import { perform } from "./run.js";
import { activate } from "./upkeep.js";

const MOST_LINES = 2;

/**
 * Delete pods and create them again from these manifests. Returns the problems of a refusal, [] on success, null if
 * nothing was sent.
 */
export async function recreate(objects) {
  if (!(await mayChange())) return null;
  const ended = await perform({ kind: "recreate", objects }, _("Creating again"), { quiet: true });
  return ended && (ended.problems ?? []);
}

/** Delete the pod and create it again from its present manifest. */
async function recreatePod(pod) {
  try {
    const problems = await recreate([await get(of(store.cluster.peek().id, "objects", "Pod", ...pod.split("/")))]);
    if (problems?.length) report({ problems });
  } catch (error) {
    report(error);
  }
}

const HELP = {
  activate: (pod) => ({ label: _("Move it to Active"), run: () => activate(pod) }),
  recreate: (pod) => ({ label: _("Delete and create again"), run: () => recreatePod(pod) }),
};

const journey = (move) =>
  [`${podName(move.pod)}: ${laneWord(move.from)} → ${laneWord(move.to)}`, plainCause(move)].filter(Boolean).join(" · ");

function movedWords({ moved, moved_total: total }) {
  const lines = moved.slice(0, MOST_LINES).map(journey);
  if (total > lines.length) lines.push(ngettext("{n} more pod moved", "{n} more pods moved", total - lines.length));
  return lines.join("\n");
}

function stayedWords({ stayed, stayed_total: total }) {
  const [{ pod, lane, why }] = stayed;
  const first = fill(_("{pod} stays in {lane}: {why}."), {
    pod: podName(pod),
    lane: laneWord(lane),
    why: sentence(why),
  });
  return total > 1
    ? `${first}\n${ngettext("{n} more pod stays where it is", "{n} more pods stay where they are", total - 1)}`
    : first;
}

/** Return which pods a drain could not move because of a budget or a controller. */
function remainingWords({ remaining, remaining_total: total }) {
  const lines = remaining
    .slice(0, MOST_LINES)
    .map((one) => fill(_("{pod} stays on its node: {why}"), { pod: podName(one.pod), why: textOf(one, "reason") }));
  if (total > lines.length)
    lines.push(ngettext("{n} more pod stays where it is", "{n} more pods stay where they are", total - lines.length));
  return lines.join("\n");
}

/** Show the effect of command `number` in a notice; there is none unless a pod waits for it. */
export async function reportEffect(number) {
  const id = store.cluster.peek()?.id;
  try {
    const effect = await get(of(id, "commands", number, "effect"));
    await Promise.all([words(), glossaryRead()]);
    if (store.cluster.peek()?.id !== id) return;
    if (effect.moved.length) notify(movedWords(effect));
    if (effect.remaining.length) notify(remainingWords(effect));
    if (effect.stayed.length)
      notify(stayedWords(effect), { actions: effect.stayed[0].helps.map((help) => HELP[help](effect.stayed[0].pod)) });
  } catch (error) {
    // The change itself has succeeded.
    if (error.status !== 404) report(error);
  }
}
