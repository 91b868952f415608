"""Time on the page: editing the past makes a branch; branches and undo."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Driver
from tests.browser.whole_page.test_accessible import violations
from tests.services import wait_for

pytestmark = pytest.mark.one_page


def past(driver: Driver) -> tuple[int, str]:
    """Three cycles have happened, the first is in view, and the node that it did not choose is pinned."""
    cluster = driver.prepare("three-zones", 3)
    driver.show(cluster, "&t=1")
    driver.cycle(1)
    expect(driver.page.locator(".as-of")).to_be_visible()
    driver.press("h")
    node = driver.page.locator(".node:not([data-verdict=chosen])").first
    node.click()
    return cluster, node.get_attribute("data-node") or ""


def cordoned(driver: Driver, cluster: int, node: str) -> bool:
    return bool(driver.get(f"clusters/{cluster}/nodes/{node}/")["manifest"].get("spec", {}).get("unschedulable"))


def revision(driver: Driver, cluster: int) -> int:
    return int(driver.get(f"clusters/{cluster}/")["revision"])


def test_editing_the_past_makes_a_branch(driver: Driver) -> None:
    cluster, node = past(driver)
    before = revision(driver, cluster)
    driver.press("c")
    question = driver.page.get_by_role("dialog", name="Editing the past creates a branch")
    expect(question).to_be_visible()
    assert violations(driver.page) == []
    question.get_by_role("button", name="Fork here").click()
    expect(driver.page.locator(".cluster-name")).to_have_text("test after cycle 1")
    expect(driver.page.locator(".transport .where")).to_contain_text("/ 1")
    branch = driver.current()
    assert branch != cluster
    wait_for(lambda: cordoned(driver, branch, node), "the node to be cordoned")
    assert not cordoned(driver, cluster, node)
    assert revision(driver, cluster) == before


@pytest.mark.parametrize(("choice", "changes"), [("Cancel", False), ("Change the newest state", True)])
def test_or_not(driver: Driver, choice: str, changes: bool) -> None:
    cluster, node = past(driver)
    driver.press("c")
    driver.page.get_by_role("button", name=choice).click()
    expect(driver.page.locator("dialog")).to_have_count(0)
    if changes:
        wait_for(lambda: cordoned(driver, cluster, node), "the node to be cordoned")
    assert cordoned(driver, cluster, node) is changes
    assert driver.current() == cluster


def test_branches_are_renamed_switched_compared_and_deleted(driver: Driver) -> None:
    cluster, _node = past(driver)
    driver.press("f")
    expect(driver.page.locator(".cluster-name")).to_have_text("test after cycle 1")
    driver.next_cycle(2)
    driver.press("g")
    rows = driver.page.locator(".branch")
    expect(rows).to_have_count(2)
    mine = rows.nth(1)
    mine.get_by_role("button", name="Rename").click()
    mine.get_by_label("New name").fill("what if")
    driver.press("Enter")
    expect(driver.page.locator(".cluster-name")).to_have_text("what if")
    rows.nth(0).get_by_role("button", name="Compare").click()
    expect(driver.page.locator(".difference")).to_contain_text("Identical up to cycle 2.")
    assert violations(driver.page) == []
    rows.nth(0).get_by_role("button", name="Switch").click()
    expect(driver.page.locator(".cluster-name")).to_have_text("test")
    assert driver.current() == cluster
    driver.press("g")
    rows.nth(1).get_by_role("button", name="Delete").click()
    driver.page.locator("dialog").get_by_role("button", name="Delete").click()
    expect(driver.page.locator("dialog")).to_have_count(0)
    driver.press("g")
    expect(rows).to_have_count(1)


def test_one_that_others_come_from_cannot_be_deleted(driver: Driver) -> None:
    past(driver)
    driver.press("f")
    expect(driver.page.locator(".cluster-name")).to_have_text("test after cycle 1")
    driver.press("g")
    driver.page.locator(".branch").nth(0).get_by_role("button", name="Delete").click()
    driver.page.locator("dialog").get_by_role("button", name="Delete").click()
    expect(driver.page.get_by_role("alert")).to_be_visible()


def test_undo_and_redo_in_the_transport(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    node = driver.page.locator(".node").first
    name = node.get_attribute("data-node") or ""
    node.click()
    driver.press("h", "c")
    side = driver.page.locator("#side-panel")
    expect(side).to_contain_text("cordoned: spec.unschedulable")
    undo = driver.page.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_have_attribute("title", f"Undo: cordon {name}  u")
    undo.click()
    expect(side).not_to_contain_text("cordoned: spec.unschedulable")
    assert not cordoned(driver, cluster, name)
    driver.page.get_by_role("button", name="Redo", exact=True).click()
    expect(side).to_contain_text("cordoned: spec.unschedulable")


# Pressed twice as soon as it is there: before the page has asked whether the server is done with what came before.
PRESS = """(what) => new MutationObserver((_changes, observer) => {
  const found = document.querySelector(what);
  if (!found) return;
  observer.disconnect();
  found.click();
  found.click();
}).observe(document.body, { childList: true, subtree: true })"""


def test_what_is_pressed_while_the_server_is_busy_is_done_once(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    node = driver.page.locator(".node").first
    name = node.get_attribute("data-node") or ""
    node.click()
    driver.press("h", "c")
    undo = driver.page.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_have_attribute("title", f"Undo: cordon {name}  u")
    driver.page.evaluate(PRESS, "[aria-label=Redo]")
    undo.click()
    expect(driver.page.locator(".notices")).to_contain_text(f"Redone: cordon {name}")
    expect(driver.page.get_by_role("button", name="Redo", exact=True)).to_have_count(0)
    expect(driver.page.locator("#side-panel")).to_contain_text("cordoned: spec.unschedulable")
    assert cordoned(driver, cluster, name)
    expect(driver.page.get_by_role("alert")).to_have_count(0)


def test_buttons_take_presses_while_the_page_waits(driver: Driver) -> None:
    """A button that is disabled as soon as a wait is shown loses the press of who is about to press it."""
    driver.open("three-zones")
    held: list[Route] = []
    runs: list[str] = []
    driver.page.route(re.compile(r"/commands/\d+/$"), lambda route: held.append(route))
    driver.page.on(
        "request", lambda asked: runs.append(asked.url) if '"kind":"run"' in (asked.post_data or "") else None
    )
    node = driver.page.locator(".node").first
    name = node.get_attribute("data-node") or ""
    node.click()
    driver.press("h", "c")
    waits = driver.page.locator(".app.busy")
    expect(waits).to_have_count(1)
    driver.page.get_by_role("button", name="Undo", exact=True).click()
    play = driver.page.locator("button.play")
    play.click()
    play.click()
    driver.page.unroute(re.compile(r"/commands/\d+/$"))
    expect(driver.page.locator(".notices")).to_contain_text(f"Undone: cordon {name}")
    expect(driver.lane("active").locator(".count")).to_have_text("0")
    assert len(runs) == 1


def test_a_pod_is_run_again_right_after_a_change(driver: Driver) -> None:
    driver.open("three-zones")
    driver.next_cycle(1)
    driver.page.locator(".node").first.click()
    driver.page.evaluate(PRESS, ".stale-note button")
    driver.press("h", "c")
    expect(driver.page.locator(".notices")).to_contain_text("A cycle places a Pod only once")
