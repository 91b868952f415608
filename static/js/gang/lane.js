/** A lane that has pods of groups: a group is one entry, with how many of its pods are placed; its members unfold. */
import { html, signal } from "../../vendor/preact.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, number } from "../base/i18n.js";
import { openDialog } from "../base/screen.js";
import { lanes } from "../cycle/lanes.js";
import { icon } from "../parts/icon.js";
import { Waits } from "./waits.js";

// Groups that are unfolded, in whichever lane: "lane group".
const open = signal(new Set());

/** What stands in the lane: pods, and groups in the place of their first pod. */
function folded(entries) {
  const found = [];
  const groups = new Map();
  for (const entry of entries) {
    if (!entry.group) found.push({ key: entry.pod, entry });
    else if (groups.has(entry.group)) groups.get(entry.group).members.push(entry);
    else {
      groups.set(entry.group, { key: `group ${entry.group}`, group: entry.group, members: [entry] });
      found.push(groups.get(entry.group));
    }
  }
  return found;
}

/** How far a group has come: the whole of it, wherever its pods are. */
function progress({ counts, least }) {
  const placed = counts.bound ?? 0;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const text = fill(_("{placed} of {all} placed"), { placed: number(placed), all: number(all) });
  return least ? `${text}, ${fill(_("at least {n} together"), { n: number(least) })}` : text;
}

function Group({ lane, group, members, about, inView, row }) {
  const key = `${lane} ${group}`;
  const isOpen = open.value.has(key);
  const toggle = () => {
    const next = new Set(open.peek());
    if (!next.delete(key)) next.add(key);
    open.value = next;
  };
  // The server has counted before a pod that has just left, or come.
  const here = Math.max(members.length, about?.counts[lane] ?? 0);
  const more = here - members.length;
  // What a cycle left behind nobody can be asked about, only what one found, and what is now.
  const { asOf, within } = lanes.value;
  return html`<li class="lane-group" data-lane-group=${group}>
    <button type="button" aria-expanded=${isOpen} title=${group} onClick=${toggle}
      class=${`pod-row ${!isOpen && members.some(({ pod }) => pod === inView) ? "on" : ""}`}
    >
      ${icon(isOpen ? "down" : "right", "quiet")}
      <span class="mono cut tail grow"><bdi>${podName(group)}</bdi></span>
      <span class="quiet detail short">${ngettext("{n} pod", "{n} pods", here)}</span>
    </button>
    ${about && html`<p class="moved-by quiet cut" title=${progress(about)}>${progress(about)}</p>`}
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

/** `few`: how many entries show; `row(entry)`: a pod's; `rest(n)`: the way to the n pods that do not show. */
export function GroupedLane({ lane, queue, few, inView, row, rest }) {
  const shown = folded(queue.lanes[lane] ?? []).slice(0, few);
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
