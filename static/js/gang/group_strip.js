/** The pod group of the cycle on the screen: its members in order of attempts, and its conditions. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { goToCycle } from "../cycle/playback.js";
import { get, clusterPath } from "../base/api.js";
import { podName } from "../base/format.js";
import { _, fill, ngettext, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";
import { outcomeMark } from "../parts/outcome.js";
import { outcomeWord } from "../cycle/cycle_texts.js";
import { Waits } from "./group_waits.js";

const NEARBY = 200; // records before and after that are searched for members
const LISTED_MEMBERS = 24;

/** Return the adjacent cycles of the same group: all pods of a group are tried in a row. */
function membersAmong(records, cycle) {
  const cycles = new Map();
  for (const record of records) if (record.kind === "cycle") cycles.set(record.cycle.number, record.cycle);
  // A binding record has the result of a waiting pod.
  for (const record of records)
    if (record.kind === "binding" && cycles.has(record.cycle.number))
      cycles.set(record.cycle.number, { ...cycles.get(record.cycle.number), ...record.cycle });
  const tried = new Set();
  const walkCycles = (from, direction) => {
    const members = [];
    for (let n = from; cycles.get(n)?.group === cycle.group && !tried.has(cycles.get(n).pod); n += direction) {
      tried.add(cycles.get(n).pod);
      members.push(cycles.get(n));
    }
    return members;
  };
  const before = walkCycles(cycle.number, -1).reverse();
  return [...before, ...walkCycles(cycle.number + 1, 1)];
}

async function fetchGroup(id, record) {
  const { seq, cycle } = record;
  const [page, group] = await Promise.all([
    get(`${clusterPath(id, "records")}?after=${Math.max(0, seq - NEARBY)}&limit=${2 * NEARBY}&brief=1`),
    get(clusterPath(id, "objects", "PodGroup", cycle.group)).catch(() => null),
  ]);
  return { of: seq, members: membersAmong(page.records, cycle), group };
}

export function GroupStrip({ record }) {
  const [groupData, setGroupData] = useState(null);
  const [all, setAll] = useState(false);
  const { cycle } = record;
  const id = store.cluster.value.id;
  useEffect(() => {
    let isMounted = true;
    fetchGroup(id, record).then(
      (value) => isMounted && setGroupData(value),
      () => {}, // the cycle shows without its group
    );
    return () => (isMounted = false);
  }, [id, record.seq, record.last]);
  const members = groupData?.members ?? [];
  const place = members.findIndex(({ number: n }) => n === cycle.number) + 1;
  const shown = all ? members : members.slice(0, LISTED_MEMBERS);
  const least = groupData?.group?.spec?.schedulingPolicy?.gang?.minCount;
  const conditions = groupData?.group?.status?.conditions ?? [];
  return html`<div class="row wrap group-strip" data-group=${cycle.group}>
    <span>
      <span class="quiet">${_("group")}</span> <b class="mono">${podName(cycle.group)}</b>
      ${
        place > 0 &&
        html` <span class="quiet">
          ${fill(_("member {n} of {all}"), { n: formatNumber(place), all: formatNumber(members.length) })}
          ${least ? ` · ${fill(_("at least {n} together"), { n: formatNumber(least) })}` : ""}
        </span>`
      }
    </span>
    <span class="group-members">
      ${shown.map(
        (member) => html`<button type="button" key=${member.number} class="btn small"
          aria-current=${member.number === cycle.number ? "true" : undefined}
          aria-pressed=${member.number === cycle.number} title=${member.message || outcomeWord(member.outcome)}
          onClick=${() => goToCycle(member.number)}
        >
          ${outcomeMark(member.outcome)} <span class="mono">${podName(member.pod)}</span>
          ${member.node ? html` <span class="quiet mono">${member.node}</span>` : ""}
        </button>`,
      )}
      ${
        shown.length < members.length &&
        html`<button type="button" class="link" onClick=${() => setAll(true)}>
          ${ngettext("{n} more", "{n} more", members.length - shown.length)}
        </button>`
      }
    </span>
    ${conditions.map(
      ({ type, status, reason, message }) => html`<span key=${type}
        class=${status === "True" ? "is-pass" : "is-waiting"} title=${message || reason}
      >
        <span class="quiet">${_("now")}</span> <span class="mono">${type}=${status}</span> <span class="quiet">
          ${message || reason}
        </span>
      </span>`,
    )}
    <${Waits} group=${cycle.group} />
  </div>`;
}
