/** The dialog of one queue. It fetches only the pages that are visible. */
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import { advanceToBackoff } from "../drive/run.js";
import { openSideTab, pinPod } from "../cycle/selection.js";
import { isOffered } from "../access/allowed.js";
import { get, clusterPath } from "../base/api.js";
import { plainCause } from "../cycle/plain_reasons.js";
import { formatClock, formatDuration, podName } from "../base/format.js";
import { _, ngettext, fill, formatNumber } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { closeDialog } from "../base/screen.js";
import { podInView, store } from "../base/store.js";
import { laneWord, shortPlugin } from "../cycle/cycle_texts.js";
import { Dialog } from "../parts/dialog.js";
import { Grid } from "../parts/grid.js";
import { moveCause, lanesMomentText } from "./queues.js";
import { lanes } from "../cycle/lanes.js";

const PAGE = 200;

/** The pages of a queue at one moment: `entryAt(i)` is an entry, or null while its page loads. */
class Pages {
  #pages = new Map();
  #path;
  #arrived;

  constructor(path, arrived) {
    this.#path = path;
    this.#arrived = arrived;
  }

  entryAt(index) {
    const page = Math.floor(index / PAGE);
    if (!this.#pages.has(page)) this.#load(page);
    return this.#pages.get(page)?.[index % PAGE] ?? null;
  }

  async #load(page) {
    this.#pages.set(page, []);
    try {
      const answer = await get(`${this.#path}&offset=${page * PAGE}&limit=${PAGE}`);
      this.#pages.set(page, Object.values(answer.lanes)[0] ?? []);
      this.#arrived();
    } catch (error) {
      reportError(error);
    }
  }
}

function columnsOf(lane, now) {
  const timed = lane === "backoff" || lane === "errorBackoff";
  return [
    {
      id: "place",
      width: "56px",
      head: "#",
      label: _("position in the queue"),
      className: "num quiet",
      cell: ({ index }) => formatNumber(index + 1),
    },
    {
      id: "pod",
      width: "minmax(160px, 2fr)",
      head: _("Pod"),
      className: "mono cut",
      cell: ({ entry }) => (entry ? podName(entry.pod) : "…"),
    },
    {
      id: "priority",
      width: "80px",
      head: _("Priority"),
      className: "num",
      cell: ({ entry }) => entry && formatNumber(entry.priority),
    },
    {
      id: "attempts",
      width: "72px",
      head: _("Attempts"),
      className: "num",
      cell: ({ entry }) => entry && formatNumber(entry.attempts),
    },
    timed
      ? {
          id: "wait",
          width: "80px",
          head: _("Waits"),
          className: "num mono",
          cell: ({ entry }) => entry && formatDuration(entry.backoff_until - now),
        }
      : {
          id: "since",
          width: "96px",
          head: _("Since"),
          className: "num mono",
          cell: ({ entry }) => entry && formatClock(entry.since),
        },
    {
      id: "why",
      width: "minmax(110px, 1fr)",
      head: _("Rejected by"),
      className: "cut",
      cell: ({ entry }) => entry && (entry.gate || entry.plugins.map(shortPlugin).join(", ")),
    },
    {
      id: "moved",
      width: "minmax(150px, 2fr)",
      head: _("Moved here by"),
      className: "cut",
      cell: ({ entry }) =>
        entry?.moved && html`<span title=${moveCause(entry.moved)}>${plainCause(entry.moved)}</span>`,
    },
  ];
}

/** `group`: list only the pods of this pod group. */
export function QueueDialog({ lane, group = "" }) {
  const [, redraw] = useState(0);
  const { queue, asOf, within, t: now } = lanes.value;
  const count = (group ? queue?.groups?.[group]?.counts[lane] : queue?.counts[lane]) ?? 0;
  const { id, revision } = store.cluster.value;
  // The moment in the server's query; empty for now.
  const moment = within !== null ? `&cycle=${within}&within=true` : asOf !== null ? `&cycle=${asOf}` : "";
  const laneQuery = group ? `${lane}&group=${encodeURIComponent(group)}` : lane;
  const pages = useMemo(
    () => new Pages(`${clusterPath(id, "queue")}?lane=${laneQuery}${moment}`, () => redraw((n) => n + 1)),
    [id, laneQuery, moment || revision],
  );
  const columns = useMemo(() => columnsOf(lane, now), [lane, now]);
  const rowAt = (index) => {
    const entry = pages.entryAt(index);
    return { key: entry?.uid || index, index, entry, selected: Boolean(entry) && entry.pod === podInView.value };
  };
  const showPod = ({ entry }) => {
    if (!entry) return;
    closeDialog();
    pinPod(entry.pod);
    openSideTab("pod");
  };
  useEffect(() => {
    // Close the dialog when its queue becomes empty.
    if (!count) closeDialog();
  }, [count]);
  const foot = html`
    <span class="quiet grow">
      ${moment ? lanesMomentText(lanes.value) : fill(_("now, {time}"), { time: formatClock(now) })}
    </span>
    ${
      lane === "backoff" &&
      !moment &&
      isOffered("backoff") &&
      html`<button type="button" class="btn" onClick=${advanceToBackoff}>${_("Let the first backoff end")}</button>`
    }
    <button type="button" class="btn" onClick=${closeDialog}>${_("Close")}</button>
  `;
  const title = [laneWord(lane), group && podName(group), ngettext("{n} pod", "{n} pods", count)];
  return html`<${Dialog} title=${title.filter(Boolean).join(" · ")} wide foot=${foot}>
    <div class="lane-list">
      <${Grid} id="lane-grid" label=${laneWord(lane)} columns=${columns} count=${count} rowAt=${rowAt}
        onActivate=${showPod}
      />
    </div>
  <//>`;
}
