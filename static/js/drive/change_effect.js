/** The effect of a change: which pods moved by which hint, or why a pod stays, with a button that helps. */
import { get, clusterPath } from "../base/api.js";
import { plainCause } from "../cycle/plain_reasons.js";
import { whenGlossaryLoaded } from "../base/glossary.js";
import { translateSentence, translatedText } from "../base/sentence.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, loadMessages } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { store } from "../base/store.js";
import { laneWord } from "../cycle/cycle_texts.js";
import { confirmChange } from "../branches/branches.js";
import { performCommand } from "./run.js";
import { activate } from "./node_pod_commands.js";

const MOST_LINES = 2;

/**
 * Delete pods and create them again from these manifests. Returns the problems of a refusal, [] on success, null if
 * nothing was sent.
 */
export async function recreate(objects) {
  if (!(await confirmChange())) return null;
  const ended = await performCommand({ kind: "recreate", objects }, _("Creating again"), { quiet: true });
  return ended && (ended.problems ?? []);
}

/** Delete the pod and create it again from its present manifest. */
async function recreatePod(pod) {
  try {
    const problems = await recreate([
      await get(clusterPath(store.cluster.peek().id, "objects", "Pod", ...pod.split("/"))),
    ]);
    if (problems?.length) reportError({ problems });
  } catch (error) {
    reportError(error);
  }
}

const HELP = {
  activate: (pod) => ({ label: _("Move it to Active"), run: () => activate(pod) }),
  recreate: (pod) => ({ label: _("Delete and create again"), run: () => recreatePod(pod) }),
};

const moveText = (move) =>
  [`${podName(move.pod)}: ${laneWord(move.from)} → ${laneWord(move.to)}`, plainCause(move)].filter(Boolean).join(" · ");

function movedText({ moved, moved_total: total }) {
  const lines = moved.slice(0, MOST_LINES).map(moveText);
  if (total > lines.length) lines.push(ngettext("{n} more pod moved", "{n} more pods moved", total - lines.length));
  return lines.join("\n");
}

function stayedText({ stayed, stayed_total: total }) {
  const [{ pod, lane, why }] = stayed;
  const first = fill(_("{pod} stays in {lane}: {why}."), {
    pod: podName(pod),
    lane: laneWord(lane),
    why: translateSentence(why),
  });
  return total > 1
    ? `${first}\n${ngettext("{n} more pod stays where it is", "{n} more pods stay where they are", total - 1)}`
    : first;
}

/** Return which pods a drain could not move because of a budget or a controller. */
function remainingText({ remaining, remaining_total: total }) {
  const lines = remaining
    .slice(0, MOST_LINES)
    .map((entry) =>
      fill(_("{pod} stays on its node: {why}"), { pod: podName(entry.pod), why: translatedText(entry, "reason") }),
    );
  if (total > lines.length)
    lines.push(ngettext("{n} more pod stays where it is", "{n} more pods stay where they are", total - lines.length));
  return lines.join("\n");
}

/** Show the effect of command `number` in a notice; there is none unless a pod waits for it. */
export async function reportEffect(number) {
  const id = store.cluster.peek()?.id;
  try {
    const effect = await get(clusterPath(id, "commands", number, "effect"));
    await Promise.all([loadMessages(), whenGlossaryLoaded()]);
    if (store.cluster.peek()?.id !== id) return;
    if (effect.moved.length) notify(movedText(effect));
    if (effect.remaining.length) notify(remainingText(effect));
    if (effect.stayed.length)
      notify(stayedText(effect), { actions: effect.stayed[0].helps.map((help) => HELP[help](effect.stayed[0].pod)) });
  } catch (error) {
    // The change itself has succeeded.
    if (error.status !== 404) reportError(error);
  }
}
