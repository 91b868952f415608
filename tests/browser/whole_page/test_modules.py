"""The page's pure parts, as tables, run in the browser that they are for."""

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.shared_page import Stage

GIB = 2**30

FORMAT = [
    # call                                       want
    ("unitOf('cpu')", "CPU"),
    ("unitOf('ephemeral-storage')", "GiB"),
    ("unitOf('nvidia.com/gpu')", "gpu"),
    ("formatAmount('cpu', 2500)", "2.5"),
    ("formatAmount('cpu', 1)", "0.001"),
    (f"formatAmount('memory', {GIB * 3 // 2})", "1.5"),
    (f"formatAmount('memory', {GIB // 64})", "0.016"),
    ("formatUsage('cpu', 1300, 500, 4000)", "1.3 + 0.5 / 4 CPU"),
    ("formatUsage('cpu', 37250, 1125, 64000, true)", "37.3 + 1.1 / 64 CPU"),
    ("formatUsage('cpu', 125, 50, 64000, true)", "0.13 + 0.05 / 64 CPU"),
    (f"formatUsage('memory', {GIB}, 0, {16 * GIB})", "1 / 16 GiB"),
    ("formatClock(0)", "00:00.000"),
    ("formatClock(41.2)", "00:41.200"),
    ("formatClock(3661)", "1:01:01.000"),
    ("formatDuration(7.61)", "7.6 s"),
    ("formatDuration(95)", "1 min 35 s"),
    ("formatDuration(-1)", "0 s"),
    ("podName('default/web-7')", "web-7"),
    ("podName('kube-system/dns')", "kube-system/dns"),
    ("shortenReason('node(s) had untolerated taint {a: b}')", "untolerated taint {a: b}"),
    ("shortenReason('Insufficient cpu')", "Insufficient cpu"),
    ('shortenReason("node(s) didn\'t match pod topology spread constraints")', "pod topology spread constraints"),
]

YAML: list[tuple[Any, str]] = [
    # value                                      want
    ({"a": 1, "b": "x"}, "a: 1\nb: x\n"),
    ({"a": {"b": [1, {"c": True}]}}, "a:\n  b:\n    - 1\n    - c: true\n"),
    ({"version": "1.0", "no": "off"}, '"no": "off"\nversion: "1.0"\n'),
    ({"empty": {}, "none": [], "null": None}, 'empty: {}\nnone: []\n"null": null\n'),
    ({"text": "a: b # c", "colon": "10:30"}, 'colon: "10:30"\ntext: "a: b # c"\n'),
    ([], "[]\n"),
]

LAYOUT = [
    # sizes           width  height  fits
    ([1523], 780, 250, True),
    ([508, 508, 507], 780, 250, True),
    ([310, 2, 549, 39, 134, 404, 55, 30], 780, 270, True),
    ([5000], 780, 250, True),
    ([9000], 780, 250, False),
    ([1] * 40, 780, 250, True),
    ([1], 120, 60, True),
]


@pytest.fixture(scope="module")
def call(stage: Stage) -> Iterator[Any]:
    """Asks a module in a page that was loaded once: what is asked changes nothing in it."""
    with stage.turn() as driver:
        driver.page.goto(driver.url)
        yield lambda module, expression: driver.page.evaluate(
            f"async () => {{ const m = await import('/static/js/{module}'); return m.{expression}; }}"
        )


def test_format(call: Any) -> None:
    got = [(expression, call("base/format.js", expression)) for expression, _want in FORMAT]
    assert got == FORMAT


def test_yaml_is_read_back_as_it_was(call: Any) -> None:
    import json

    import yaml

    for value, want in YAML:
        text = call("base/yaml.js", f"toYaml({json.dumps(value, sort_keys=True)})")
        assert text == want
        assert yaml.safe_load(text) == value


def test_cells_never_overlap_and_stay_inside(call: Any) -> None:
    for sizes, width, height, fits in LAYOUT:
        plan = call("cluster/cell_layout.js", f"layOutCells({sizes}, {width}, {height})")
        assert (plan["height"] <= height) is fits, sizes
        taken: set[tuple[int, int]] = set()
        for size, block in zip(sizes, plan["blocks"], strict=True):
            assert block["x"] + block["perRow"] * plan["cell"] <= width
            for k in range(size):
                cell = (
                    block["x"] + k % block["perRow"] * plan["cell"],
                    block["y"] + k // block["perRow"] * plan["cell"],
                )
                assert cell not in taken
                taken.add(cell)
        assert max(y for _x, y in taken) + plan["cell"] <= plan["height"]


def test_what_did_not_run_is_not_a_pass(call: Any) -> None:
    """Two nodes, two filters: before the second ran its rejection is unknown, and no node passes before all ran."""
    steps = [
        {"point": "QueueSort", "plugin": "PrioritySort", "code": "Success"},
        {"point": "Filter", "plugin": "A", "code": "Success", "in": 2, "out": 2},
        {"point": "Filter", "plugin": "B", "code": "Success", "in": 2, "out": 1},
        {"point": "SelectHost", "code": "Success", "data": {"node": "n1"}},
    ]
    record = {"cycle": {"number": 1, "node": "n1", "outcome": "scheduled", "steps": steps}}
    matrix = {
        "names": ["n1", "n2"],
        "status": [0, 1],
        "statuses": [
            {"plugin": "", "code": "Success", "reasons": []},
            {"plugin": "B", "code": "Unschedulable", "reasons": ["no"]},
        ],
        "filterPlugins": ["A", "B"],
        "feasible": [],
        "scorePlugins": [],
        "weights": [],
        "raw": [],
        "normalized": [],
        "totals": [],
    }
    import json

    states = []
    for step in range(5):
        arguments = f"{json.dumps(record)}, {json.dumps(matrix)}, {step}"
        states.append(
            [
                call("cycle/frame.js", f"verdictOf(m.frameAt({arguments}), '{name}').state")
                for name in ("n1", "n2", "n3")
            ]
        )
    assert states == [
        ["idle", "idle", "idle"],
        ["idle", "idle", "idle"],
        ["candidate", "candidate", "unseen"],
        ["pass", "rejected", "unseen"],
        ["chosen", "rejected", "unseen"],
    ]


LOADED = """() => performance.getEntriesByType('resource').filter((entry) => /\\.js$|jsi18n/.test(entry.name))
  .map((entry) => [new URL(entry.name).pathname.replace(/~[0-9a-f]+./, ''), entry.encodedBodySize])"""


PRELOADED = """() => [...document.querySelectorAll('link[rel=modulepreload]')]
  .map(({href}) => new URL(href).pathname.replace(/~[0-9a-f]+./, ''))"""


def test_the_first_look_loads_little_script(driver: Driver) -> None:
    """At most 140 kB, messages included, come over the wire before anything is opened; the rest when it is.

    That holds for who comes for the first time, too, and sees a decision being made. Why a node was refused is told by
    a module that comes with the first cycle.
    """
    driver.page.add_init_script("localStorage.setItem('playground.controls', 'false')")
    # What the browser has already would count as nothing.
    driver.page.context.new_cdp_session(driver.page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    driver.page.goto(driver.url)
    expect(driver.page.locator(".opening-head")).to_contain_text("goes to")
    assert 100_000 < _loaded_bytes(driver) <= 140_000
    driver.press("x")
    driver.open("three-zones")
    assert _loaded_bytes(driver) <= 140_000
    driver.next_cycle(1)
    driver.page.wait_for_function(f"() => ({LOADED})().some(([path]) => path === '/static/js/explain/why_not.js')")
    loaded = driver.page.evaluate(LOADED)
    first = dict(loaded)
    assert len(first) == len(loaded), "something was loaded twice"
    assert set(driver.page.evaluate(PRELOADED)) < first.keys()
    assert first["/jsi18n/"] > 0
    driver.press("Control+k")
    expect(driver.page.locator(".palette input")).to_be_focused()
    # Where to type is there before the rest of the palette has come.
    driver.page.wait_for_function(f"() => ({LOADED})().some(([path]) => path === '/static/js/palette/palette.js')")


def _loaded_bytes(driver: Driver) -> int:
    """As they come over the wire; the words without the up to 100 random bytes that Django adds to what it packs."""
    files = sum(size for path, size in driver.page.evaluate(LOADED) if path != "/jsi18n/")
    words = driver.page.request.get(f"{driver.url}/jsi18n/").body()
    return files + len(gzip.compress(words, mtime=0))


SCRUB = """async () => {
  const { signal } = await import('/static/vendor/preact.js');
  // A module of its own: the page, which is opening meanwhile, has its own state of a scrub.
  const { frameScheduler, scrubbing } = await import('/static/js/base/frame_scheduler.js?alone');
  let now = 1000;
  performance.now = () => now;
  // A slow machine must not rest between two frames.
  let rest = null;
  const { setTimeout: later } = window;
  window.setTimeout = (run, ms) => (ms === 200 ? void (rest = run) : later(run, ms));
  const source = signal(0);
  const followers = frameScheduler(source, 3, 1);
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const seen = [];
  const note = (moment) => seen.push([moment, scrubbing.peek(), ...followers.map((one) => one.peek())]);
  const change = (value, moment) => { source.value = value; note(moment); };
  now += 150;
  change(1, 'first change');
  await frame();
  note('its frame');
  await frame();
  note('second frame');
  change(2, 'scrub');
  for (const moment of ['turn 3', 'turn 1', 'turn 2']) { await frame(); note(moment); }
  change(3, 'scrub goes on');
  rest();
  note('rest');
  change(null, 'closed');
  window.setTimeout = later;
  delete performance.now;
  return seen;
}"""

SCHEDULED = [
    # moment           scrubbing, then what each of three views shows; the first one draws immediately
    ("first change", False, 1, 0, 0),
    ("its frame", False, 1, 0, 0),
    ("second frame", False, 1, 1, 0),
    ("scrub", True, 1, 1, 0),
    ("turn 3", True, 1, 1, 2),
    ("turn 1", True, 2, 1, 2),
    ("turn 2", True, 2, 2, 2),
    ("scrub goes on", True, 2, 2, 2),
    ("rest", False, 3, 3, 3),
    ("closed", False, None, None, None),
]


def test_the_frame_scheduler_spreads_views_over_frames(driver: Driver) -> None:
    """A change draws the first view immediately. During a scrub the views take turns. Closing changes all together."""
    driver.page.goto(driver.url)
    assert [tuple(row) for row in driver.page.evaluate(SCRUB)] == SCHEDULED
