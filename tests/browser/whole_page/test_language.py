"""The page in other languages: the switch keeps the moment, the words are there, and an input method keeps its keys."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.conftest import Driver
from tests.browser.driver import settle
from tests.browser.whole_page.test_accessible import violations

COMPOSE = """([key, more]) => {
  const event = new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true, ...more});
  document.activeElement.dispatchEvent(event);
  return event.defaultPrevented;
}"""
REFUSED = """async (cluster) => {
  const { post } = await import('/static/js/base/api.js');
  const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } };
  const sent = { text: JSON.stringify(pod), dry_run: true };
  return post(`clusters/${cluster}/import/`, sent).catch((error) => error.problems);
}"""
# What must be in a language's own words wherever the page shows a cycle.
SPOKEN = [".queues .caps", ".pipeline .head", ".matrix .head", ".transport .play", "#tab-why", ".cluster .head"]


@pytest.mark.parametrize(
    ("name", "code", "script", "play", "rejected", "lesson"),
    [
        ("简体中文", "zh-hans", "[一-鿿]", "播放", "NodeResourcesFit 拒绝了", "让可用区倾斜的滚动更新"),
        ("한국어", "ko", "[가-힣]", "재생", "NodeResourcesFit이\\(가\\)", "영역을 치우치게 하는 롤아웃"),
    ],
)
def test_the_switch_keeps_the_moment(
    driver: Driver, name: str, code: str, script: str, play: str, rejected: str, lesson: str
) -> None:
    cluster = driver.create("nearly-full")
    driver.show(cluster)
    for number in range(1, 5):
        driver.next_cycle(number)
    driver.press("[", "[")
    driver.cycle(2)
    page = driver.page
    node = page.locator(".node").first
    node.click()
    expect(page).to_have_url(re.compile(r"t=2\.\d+&node="))
    before = page.url
    page.get_by_role("button", name="Language").click()
    page.get_by_role("button", name=name).click()
    expect(page.locator("html")).to_have_attribute("lang", code)
    expect(page.locator(".transport .play")).to_contain_text(play)
    expect(page).to_have_url(before)
    expect(node).to_have_attribute("aria-pressed", "true")
    for place in SPOKEN:
        expect(page.locator(place).first).to_contain_text(re.compile(script))
    # The engine's sentences are in the page's language, upstream's reasons as they are.
    page.goto(f"{driver.url}/?cluster={cluster}&t=4")
    expect(page.locator("#side-panel")).to_contain_text(re.compile(rejected))
    expect(page.locator("#side-panel")).to_contain_text("Insufficient")
    # Lessons are found by their titles.
    driver.open_palette()
    page.keyboard.type(lesson.split()[-1])
    expect(page.locator(".palette [role=option]", has_text=lesson)).to_be_visible()
    # What the server says: ours in other words, Kubernetes' own with these beside them.
    (problem,) = page.evaluate(REFUSED, cluster)
    assert problem["rule"].startswith("Required value (")
    assert re.search(script, problem["rule"])
    assert re.search(script, problem["hint"])
    assert violations(page) == []


LOADED = """() => performance.getEntriesByType('resource').filter((entry) => /\\.js$|jsi18n/.test(entry.name))
  .map((entry) => [new URL(entry.name).pathname, entry.encodedBodySize])"""
LATER = "/jsi18n/more/"


@pytest.mark.parametrize(("locale", "script"), [("zh-CN", "[一-鿿]"), ("ko-KR", "[가-힣]")])
def test_the_first_screen_loads_its_own_words_and_nothing_is_said_before_its_words_are_there(
    driver: Driver, second_page: Callable[..., Page], locale: str, script: str
) -> None:
    cluster = driver.create("nearly-full")
    page = second_page(locale=locale)
    held: list[Route] = []
    page.route(f"**{LATER}", lambda route: held.append(route))
    pending: list[Request] = []
    page.on("request", lambda request: pending.append(request))
    page.on("requestfinished", lambda request: pending.remove(request))
    page.on("requestfailed", lambda request: pending.remove(request))
    page.goto(f"{driver.url}/?cluster={cluster}")
    for place in ("#tab-why", ".transport .play", ".matrix .empty", "#side-panel .empty"):
        expect(page.locator(place)).to_contain_text(re.compile(script))
    first = dict(page.evaluate(LOADED))
    assert LATER not in first and first["/jsi18n/"] > 0
    assert sum(first.values()) < 150_000, sorted(first.items(), key=lambda entry: -entry[1])[:20]
    # The reason tree and a dialog ask for the rest; neither shows before it has come.
    page.keyboard.press("]")
    expect(page.locator("#cycle-title")).to_contain_text("1")
    page.keyboard.press("?")
    # All else that was asked for has come, and is drawn.
    settle(page)
    while not held or len(pending) > len(held):
        settle(page)
    assert page.locator("dialog[open]").count() == 0
    assert "was chosen" not in page.locator("#side-panel").inner_text()
    for route in held:
        route.continue_()
    expect(page.locator("dialog[open] h2")).to_contain_text(re.compile(script))
    page.keyboard.press("Escape")
    expect(page.locator("#side-panel .reason-text").first).to_contain_text(re.compile(script))
    # Nor do the lanes keep what came before the words.
    expect(page.locator(".queues .moves li").first).to_contain_text(re.compile(f" · .*{script}"))


def test_the_browser_chooses_at_first(driver: Driver, second_page: Callable[..., Page]) -> None:
    page = second_page(locale="zh-CN")
    page.goto(driver.url)
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")


def test_an_input_method_keeps_its_keys(driver: Driver) -> None:
    driver.open("three-zones")
    page = driver.page
    # On the page: a key that is part of a word moves nothing; on a Korean keyboard it is the letter that it stands on.
    for more in ({"isComposing": True}, {"keyCode": 229}):
        assert page.evaluate(COMPOSE, ["]", more]) is False
    assert page.evaluate(COMPOSE, ["ㄴ", {"code": "KeyS"}]) is True
    expect(page.get_by_role("tab", name="Scores")).to_have_attribute("aria-selected", "true")
    # In the palette: Enter and the arrows end and choose the word, not the action.
    driver.press("Control+k")
    expect(page.locator(".palette input")).to_be_focused()
    for key in ("Enter", "ArrowDown"):
        assert page.evaluate(COMPOSE, [key, {"isComposing": True}]) is False
    expect(page.locator(".palette")).to_be_visible()
    driver.press("Escape")
    # In a filter: Escape takes the word back, not the filter.
    page.locator("#matrix-filter").fill("zone")
    page.evaluate(COMPOSE, ["Escape", {"isComposing": True}])
    expect(page.locator("#matrix-filter")).to_have_value("zone")
