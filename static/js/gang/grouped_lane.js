/** A queue with pod groups: one entry per group with its number of placed pods; it unfolds to its members. */
import { html, signal } from "../../vendor/preact.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { lanes } from "../cycle/lanes.js";
import { icon } from "../parts/icon.js";
import { Waits } from "./group_waits.js";

// Unfolded groups, by queue: "lane group".
const openGroups = signal(new Set());

/** Return the rows of the queue: pods, and each group in place of its first pod. */
function foldGroups(entries) {
  const rows = [];
  const groups = new Map();
  for (const entry of entries) {
    if (!entry.group) rows.push({ key: entry.pod, entry });
    else if (groups.has(entry.group)) groups.get(entry.group).members.push(entry);
    else {
      groups.set(entry.group, { key: `group ${entry.group}`, group: entry.group, members: [entry] });
      rows.push(groups.get(entry.group));
    }
  }
  return rows;
}

/** Return how many pods of a group are placed, counting all queues. */
function progressText({ counts, least }) {
  const placed = counts.bound ?? 0;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const text = fill(_("{placed} of {all} placed"), { placed: formatNumber(placed), all: formatNumber(all) });
  return least ? `${text}, ${fill(_("at least {n} together"), { n: formatNumber(least) })}` : text;
}

function Group({ lane, group, members, about, inView, row }) {
  const key = `${lane} ${group}`;
  const isOpen = openGroups.value.has(key);
  const toggle = () => {
    const next = new Set(openGroups.peek());
    if (!next.delete(key)) next.add(key);
    openGroups.value = next;
  };
  // The server's count may not include a pod that has just moved.
  const here = Math.max(members.length, about?.counts[lane] ?? 0);
  const more = here - members.length;
  // The server answers about the state before a cycle and now, not about the state after a cycle.
  const { asOf, within } = lanes.value;
  return html`<li class="lane-group" data-lane-group=${group}>
    <button type="button" aria-expanded=${isOpen} title=${group} onClick=${toggle}
      class=${`pod-row ${!isOpen && members.some(({ pod }) => pod === inView) ? "on" : ""}`}
    >
      ${icon(isOpen ? "down" : "right", "quiet")}
      <span class="mono cut tail grow"><bdi>${podName(group)}</bdi></span>
      <span class="quiet detail short">${ngettext("{n} pod", "{n} pods", here)}</span>
    </button>
    ${about && html`<p class="moved-by quiet cut" title=${progressText(about)}>${progressText(about)}</p>`}
    ${isOpen && asOf === null && html`<${Waits} group=${group} cycle=${within} />`}
    ${
      isOpen &&
      html`<ul>
        ${members.map(row)}
        ${
          more > 0 &&
          html`<li>
            <button type="button" class="link more" onClick=${() => openDialog("lane", { lane, group })}>
              ${ngettext("{n} more", "{n} more", more)}
            </button>
          </li>`
        }
      </ul>`
    }
  </li>`;
}

/** `few`: number of entries shown; `row(entry)`: a pod's row; `rest(n)`: the link to the n hidden pods. */
export function GroupedLane({ lane, queue, few, inView, row, rest }) {
  const shown = foldGroups(queue.lanes[lane] ?? []).slice(0, few);
  const about = (group) => queue.groups[group];
  const covered = shown.reduce(
    (sum, { group, members }) => sum + (group ? Math.max(members.length, about(group)?.counts[lane] ?? 0) : 1),
    0,
  );
  return html`
    <ul>
      ${shown.map(({ key, entry, group, members }) =>
        entry
          ? row(entry)
          : html`<${Group} key=${key} lane=${lane} group=${group} members=${members} about=${about(group)}
            inView=${inView} row=${row}
          />`,
      )}
    </ul>
    ${rest((queue.counts[lane] ?? 0) - covered)}
  `;
}
