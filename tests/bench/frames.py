"""What the frames of a scrub cost: the CPU time of the page's main thread, by a trace of Chromium.

A view's turn, its effects and the canvases are drawn in other tasks than the one that moves the cursor: all that runs
from one frame's beginning to the next one's counts. CPU time, as other processes share the machine.
"""

import json
from bisect import bisect_right
from itertools import pairwise
from typing import Any

from playwright.sync_api import Page

CATEGORIES = ["toplevel", "blink.user_timing"]
MARK = "scrub"
TASK = "ThreadControllerImpl::RunTask"
TURNS = 3

# The records and matrices of cycles are in memory before they are scrubbed over.
LOAD = """async ([from, to]) => {
  const { showMoment } = await import('/static/js/cycle/moment.js');
  const { store } = await import('/static/js/base/store.js');
  store.following.value = false;
  for (let cycle = from; cycle <= to; cycle += 1) {
    showMoment(cycle, Infinity);
    while (store.shown.value?.record.cycle.number !== cycle) await new Promise((done) => setTimeout(done, 10));
  }
  await new Promise((done) => setTimeout(done, 1500));
}"""

# The next frame is asked for before the cursor moves, so that its mark is the first that this frame does.
SCRUB = """([cycles, mark]) => import('/static/js/cycle/moment.js').then(({ showMoment }) => new Promise((done) => {
  const next = () => {
    performance.mark(mark);
    if (!cycles.length) return done();
    requestAnimationFrame(next);
    showMoment(cycles.shift(), Infinity);
  };
  requestAnimationFrame(next);
}))"""


def scrub(page: Page, first: int, last: int) -> list[float]:
    """Return the milliseconds of each frame while the cursor moves over these cycles three times."""
    page.evaluate(LOAD, [first, last])
    browser = page.context.browser
    assert browser
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.evaluate(SCRUB, [[*range(first, last + 1)] * TURNS, MARK])
    return frames(json.loads(browser.stop_tracing())["traceEvents"])


def frames(events: list[dict[str, Any]]) -> list[float]:
    """Return the CPU milliseconds from each mark's task to the next mark's."""
    marks = sorted((one for one in events if one["name"] == MARK), key=lambda one: one["ts"])
    thread = (marks[0]["pid"], marks[0]["tid"])
    own = [one for one in events if one["name"] == TASK and (one["pid"], one["tid"]) == thread]
    # Those of a microsecond have no CPU time, nor has the one within which the recording began or ended.
    tasks = sorted((one["ts"], one.get("tdur", 0)) for one in own)
    begins = [begin for begin, _ in tasks]
    at = [bisect_right(begins, mark["ts"]) - 1 for mark in marks]
    return [sum(cpu for _, cpu in tasks[start:end]) / 1000 for start, end in pairwise(at)]
