"""Three whole lessons by keyboard alone: predict, do, ask for hints, mend, go on. No pointer is used or needed."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Driver
from tests.browser.driver import settle

POINTERS = """window.pointers = [];
for (const name of ['pointerdown', 'mousedown', 'mousemove', 'wheel', 'touchstart'])
  // A browser tells of a pointer that rests when what lies under it has changed.
  addEventListener(name, (event) => {
    if (name !== 'mousemove' || event.movementX || event.movementY) window.pointers.push(name);
  }, true);"""
FOCUSED = "element => element === document.activeElement || element.contains(document.activeElement)"


class Reader:
    """Somebody who has a keyboard."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.page = driver.page
        self.lesson = driver.page.locator(".lesson")

    def tab_to(self, wanted: Locator, most: int) -> None:
        """Tab until it has the focus, at most so often: what is far away is not reached by a person either."""
        expect(wanted).to_be_visible()
        for _ in range(most + 1):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        where = self.page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        raise AssertionError(f"after {most} times Tab the focus is at {where}")

    def find(self, words: str) -> None:
        """Run the first option of the palette: an action by its words, or a Node or Pod by its name."""
        self.driver.press("ControlOrMeta+k")
        expect(self.page.locator(".palette input")).to_be_focused()
        self.page.keyboard.type(words)
        # An action may contain the name inside a word ("snapshot" contains "hot") until the objects arrive.
        at_word = re.compile(rf"\b{words}")
        expect(self.page.locator(".palette [role=option]").first).to_contain_text(at_word)
        self.driver.press("Enter")

    def start(self, title: str) -> None:
        self.page.goto(self.driver.url)
        expect(self.page.locator(".welcome, .transport").first).to_be_visible()
        self.find("take a lesson")
        self.tab_to(self.page.get_by_role("button", name=f"Start: {title}"), 40)
        self.driver.press("Enter")
        expect(self.lesson.locator("h2")).to_have_text(title)
        expect(self.lesson.locator(".lesson-body")).to_be_focused()

    def check(self, name: str) -> Locator:
        return self.lesson.locator(f".check[data-check={name}]")

    def answer(self, name: str, option: str) -> None:
        """The radio button by arrow keys, then the answer; the focus stays where it was asked."""
        check = self.check(name)
        self.tab_to(check.locator("input:enabled").first, 4)
        self.driver.press("Space")
        for _ in range(8):
            if check.get_by_label(option, exact=True).is_checked():
                break
            self.driver.press("ArrowDown")
        self.tab_to(check.get_by_role("button", name=re.compile("^Submit")), 3)
        self.driver.press("Enter")
        self.answered(name)

    def answered(self, name: str) -> None:
        expect(self.check(name).locator(".answered")).to_be_visible()
        expect(self.check(name)).to_be_focused()

    def cycle(self, check: str) -> None:
        """The next cycle, and what it was wanted for is done."""
        expect(self.check(check)).to_be_visible()
        self.driver.press("]")
        self.done(check)

    def done(self, check: str) -> None:
        expect(self.check(check).locator(".check-head")).to_contain_text("done")

    def arrive(self) -> None:
        """To the lesson; the focus is there a frame later, and must not come after the next key."""
        self.driver.press("l")
        settle(self.page)
        expect(self.lesson.locator(".lesson-body")).to_be_focused()

    def show(self) -> None:
        """From the lesson's text to what it points at."""
        self.arrive()
        self.tab_to(self.lesson.get_by_role("button", name="Show me", exact=True).first, 5)
        self.driver.press("Enter")
        expect(self.page.locator(".pointed-at")).to_have_count(1)

    def hints(self, check: str, count: int) -> None:
        self.arrive()
        self.tab_to(self.check(check).locator(".hints > button"), 4)
        for number in range(1, count + 1):
            self.driver.press("Enter")
            expect(self.check(check).locator(".hint")).to_have_count(number)
        # The button is gone with the last one, the focus is not.
        expect(self.check(check)).to_be_focused()

    def go_on(self) -> None:
        before = self.lesson.locator("h3").inner_text()
        self.arrive()
        self.tab_to(self.lesson.get_by_role("button", name="Next"), 8)
        self.driver.press("Enter")
        expect(self.lesson.locator("h3")).not_to_have_text(before)
        expect(self.lesson.locator(".lesson-body")).to_be_focused()

    def finish(self) -> None:
        expect(self.lesson.locator(".lesson-end")).to_be_visible()
        self.arrive()
        self.tab_to(self.lesson.get_by_role("button", name="All lessons"), 6)
        self.driver.press("Enter")
        title = self.lesson.locator("h2").inner_text()
        expect(self.page.locator(".lesson-row", has_text=title)).to_contain_text("done")


@pytest.fixture
def reader(driver: Driver) -> Any:
    driver.page.add_init_script(POINTERS)
    yield Reader(driver)
    assert driver.page.evaluate("window.pointers") == []


def test_the_first_lesson(reader: Reader) -> None:
    reader.start("What one scheduling cycle is")
    reader.show()
    reader.answer("who-is-next", "shop/web")
    reader.go_on()
    reader.answer("who-wins", "bob")
    reader.cycle("web-is-placed")
    reader.show()
    reader.go_on()
    reader.cycle("giant-fails")
    reader.show()
    reader.go_on()
    reader.hints("place-giant", 3)
    reader.find("eve")
    reader.driver.press("C")
    expect(reader.driver.lane("backoff")).to_contain_text("shop/giant")
    reader.cycle("place-giant")
    reader.finish()


def test_a_node_is_clicked_for_an_answer(reader: Reader) -> None:
    reader.start("Requests are not usage")
    # The nodes are reached by Tab, told apart by the arrows, and picked by Enter; "l" leads back.
    reader.tab_to(reader.driver.node("hot"), 40)
    reader.driver.press("ArrowRight")
    expect(reader.driver.node("quiet")).to_be_focused()
    reader.driver.press("Enter")
    expect(reader.check("who-gets-web").get_by_label("quiet")).to_be_checked()
    reader.arrive()
    reader.tab_to(reader.check("who-gets-web").get_by_role("button", name="Submit answer"), 4)
    reader.driver.press("Enter")
    reader.answered("who-gets-web")
    reader.answer("who-gets-web", "hot")
    # What was picked is let go of: the next question begins with nothing.
    expect(reader.page.locator(".node[aria-pressed=true]")).to_have_count(0)
    reader.cycle("web-1-placed")
    reader.go_on()
    reader.show()
    expect(reader.page.locator(".ledger")).to_contain_text("quiet")
    reader.go_on()
    reader.find("hot")
    reader.driver.press("c")
    expect(reader.driver.node("hot")).to_contain_text("cordoned")
    reader.cycle("to-quiet")
    reader.go_on()
    reader.answer("large-one", "it stays pending")
    reader.finish()


def test_a_task_is_done_in_the_editor(reader: Reader) -> None:
    reader.start("Taints push, affinity pulls")
    # What is wrong is said, and asked once more.
    reader.answer("where-tolerating", "gpu-1")
    reader.answer("where-tolerating", "cpu-1")
    reader.cycle("tolerating-placed")
    reader.go_on()
    reader.answer("requiring", "it stays pending")
    reader.cycle("requiring-fails")
    reader.go_on()
    reader.answer("preferring", "cpu-1")
    reader.cycle("preferring-placed")
    reader.go_on()
    reader.find("ml/only-requires")
    reader.find("edit the pod")
    editor = reader.page.locator("dialog .cm-content")
    expect(editor).to_be_focused()
    expect(editor).to_contain_text("containers:")
    lines = editor.locator(".cm-line").all_inner_texts()
    reader.driver.press("ControlOrMeta+Home", *["ArrowDown"] * lines.index("  containers:"), "Home")
    reader.page.keyboard.type("tolerations: [{key: nvidia.com/gpu, operator: Exists}]")
    reader.driver.press("Enter", "ControlOrMeta+Enter")
    expect(reader.page.locator("dialog")).to_have_count(0)
    expect(reader.driver.lane("backoff")).to_contain_text("only-requires")
    reader.cycle("both")
    reader.finish()
