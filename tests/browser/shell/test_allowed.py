"""Who looks on, in a class or at a shared moment, is offered what they can do; the rest says why not."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Driver
from tests.browser.driver import SETTLE, outlast
from tests.browser.lessons.classes import join, open_class
from tests.browser.lessons.test_shares import share
from tests.browser.whole_page.test_accessible import violations

TABLE = """async () => {
  const [{actions}, {isOffered, refusal}] = await Promise.all(
    ['palette/action_table.js', 'access/allowed.js'].map((name) => import(`/static/js/${name}`)));
  return actions().map(({id, blocked}) => ({id, offered: isOffered(id), refused: refusal(id), blocked: blocked()}));
}"""
# Buttons by what they are called, wherever they stand.
CHANGING = ["New", "Import", "Compare", "Share", "Export", "Change", "Undo", "Branches", "Reset to the start"]
# What looking is, for both; each role has more.
LOOKING = {
    "play",
    "step-forward",
    "step-back",
    "cycle-back",
    "why",
    "profile",
    "queues",
    "zoom",
    "theme",
    "palette",
    "keys",
}
FOLLOWERS = {"new-cluster", "lessons", "past", "class-fork", "class-leave", "class-back", "log-out"}
NEVER = {
    "new",
    "import",
    "compare",
    "apply-profile",
    "cordon",
    "delete-node",
    "edit-pod",
    "undo",
    "fork",
    "branches",
} | {
    *(
        "breakpoints",
        "backoff",
        "reset",
        "share",
        "export-cluster",
        "export-profile",
        "storyboard",
        "class-open",
        "tour",
    ),
}


def offered(page: Page) -> set[str]:
    return {row["id"] for row in page.evaluate(TABLE) if row["offered"]}


def close(page: Page) -> None:
    """Out of the dialog: until it is gone, it has the keys."""
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def nothing_to_change(page: Page) -> None:
    for name in CHANGING:
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    page.keyboard.press("e")
    expect(page.locator(".effective")).to_contain_text("NodeResourcesFit")
    expect(page.locator(".profile").get_by_role("button")).to_have_count(0)
    page.keyboard.press("w")


def ends_here(page: Page, why: str) -> None:
    """At the newest cycle Play, Step and Cycle say why they lead nowhere; one cycle back they lead there."""
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_disabled()
    for name in ("Play", "Step", "Cycle"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_attribute("title", f"{STEPS[name]}: {why}")
    page.keyboard.press("[")
    for name in ("Play", "Step", "Cycle"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_enabled()


STEPS = {"Play": "Play", "Step": "One step forward", "Cycle": "One cycle forward"}


@pytest.fixture
def follower(driver: Driver, second_page: Callable[..., Page]) -> Page:
    """Somebody who follows the class that the driver's page teaches, two cycles in."""
    driver.open()
    driver.next_cycle(1)
    driver.next_cycle(2)
    code = open_class(driver)
    page = second_page()
    join(page, driver.url, code, "Ada")
    expect(page.locator("[data-class=standing]")).to_contain_text("You follow the teacher")
    expect(page.locator("#cycle-title")).to_have_text("Cycle 2")
    return page


def test_a_follower_sees_what_a_follower_can_do(driver: Driver, follower: Page) -> None:
    page = follower
    nothing_to_change(page)
    can = offered(page)
    assert can >= LOOKING | FOLLOWERS
    assert not can & NEVER
    # The palette begins without what is not theirs, finds it by its words, and says why.
    page.keyboard.press("ControlOrMeta+k")
    expect(page.locator(".palette [data-action=why]")).to_have_count(1)
    expect(page.locator(".palette [data-action=cordon]")).to_have_count(0)
    page.keyboard.type("cordon the node")
    expect(page.locator(".palette [data-action=cordon]")).to_contain_text("this is the teacher's cluster")
    close(page)
    # A key says it as well, and the help has none that do nothing.
    page.keyboard.press("n")
    expect(page.locator(".notice")).to_contain_text("This is the teacher's cluster")
    page.keyboard.press("?")
    expect(page.locator("dialog [data-action=why]")).to_have_count(1)
    expect(page.locator("dialog [data-action=undo]")).to_have_count(0)
    close(page)
    # A node's panel has nothing to do to it; an object is shown as it is written.
    page.locator(".node").first.click()
    page.keyboard.press("h")
    expect(page.locator("#side-panel")).to_contain_text("Manifest")
    expect(page.locator(".upkeep")).to_have_count(0)
    assert violations(page) == []
    page.get_by_role("button", name="Back to the teacher").click()
    ends_here(page, "only the teacher can continue here")


def test_a_run_of_the_teacher_is_not_the_followers_to_pause(driver: Driver, follower: Page) -> None:
    driver.page.get_by_label("Playback speed").select_option("1")
    driver.page.get_by_role("button", name="Play", exact=True).click()
    expect(driver.page.get_by_role("button", name="Pause")).to_be_visible()
    expect(follower.locator("#cycle-title")).to_have_text("Cycle 4")
    expect(follower.get_by_role("button", name="Pause")).to_have_count(0)
    driver.page.get_by_role("button", name="Pause").click()


def test_a_locked_class_holds_what_moves(driver: Driver, follower: Page) -> None:
    page = follower
    fork = page.get_by_role("button", name="Fork here")
    expect(fork).to_be_enabled()
    driver.page.get_by_role("button", name="Lock", exact=True).click()
    expect(page.get_by_role("button", name="One cycle back")).to_be_disabled()
    expect(page.get_by_role("tab", name="Scores")).to_be_disabled()
    expect(page.get_by_role("tab", name="Why not")).to_be_enabled()
    expect(fork).to_be_disabled()
    expect(fork).to_have_attribute("title", "the class is locked")
    # Nothing that leads elsewhere in time looks as if it could be clicked, and the timeline does not move.
    for one in page.locator(".pipeline .point, .pipeline .chip").all():
        expect(one).to_be_disabled()
    expect(page.locator(".timeline")).to_have_attribute("aria-disabled", "true")
    expect(page).to_have_url(re.compile("t=2"))
    moment = page.url
    page.locator(".timeline").click(position={"x": 3, "y": 20}, force=True)
    outlast(page, SETTLE)
    expect(page.locator("#cycle-title")).to_have_text("Cycle 2")
    assert page.url == moment
    assert violations(page) == []
    # Whoever has the pointer moves it, locked or not.
    driver.page.locator("[data-follower=Ada] .menu button").first.click()
    driver.page.get_by_role("button", name="Hand over the pointer").click()
    expect(page.get_by_role("button", name="One cycle back")).to_be_enabled()
    expect(page.get_by_role("tab", name="Scores")).to_be_enabled()
    expect(page.locator(".pipeline .point[aria-current]")).to_be_enabled()
    driver.page.get_by_role("button", name="Take the pointer back").click()
    driver.page.get_by_role("button", name="Unlock").click()
    expect(fork).to_be_enabled()


def test_ones_own_fork_has_everything_again(follower: Page) -> None:
    follower.get_by_role("button", name="Fork here").click()
    expect(follower.locator(".cluster-name")).to_contain_text("after cycle 2")
    for name in ("New object", "Import", "Compare", "Share"):
        expect(follower.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(follower.locator("#cycle-title")).to_have_text("Cycle 2")
    follower.keyboard.press("]")
    expect(follower.locator("#cycle-title")).to_have_text("Cycle 3")
    follower.get_by_role("button", name="Back to the teacher").click()
    expect(follower.get_by_role("button", name="New object", exact=True)).to_have_count(0)


def test_a_guest_of_a_shared_moment(driver: Driver, second_page: Callable[..., Page]) -> None:
    cluster = driver.open("three-zones")
    for number in (1, 2):
        driver.next_cycle(number)
    page = second_page()
    page.goto(driver.url + share(driver, cluster, cycle=2))
    expect(page.locator("#cycle-title")).to_have_text("Cycle 2")
    nothing_to_change(page)
    can = offered(page)
    assert can >= LOOKING
    assert not can & (NEVER | FOLLOWERS | {"decode"})
    page.keyboard.press("v")
    expect(page.locator("#side-panel .events")).to_contain_text("Scheduled")
    expect(page.get_by_role("button", name="What does a message mean?")).to_have_count(0)
    ends_here(page, "the shared snapshot ends here")
    # An object that has no panel of its own is shown as it is written.
    page.keyboard.press("ControlOrMeta+k")
    page.keyboard.type("customer-facing")
    page.locator(".palette [role=option]", has_text="PriorityClass").click()
    dialog = page.get_by_role("dialog", name="PriorityClass customer-facing")
    expect(dialog.locator("pre")).to_contain_text("value: 100000")
    expect(dialog.get_by_role("button", name="Apply")).to_have_count(0)
    assert violations(page) == []


def test_in_ones_own_cluster_nothing_is_held_back(driver: Driver) -> None:
    driver.open("three-zones")
    rows = driver.page.evaluate(TABLE)
    assert all(row["offered"] and not row["refused"] for row in rows)


def test_what_is_told_before_there_is_a_connection_arrives(driver: Driver, second_page: Callable[..., Page]) -> None:
    lost: list[WebSocketRoute] = []

    def first_is_lost(route: WebSocketRoute) -> None:
        if lost:
            route.connect_to_server()
        else:
            lost.append(route)
            route.close(code=1011)

    driver.page.route_web_socket(re.compile("/ws/classes/"), first_is_lost)
    driver.open()
    driver.next_cycle(1)
    driver.press("s")
    code = open_class(driver)
    page = second_page()
    join(page, driver.url, code, "Ada")
    expect(page.get_by_role("tab", name="Scores")).to_have_attribute("aria-selected", "true")
