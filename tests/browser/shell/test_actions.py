"""Every action of the page: it has a label, it is in the help, it works by each of its keys or from the palette."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import Driver
from tests.browser.shared_page import Stage
from tests.browser.shell.effects import EFFECTS, Effect
from tests.services import wait_for

TABLE = """async () => (await import('/static/js/palette/action_table.js')).actions().map(
  ({id, group, label, keys, blocked, run}) => ({id, group, label, keys, runs: typeof run, blocked: typeof blocked}))"""
NAMES = {"Space": " "}


def table(driver: Driver) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = driver.page.evaluate(TABLE)
    return found


def option(driver: Driver, action: str) -> Locator:
    return driver.page.locator(f".palette [data-action={action}]")


def by_palette(driver: Driver, action: dict[str, Any]) -> None:
    """Ctrl+K, the label, down to the row, Enter."""
    driver.open_palette()
    driver.page.keyboard.type(action["label"])
    row = option(driver, action["id"])
    expect(row).to_have_count(1)
    # A row that was chosen stays chosen, when rows of lessons or objects arrive above it.
    driver.press("ArrowDown", "ArrowUp")
    for _ in range(20):
        if row.get_attribute("aria-selected") == "true":
            break
        driver.press("ArrowDown")
    expect(row).to_have_attribute("aria-selected", "true")
    driver.press("Enter")


@pytest.mark.one_page
def test_a_chosen_row_stays_chosen_when_lessons_arrive_above_it(driver: Driver) -> None:
    driver.look("three-zones")
    held: list[Route] = []
    driver.page.route(re.compile(r"/api/v1/lessons/(\?.*)?$"), lambda route: held.append(route))
    driver.open_palette()
    driver.page.keyboard.type("Log out")
    row = option(driver, "log-out")
    expect(row).to_have_attribute("aria-selected", "true")
    driver.press("ArrowDown", "ArrowUp")
    lessons = driver.page.locator(".palette [role=option]", has_text="lesson")
    expect(lessons).to_have_count(0)
    wait_for(lambda: driver.page.title() and held, "the request for lessons")
    held[0].continue_()
    expect(lessons).not_to_have_count(0)
    expect(row).to_have_attribute("aria-selected", "true")


@pytest.mark.one_page
def test_a_key_right_after_the_palette_meets_what_it_chose(driver: Driver) -> None:
    driver.open("three-zones")
    node = driver.page.locator(".node").first.get_attribute("data-node") or ""
    driver.open_palette()
    driver.page.keyboard.type(node)
    expect(driver.page.locator(".palette [role=option]").first).to_contain_text("Node")
    # A busy machine draws no frame between two keys.
    driver.page.evaluate(
        """() => {
          const frames = (window.heldFrames = []);
          window.originalFrame = window.requestAnimationFrame;
          window.requestAnimationFrame = (callback) => frames.push(callback);
        }"""
    )
    driver.press("Enter", "c")
    driver.page.evaluate(
        """() => {
          window.requestAnimationFrame = window.originalFrame;
          window.heldFrames.forEach((callback) => callback(performance.now()));
        }"""
    )
    expect(driver.page.locator("#side-panel")).to_contain_text("cordoned: spec.unschedulable")


def ways(action: dict[str, Any]) -> Iterator[Callable[[Driver], None]]:
    """By each of its keys; by the palette, which runs all of them alike, what has no key."""
    if not action["keys"]:
        yield lambda driver: by_palette(driver, action)
    for key in action["keys"]:
        name = ("Control+" if key.get("ctrl") else "") + key["key"]
        yield lambda driver, name=name: driver.press(name)  # type: ignore[misc]


@pytest.mark.one_page
def test_every_action_has_a_label_a_group_and_a_test(driver: Driver) -> None:
    driver.look("three-zones")
    rows = table(driver)
    assert {row["id"] for row in rows} == set(EFFECTS)
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({row["label"] for row in rows}) == len(rows)
    assert all(row["label"] and row["group"] and row["runs"] == row["blocked"] == "function" for row in rows)
    keys = [(key["key"], key.get("ctrl", False)) for row in rows for key in row["keys"]]
    assert len(set(keys)) == len(keys)
    # Whatever is one sign without Ctrl can be switched off, as WCAG 2.1.4 asks.
    assert all(key.get("single") for row in rows for key in row["keys"] if len(key["key"]) == 1 and not key.get("ctrl"))


@pytest.mark.one_page
def test_the_help_lists_every_action_with_its_keys(driver: Driver) -> None:
    driver.look("three-zones")
    rows = table(driver)
    driver.press("?")
    for row in rows:
        line = driver.page.locator(f"dialog [data-action={row['id']}]")
        expect(line.locator("dd")).to_have_text(row["label"])
        assert line.locator("kbd").all_inner_texts() == [key["shown"] for key in row["keys"]]


@pytest.fixture(scope="module")
def rows(stage: Stage) -> dict[str, dict[str, Any]]:
    stage.page.goto(stage.url)
    return {row["id"]: row for row in table(stage)}


@pytest.mark.parametrize(("action", "effect"), EFFECTS.items(), ids=EFFECTS)
def test_it_works_by_key_or_from_the_palette(
    stage: Stage, rows: dict[str, dict[str, Any]], action: str, effect: Effect
) -> None:
    for way in ways(rows[action]):
        with stage.turn() as driver:
            at = effect.at or effect.cycles
            moment = f"&t={at}" if at else ""
            if effect.changes:
                driver.show(driver.prepare(effect.example, effect.cycles), moment)
            else:
                driver.look(effect.example, effect.cycles, moment)
            if at:
                driver.cycle(int(str(at).partition(".")[0]))
            context = effect.before(driver)
            way(driver)
            effect.after(driver, context)


@pytest.mark.one_page
def test_what_cannot_be_done_says_why(driver: Driver) -> None:
    driver.open("three-zones")
    driver.open_palette()
    driver.page.keyboard.type("backoff ends")
    row = option(driver, "backoff")
    expect(row).to_have_attribute("aria-disabled", "true")
    expect(row).to_contain_text("no pod is in backoff")
    driver.press("Enter")
    expect(driver.page.get_by_role("dialog")).to_be_visible()


@pytest.mark.one_page
def test_finds_objects_and_selects_them(driver: Driver) -> None:
    driver.open("nearly-full")
    node = driver.page.locator(".node").first.get_attribute("data-node") or ""
    driver.open_palette()
    driver.page.keyboard.type(node)
    expect(driver.page.locator(".palette [role=option]", has_text="Node").first).to_be_visible()
    driver.press("Enter")
    expect(driver.node(node)).to_have_attribute("aria-pressed", "true")
    expect(driver.page.get_by_role("tab", name="Node", exact=True)).to_have_attribute("aria-selected", "true")
    pod = driver.lane("active").locator(".pod-row").first.get_attribute("title") or ""
    driver.open_palette(":")
    driver.page.keyboard.type(pod)
    expect(driver.page.locator(".palette [role=option]").first).to_contain_text(pod)
    driver.press("Enter")
    expect(driver.lane("active").locator(f".pod-row[title='{pod}']")).to_have_attribute("aria-pressed", "true")


def test_finds_cycles_and_clusters(driver: Driver) -> None:
    other = driver.create("gpu-pool", "zebra crossing")
    driver.open("three-zones")
    for number in (1, 2, 3):
        driver.next_cycle(number)
    driver.open_palette()
    driver.page.keyboard.type("2")
    driver.press("Enter")
    driver.cycle(2)
    driver.open_palette()
    driver.page.keyboard.type("zebra")
    driver.press("Enter")
    expect(driver.page.locator(".cluster-name")).to_have_text("zebra crossing")
    driver.page.wait_for_url(f"**cluster={other}*")


@pytest.mark.one_page
def test_the_palette_gives_the_focus_back(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.get_by_role("button", name="Cycle", exact=True).focus()
    driver.open_palette()
    driver.press("Escape")
    expect(driver.page.locator("dialog")).to_have_count(0)
    expect(driver.page.get_by_role("button", name="Cycle", exact=True)).to_be_focused()
