/** Short texts about devices. */
import { _, fill } from "../base/i18n.js";

export const stateWord = (state) =>
  ({
    free: _("free"),
    taken: _("taken"),
    shared: _("shared in part"),
    blocked: _("blocked: its shared counters are used up"),
  })[state];

export const kindWord = (kind) =>
  ({
    taken: _("taken"),
    selector: _("selector"),
    taint: _("taint"),
    constraint: _("constraint"),
    capacity: _("capacity"),
    counters: _("shared counters"),
    notHere: _("not for this node"),
    unsupported: _("not in this version"),
    other: _("other"),
  })[kind];

/** Return the name of driver/pool/name; most pools are named after their node. */
export const deviceName = (device) => device.split("/").at(-1);

/** Return a cell's facts in one line, for its title. */
export function cellTitle({ device, state, tainted, partition, by }) {
  const parts = [
    stateWord(state),
    by.length && fill(_("by {claims}"), { claims: by.join(", ") }),
    tainted && _("tainted"),
    partition && _("a partition"),
  ];
  return `${device}: ${parts.filter(Boolean).join(", ")}`;
}

/** Return a summary: "8 devices: 5 free, 3 taken". */
export function countsInWords({ total, counts, tainted }, devices) {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const words = parts.map(([state, count]) => `${count} ${stateWord(state).split(":")[0]}`);
  if (tainted) words.push(`${tainted} ${_("tainted")}`);
  return `${devices(total)}: ${words.join(", ")}`;
}
