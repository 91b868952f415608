"""Keys belong to the page wherever nobody types: whatever has the focus, and however it came to have it."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Driver
from tests.browser.objects.test_import import KUBECTL, write

pytestmark = pytest.mark.one_page


def slow(driver: Driver) -> None:
    driver.page.get_by_label("Playback speed").select_option("1")


def plays(page: Page) -> None:
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def pauses(page: Page) -> None:
    expect(page.get_by_role("button", name="Play")).to_be_visible()


FOCUSED = [
    # what, where it is
    ("a button", "button.btn:has-text('Import')"),
    ("a tab", "#tab-why"),
    ("a node", ".node >> nth=0"),
    ("a grid", "#matrix"),
    ("the timeline", ".timeline"),
]


@pytest.mark.parametrize(("what", "where"), FOCUSED, ids=[what for what, _ in FOCUSED])
def test_space_plays_whatever_has_the_focus(driver: Driver, what: str, where: str) -> None:
    driver.open("three-zones")
    slow(driver)
    driver.next_cycle(1)
    for key in ("Space", "k"):
        driver.page.locator(where).focus()
        driver.press(key)
        plays(driver.page)
        driver.page.locator(where).focus()
        driver.press(key)
        pauses(driver.page)
    expect(driver.page.locator("dialog")).to_have_count(0)


def test_enter_activates(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.locator(".node").first.focus()
    driver.press("Enter")
    expect(driver.page.locator(".node").first).to_have_attribute("aria-pressed", "true")
    expect(driver.page.get_by_role("tab", name="Node", exact=True)).to_have_attribute("aria-selected", "true")
    driver.page.locator("button.btn", has_text="Import").first.focus()
    driver.press("Enter")
    expect(driver.page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("close", ["Escape", "Cancel"])
@pytest.mark.parametrize("opened", ["i", "the button"])
def test_the_keys_go_on_after_import_is_closed(driver: Driver, opened: str, close: str) -> None:
    driver.open("three-zones")
    slow(driver)
    if opened == "i":
        driver.press("i")
    else:
        driver.page.get_by_role("button", name="Import", exact=True).click()
    # Not by its role: it has none as soon as it is closed, and is gone a moment later.
    dialog = driver.page.locator("dialog")
    expect(dialog.locator(".cm-content")).to_be_focused()
    if close == "Escape":
        driver.press("Escape")
    else:
        dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    driver.next_cycle(1)
    driver.press("Space")
    plays(driver.page)
    driver.press("Space")
    pauses(driver.page)


def test_the_ends_are_the_pages_after_a_click_and_the_lists_by_keyboard(driver: Driver) -> None:
    driver.show(driver.prepare("three-zones", 3))
    driver.cycle(3)
    first, last = driver.page.locator(".node").first, driver.page.locator(".node").last
    first.click()
    driver.press("Home")
    driver.cycle(1)
    driver.press("ArrowRight", "End")
    expect(last).to_be_focused()
    driver.cycle(1)


def test_a_key_with_nothing_to_do_says_so(driver: Driver) -> None:
    driver.open("three-zones")
    for key, said in (
        ("c", "cordon the node: pin a node first."),
        ("a", "no pod is in backoff"),
        ("u", "nothing to undo"),
        ("{", "choose a pod first"),
        (",", "no cycle yet"),
    ):
        driver.press(key)
        expect(driver.page.locator(".notice").last).to_contain_text(said)
    driver.next_cycle(1)
    driver.press("Home", "[")
    expect(driver.page.locator(".notice").last).to_contain_text("This is the beginning.")


def test_why_follows_the_selected_pod_and_leads_from_a_placed_one_to_one_that_waits(driver: Driver) -> None:
    driver.show(driver.prepare("three-zones", 14))
    driver.cycle(14)
    title = driver.page.locator("#side-panel h3").first
    lane = driver.lane("unschedulable").locator(".pod-row")
    waiting = [lane.nth(at).get_attribute("title") or "" for at in (0, 1)]
    expect(driver.page.locator(f"[data-waiting='{waiting[0]}']")).to_contain_text("4 pods wait")
    driver.press("w")
    expect(title).to_have_text(f"0 of 12 nodes can take {waiting[0]}")
    # The lanes are those of the cycle in view: the second one waits only later.
    driver.press("Escape", "End")
    driver.cycle(14)
    lane.nth(1).click()
    driver.press("w")
    expect(title).to_have_text(f"0 of 12 nodes can take {waiting[1]}")
    driver.press("Escape", "End", "w")
    expect(title).to_have_text(f"0 of 12 nodes can take {waiting[0]}")


def test_who_was_led_to_a_pod_that_waits_goes_on_from_now(driver: Driver) -> None:
    driver.show(driver.prepare("three-zones", 10))
    driver.cycle(10)
    driver.press("w")
    driver.cycle(6)
    driver.press("]")
    driver.cycle(11)
    driver.press("w")
    driver.cycle(6)
    driver.node("worker-b1").click()
    driver.press("C")
    # Nobody asks whether the past was meant.
    expect(driver.page.locator("#side-panel")).to_contain_text("before your change: uncordon worker-b1")
    expect(driver.page.locator("dialog")).to_have_count(0)


def test_a_click_on_a_node_opens_its_tab_with_its_reasons(driver: Driver) -> None:
    driver.open("three-zones")
    driver.next_cycle(1)
    rejected = driver.page.locator(".node[data-verdict=rejected]").first
    rejected.click()
    expect(driver.page.get_by_role("tab", name="Node", exact=True)).to_have_attribute("aria-selected", "true")
    name = rejected.get_attribute("data-node")
    expect(driver.page.locator(f"[data-node-reasons={name}] .fact.is-rejected")).to_be_visible()
    # Where scores are compared, the next node's are shown instead.
    driver.press("s")
    driver.page.locator(".node[data-verdict=pass]").first.click()
    expect(driver.page.get_by_role("tab", name="Scores")).to_have_attribute("aria-selected", "true")


def test_an_import_under_way_says_what_is_coming(driver: Driver) -> None:
    driver.open(None)
    driver.press("i")
    write(driver, KUBECTL.format(node="node-x", cpu="500m"))
    dialog = driver.page.get_by_role("dialog")
    expect(dialog.locator("[data-check=ok]")).to_be_visible()
    held: list[Route] = []
    driver.page.route(re.compile("/import/$"), lambda route: held.append(route))
    dialog.get_by_role("button", name="Import", exact=True).click()
    coming = driver.page.locator("[data-coming]")
    expect(coming).to_contain_text("Importing: 1 node, 1 pod")
    expect(driver.page.get_by_text("This cluster has no nodes yet.")).to_have_count(0)
    held[0].continue_()
    expect(driver.node("node-x")).to_be_visible()
    expect(coming).to_have_count(0)


def test_enter_confirms_what_is_primary(driver: Driver) -> None:
    driver.open("three-zones")
    driver.node("worker-a1").click()
    driver.open_palette()
    driver.page.keyboard.type("delete the node")
    driver.press("Enter")
    expect(driver.page.locator("dialog h2")).to_contain_text("Delete Node worker-a1?")
    driver.press("Enter")
    expect(driver.page.locator("dialog")).to_have_count(0)
    expect(driver.node("worker-a1")).to_have_count(0)


def test_back_goes_through_moments(driver: Driver) -> None:
    driver.show(driver.prepare("three-zones", 14))
    driver.cycle(14)
    page = driver.page
    node = page.get_by_role("tab", name="Node", exact=True)
    expect(page).to_have_url(re.compile(r"t=14\.\d+$"))
    # What is pinned at the newest moment is a place of its own.
    driver.node("worker-a1").click()
    expect(page).to_have_url(re.compile("node=worker-a1&view=node$"))
    driver.press("Escape")
    expect(page).not_to_have_url(re.compile("node=worker"))
    driver.press("w")
    driver.cycle(6)
    expect(page).to_have_url(re.compile(r"t=6\.\d+$"))
    driver.press("Home")
    driver.cycle(1)
    expect(page).to_have_url(re.compile(r"t=1\.1$"))
    page.go_back()
    driver.cycle(6)
    page.go_back()
    driver.cycle(14)
    page.go_back()
    expect(node).to_have_attribute("aria-selected", "true")
    expect(driver.node("worker-a1")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page.get_by_role("tab", name="Why not")).to_have_attribute("aria-selected", "true")
    page.go_forward()
    expect(node).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("width", [1440, 1024])
def test_a_notice_covers_no_button(driver: Driver, width: int) -> None:
    driver.page.set_viewport_size({"width": width, "height": 768})
    driver.open("three-zones")
    driver.next_cycle(1)
    driver.press("e", "c")
    expect(driver.page.locator(".profile-foot")).to_be_visible()
    expect(driver.page.locator(".notice")).to_be_visible()
    covered = driver.page.evaluate("""() => {
      const over = document.querySelector('.notices').getBoundingClientRect();
      const beside = (box) => box.left < over.right && box.right > over.left;
      const under = (box) => box.width && beside(box) && box.top < over.bottom && box.bottom > over.top;
      return [...document.querySelectorAll('button:not(.notices *), select, input')]
        .filter((one) => under(one.getBoundingClientRect())).map((one) => one.outerHTML.slice(0, 80));
    }""")
    assert covered == []
