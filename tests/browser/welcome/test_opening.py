"""The first ten seconds: a real decision in slow motion, one sentence, three doors; any key takes the controls."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Contexts, Driver
from tests.browser.whole_page.test_accessible import violations_in_both_themes
from tests.browser.whole_page.test_fit import FIT
from tests.services import Playground

# Whoever opens this page has never been here; once, so that a reload is by somebody who has.
FIRST = """if (!sessionStorage.getItem('been')) {
  sessionStorage.setItem('been', '1');
  localStorage.setItem('playground.controls', 'false');
}"""
# What is said and seen, as it goes by.
WATCH = """() => {
  window.told = [];
  const count = (verdict) => document.querySelectorAll(`.opening .node[data-verdict=${verdict}]`).length;
  const look = () => {
    const why = document.querySelector('.opening-why');
    if (!why) return;
    const seen = {step: Number(why.dataset.step), head: document.querySelector('.opening-head').innerText,
      rejected: count('rejected'), chosen: count('chosen')};
    if (JSON.stringify(window.told.at(-1)) !== JSON.stringify(seen)) window.told.push(seen);
  };
  const all = {subtree: true, childList: true, attributes: true};
  new MutationObserver(look).observe(document.getElementById('app'), all);
  look();
}"""

Visit = Callable[..., Driver]


@pytest.fixture
def visit(contexts: Contexts, playground_server: Playground) -> Iterator[Visit]:
    """`visit(**settings)`: somebody comes for the first time; motion is welcome unless the settings say otherwise."""
    with ExitStack() as stack:

        def come(playground: Playground = playground_server, **settings: Any) -> Driver:
            wanted = {"reduced_motion": "no-preference", **settings}
            page = stack.enter_context(contexts.lend(playground.url, **wanted))
            page.add_init_script(FIRST)
            driver = Driver(page, playground.url)
            page.goto(playground.url)
            page.evaluate(WATCH)
            return driver

        yield come


def first_cycle(driver: Driver) -> dict[str, Any]:
    """The record of the first decision of the first example, as the API tells it."""
    example = driver.get("examples/")[0]["slug"]
    cluster = min(one["id"] for one in driver.get("clusters/") if one["example"] == example)
    record: dict[str, Any] = driver.get(f"clusters/{cluster}/cycles/1/")
    return record


def has_the_controls(driver: Driver) -> None:
    expect(driver.page.get_by_role("button", name="Play")).to_be_enabled()
    expect(driver.page.locator(".opening")).to_have_count(0)


def test_it_opens_on_a_decision_that_the_engine_has_made(visit: Visit) -> None:
    driver = visit()
    page = driver.page
    expect(page.locator(".opening-head")).to_contain_text("looks for a node.")
    expect(page.get_by_role("button", name="Again")).to_be_visible(timeout=60_000)
    cycle = first_cycle(driver)["cycle"]
    filters = [step for step in cycle["steps"] if step["point"] == "Filter" and "in" in step]
    turned_away = filters[0]["in"] - filters[-1]["out"]
    told = page.evaluate("window.told")
    # Step by step, none twice; the nodes drop out on the way and the chosen one comes after them.
    steps = [seen["step"] for seen in told]
    assert steps == sorted(steps) and len(set(steps)) > 8
    assert (told[0]["rejected"], told[-1]["rejected"]) == (0, turned_away) and turned_away > 0
    assert [seen["chosen"] for seen in told] == sorted(seen["chosen"] for seen in told)
    assert f"{filters[-1]['out']} of {filters[0]['in']} are left." in " ".join(seen["head"] for seen in told)
    assert told[-1]["head"].startswith(f"{cycle['pod']} goes to {cycle['node']}.")
    expect(page.locator(f".node[data-node={cycle['node']}]")).to_have_attribute("data-verdict", "chosen")
    expect(page.locator(".tour-bubble, .transport")).to_have_count(0)


@pytest.mark.parametrize("act", ["x", "Space", "Escape", "click", "touch"])
def test_any_key_or_touch_takes_the_controls_where_it_is(visit: Visit, act: str) -> None:
    driver = visit(has_touch=True)
    page = driver.page
    head = page.locator(".opening-head")
    expect(head).to_contain_text("are left.")
    step = int(page.locator(".opening-why").get_attribute("data-step") or 0)
    if act == "click":
        head.click()
    elif act == "touch":
        head.tap()
    else:
        driver.press(act)
    has_the_controls(driver)
    # The page stands at that moment of the decision, or at most at the one that came next, and moves no more.
    expect(page).to_have_url(re.compile(r"\?cluster=\d+&t=1\.\d+$"))
    assert step <= driver.step() < len(first_cycle(driver)["cycle"]["steps"])
    page.goto(driver.url)
    has_the_controls(driver)


def test_who_wants_no_motion_sees_the_decision_made(visit: Visit) -> None:
    driver = visit(reduced_motion="reduce")
    expect(driver.page.locator(".opening-head")).to_contain_text("goes to")
    count = len(first_cycle(driver)["cycle"]["steps"])
    steps = {seen["step"] for seen in driver.page.evaluate("window.told")}
    assert count in steps and steps <= {1, count}


def test_three_doors_by_keyboard(visit: Visit) -> None:
    for door, seen in (("Watch", ".pipeline"), ("Learn", "dialog h2"), ("Import", "dialog .cm-editor")):
        driver = visit(reduced_motion="reduce")
        button = driver.page.locator(".door", has_text=door)
        expect(button).to_be_visible()
        for _ in range(40):
            if button.evaluate("(one) => one === document.activeElement"):
                break
            driver.press("Tab")
        expect(button).to_be_focused()
        driver.press("Enter")
        expect(driver.page.locator(seen)).to_be_visible()
        has_the_controls(driver) if door == "Watch" else expect(driver.page.locator(".opening")).to_have_count(0)
        if door == "Watch":
            expect(driver.page.locator("#cycle-title")).to_have_text(re.compile(r"Cycle ([2-9]|1\d)"))


def test_a_playground_that_nobody_has_used(
    start_playground: Callable[..., Playground], visit: Visit, drive: Callable[[Playground], Driver]
) -> None:
    """Its first page has the decision made; who has deleted everything gets a cluster to see it in, once."""
    playground = start_playground(first=True)
    driver = visit(playground)
    expect(driver.page.locator(".opening-head")).to_contain_text("looks for a node.")
    assert [one["cycle"] for one in driver.get("clusters/") if one["cycle"]] == [1]
    driver.delete([one["id"] for one in driver.get("clusters/")])
    another = visit(playground)
    expect(another.page.locator(".opening-head")).to_contain_text("looks for a node.")
    made = another.get("clusters/")
    assert [(one["example"], one["cycle"]) for one in made] == [("gpu-pool", 1)]
    # Whoever has a cluster of another kind, and no example, knows the page.
    another.delete([made[0]["id"]])
    another.create("three-zones")
    third = visit(playground)
    has_the_controls(third)
    # Whoever has been here, and has no cluster any more, is offered the examples.
    third.delete([one["id"] for one in third.get("clusters/")])
    back = drive(playground)
    back.page.goto(back.url)
    expect(back.page.locator(".example")).to_have_count(3)
    assert violations_in_both_themes(back.page) == []
    back.page.locator(".example").first.click()
    expect(back.page.locator(".node")).to_have_count(12)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
def test_it_can_be_read_and_walked_by_all(visit: Visit, width: int, height: int) -> None:
    driver = visit(viewport={"width": width, "height": height}, reduced_motion="reduce")
    expect(driver.page.locator(".node[data-verdict=chosen]")).to_be_visible()
    assert driver.page.evaluate(FIT) == []
    assert violations_in_both_themes(driver.page) == []
    for door in driver.page.locator(".door").all():
        expect(door).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(("locale", "words"), [("zh-CN", "的去向是"), ("ko-KR", "에 배치됩니다")])
def test_it_speaks_the_browsers_language(visit: Visit, locale: str, words: str) -> None:
    driver = visit(locale=locale, reduced_motion="reduce")
    expect(driver.page.locator(".opening-head")).to_contain_text(words)
    expect(driver.page.locator(".door").first).not_to_contain_text("Watch")
