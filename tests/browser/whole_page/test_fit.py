"""What is on the screen can be read: nothing cut off, nothing over something else, with names as long as they get."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.bench.page import manifests
from tests.browser.conftest import Driver
from tests.browser.driver import settle

pytestmark = pytest.mark.one_page

FIT = (Path(__file__).parents[1] / "fit.js").read_text()
SIZES = [(1440, 900), (1024, 768), (320, 700)]
VIEWS = ["why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile"]
SHOW = """async (view) => {
  const { store } = await import('/static/js/base/store.js');
  const { pinNode } = await import('/static/js/cycle/selection.js');
  if (view === 'node') pinNode(store.nodes.value.names[0]);
  store.side.value = view;
}"""
# What of the header is drawn over its neighbour, over the edge, or wider than it is.
STICKS_OUT = """() => [...document.querySelectorAll('.top > *')].filter((one) => one.offsetWidth)
.filter((one, i, all) => {
  const end = all[i + 1]?.getBoundingClientRect().left ?? innerWidth - 8;
  return one.getBoundingClientRect().right > end + 0.5 || one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.outerHTML.slice(0, 160))"""
# The notice that leads to a Pod with a long name.
TELL = """async (name) => {
  const { notify } = await import('/static/js/base/notices.js');
  notify('The run is over. 3 Pods are pending.', { action: { label: `Why does ${name} wait?`, run() {} } });
}"""
NAMESPACE = "n" * 56 + "-team-a"
ACCELERATOR = "example.com/accelerator-with-a-name-that-goes-on-and-on"


def node(i: int) -> dict[str, Any]:
    labels = {"topology.kubernetes.io/zone": f"zone-{'z' * 57}{'abc'[i % 3]}"}
    taint = {"key": "example.com/" + "k" * 63, "value": "v" * 63, "effect": "NoSchedule"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"ip-10-0-0-{'node-name-' * 4}{'x' * 7}{i:02}", "labels": labels},
        "spec": {"taints": [taint]} if i == 3 else {},
        "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110", ACCELERATOR: "4"}},
    }


def pod(i: int) -> dict[str, Any]:
    requests = {"cpu": "12345" if i == 5 else "1200m", "memory": "3Gi"}
    resources = {"requests": requests} | ({"limits": {ACCELERATOR: "1"}} if i % 3 == 0 else {})
    spread = {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "a" * 63}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{'p' * 49}-deployment-{i:02}", "namespace": NAMESPACE, "labels": {"app": "a" * 63}},
        "spec": {
            "containers": [{"name": "app", "resources": resources}],
            "topologySpreadConstraints": [spread],
            # The first is tried first; the last ones still wait when the page is looked at.
            "priority": 1_000_000_000 if i == 7 else -1_000_000_000 if i > 8 else 0,
        },
    }


# name, objects, cycles, sizes, views
CLUSTERS: list[tuple[str, list[dict[str, Any]], int, list[tuple[int, int]], list[str]]] = [
    ("long names", [*map(node, range(12)), *map(pod, range(12))], 7, SIZES, VIEWS),
    ("large numbers", manifests(150, 220), 2, SIZES[:2], ["scores", "time"]),
]


def test_the_header_fits(driver: Driver) -> None:
    """Every button of it is whole, at the width where it changes and at those of common screens; the name gives way."""
    page = driver.page
    driver.show(driver.create("nearly-full", name="A cluster whose name is longer than a header has room for"))
    for width in (1440, 1366, 1280, 1260, 1259, 1200, 1024, 900, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        settle(page)
        name = page.locator(".cluster-name").bounding_box()
        assert name and name["width"] > 36, width
        assert page.evaluate(STICKS_OUT) == [], width


def test_what_teaches_is_in_the_header(driver: Driver) -> None:
    """Lessons, the gallery and classes: a button each, one for all of them, or lines of the menu of a phone."""
    page = driver.page
    driver.show(driver.create("three-zones"))
    for width, opener in (
        (1440, None),
        (1366, ".learning > button"),
        (1024, ".learning > button"),
        (390, ".top .menu:last-child > button"),
    ):
        page.set_viewport_size({"width": width, "height": 800})
        for label, title in (("Lessons", "Lessons"), ("Gallery", "Examples gallery")):
            if opener:
                page.locator(opener).click()
            page.locator(".top").get_by_role("button", name=label, exact=True).click()
            expect(page.get_by_role("dialog", name=title)).to_be_visible()
            driver.press("Escape")
        page.locator(opener or ".learning > button").click()
        expect(page.get_by_role("button", name="Open a class with this cluster")).to_be_enabled()
        expect(page.get_by_role("button", name="Join a class")).to_be_enabled()
        driver.press("Escape")
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.get_by_role("button", name="New object", exact=True)).to_be_visible()


def test_menus_of_the_right_panel_are_not_cut_off_by_it(driver: Driver) -> None:
    page = driver.page
    driver.show(driver.create("three-zones"))
    page.set_viewport_size({"width": 1024, "height": 768})
    for view in ("node", "pod"):
        page.evaluate(SHOW, view)
        page.locator(".queues .pod-row").first.click() if view == "pod" else None
        page.get_by_role("button", name="Change", exact=True).click()
        menu, side = page.locator(".menu-panel").bounding_box(), page.locator(".side-body").bounding_box()
        assert menu and side and menu["x"] >= side["x"], view
        driver.press("Escape")


def test_the_timeline_is_wide(driver: Driver) -> None:
    driver.show(driver.create("three-zones"))
    for width, least in ((1440, 500), (1320, 1200), (1024, 960), (900, 850), (390, 360)):
        driver.page.set_viewport_size({"width": width, "height": 800})
        box = driver.page.locator(".timeline").bounding_box()
        assert box and box["width"] >= least, width


@pytest.mark.parametrize("case", CLUSTERS, ids=[case[0] for case in CLUSTERS])
def test_everything_can_be_read(driver: Driver, case: Any) -> None:
    _name, objects, cycles, sizes, views = case
    page = driver.page
    cluster = driver.create(None, name="A cluster whose name is longer than a header has room for")
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": {"cycles": cycles}})
    driver.show(cluster)
    expect(page.locator(".where")).to_contain_text(f"cycle {cycles} / {cycles}")
    found = []
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        narrow = width < 900
        for panel in ["Cluster", "Matrix", "Queues", "Details"] if narrow else [None]:
            if panel:
                page.get_by_role("tab", name=panel, exact=True).click()
            for view in views if panel in (None, "Details") else [panel]:
                if view in views:
                    page.evaluate(SHOW, view)
                    expect(page.locator("#side-panel")).not_to_contain_text("Loading")
                    expect(page.locator("#side-panel .working")).to_have_count(0)
                settle(page)
                found += [f"{width} px, {view}: {fault}" for fault in page.evaluate(FIT)]
    assert found == []


def test_a_notice_keeps_its_text_beside_a_long_name(driver: Driver) -> None:
    page = driver.page
    driver.show(driver.create("three-zones"))
    page.evaluate(TELL, f"{NAMESPACE}/{'p' * 49}-deployment-01")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        notice, text = page.locator(".notice").bounding_box(), page.locator(".notice p").bounding_box()
        button = page.locator(".notice-text .btn").bounding_box()
        assert notice and text and button
        assert text["height"] < 60 and text["width"] > 100, width
        assert button["x"] + button["width"] <= notice["x"] + notice["width"] <= width, width


def test_the_complete_matrix_can_be_read(driver: Driver) -> None:
    """What its signs mean takes more words than as it ran: at no width a column of them, one word a line."""
    page = driver.page
    driver.show(driver.prepare("three-zones", 4), "&view=why")
    page.get_by_role("button", name="complete", exact=True).click()
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        if width < 900:
            page.get_by_role("tab", name="Matrix", exact=True).click()
        expect(page.locator("[data-complete] [data-ran=false]").first).to_be_visible()
        settle(page)
        found += [f"{width} px: {fault}" for fault in page.evaluate(FIT)]
        foot = page.locator(".matrix-foot").bounding_box()
        assert foot and foot["height"] < 120, width
    assert found == []
