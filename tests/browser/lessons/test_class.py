"""A class: one teacher and three followers, each in a browser of their own."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Driver
from tests.browser.lessons.classes import join, open_class
from tests.browser.whole_page.test_accessible import violations


def standing(page: Page) -> Locator:
    return page.locator("[data-class=standing]")


def at(page: Page, moment: str) -> None:
    """The page is at this moment, as its address says."""
    expect(page).to_have_url(re.compile(rf"[?&]t={re.escape(moment)}(&|$)"))


def option(page: Page, name: str) -> Locator:
    return page.locator(f".class-chart [data-option='{name}'] .num")


def test_a_class(driver: Driver, second_page: Callable[..., Page]) -> None:
    teacher = driver.page
    cluster = driver.open()
    driver.next_cycle(1)
    driver.next_cycle(2)
    code = open_class(driver)
    followers = []
    for name in ("Ada", "<b>Bob</b>", "김 민지"):
        page = second_page()
        join(page, driver.url, code, name)
        expect(standing(page)).to_contain_text("You follow the teacher")
        followers.append(page)
    ada, bob, minji = followers
    # Markup in a name is text.
    expect(teacher.locator(".class-person")).to_contain_text(["Ada", "<b>Bob</b>", "김 민지"])
    expect(teacher.locator("[data-class=here]")).to_have_text("3 followers here")

    # Cursor, selection and view arrive with everybody.
    driver.press("[")
    driver.node("node-01").click()
    driver.press("s")
    for page in followers:
        expect(page.locator("#cycle-title")).to_have_text("Cycle 1")
        expect(page.locator(".node[data-node=node-01]")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("tab", name="Scores")).to_have_attribute("aria-selected", "true")
        expect(standing(page)).to_contain_text("You follow the teacher")

    # One looks around, and comes back; when it is locked nobody can.
    ada.keyboard.press("]")
    expect(standing(ada)).to_contain_text("on your own")
    driver.press(",")
    end = driver.step()
    at(bob, f"1.{end}")
    expect(ada.locator("#cycle-title")).to_have_text("Cycle 2")
    ada.get_by_role("button", name="Back to the teacher").click()
    at(ada, f"1.{end}")
    teacher.get_by_role("button", name="Lock", exact=True).click()
    expect(ada.locator(".class-bar.locked")).to_be_visible()
    ada.keyboard.press("]")
    ada.keyboard.press("ControlOrMeta+k")
    ada.keyboard.type("cordon the node")
    expect(ada.locator(".palette [data-action=cordon]")).to_contain_text("this is the teacher's cluster")
    ada.keyboard.press("Escape")
    at(ada, f"1.{end}")
    expect(standing(ada)).to_contain_text("You follow the teacher")

    # A question about what has not happened yet; answers as they come; a click on a node is one.
    teacher.get_by_label("About").select_option("next")
    teacher.get_by_role("button", name="Ask", exact=True).click()
    expect(ada.locator(".class-panel")).to_contain_text("Pick one, or click a node")
    ada.locator(".node[data-node=node-08]").click()
    expect(ada.get_by_label("node-08")).to_be_checked()
    bob.get_by_label("node-02").check()
    for page, count in ((ada, "1"), (bob, "2")):
        page.get_by_role("button", name="Submit answer").click()
        expect(teacher.locator(".class-chart caption")).to_have_text(re.compile(rf"^{count} answers?"))
    assert violations(teacher) == []
    assert violations(minji) == []
    expect(option(teacher, "node-08")).to_have_text("1")
    teacher.get_by_role("button", name="Close and show the answer").click()
    driver.press("End")
    driver.next_cycle(3)
    chosen = driver.get(f"clusters/{cluster}/cycles/3/")["cycle"]["node"]
    expect(minji.locator(".class-panel")).to_contain_text(f"Correct answer: {chosen}.")

    # The pointer goes to one of them, who moves it and changes nothing.
    teacher.get_by_role("button", name="Unlock").click()
    teacher.locator("[data-follower=Ada] .menu button").first.click()
    teacher.get_by_role("button", name="Hand over the pointer").click()
    expect(standing(ada)).to_contain_text("You have the pointer")
    ada.keyboard.press("Home")
    at(bob, "1.1")
    driver.cycle(1)
    teacher.get_by_role("button", name="Take the pointer back").click()
    expect(standing(ada)).to_contain_text("You follow the teacher")

    # The moment, to take along; and back.
    minji.get_by_role("button", name="Fork here").click()
    expect(minji.locator(".cluster-name")).to_contain_text("after cycle 1")
    minji.get_by_role("button", name="Back to the teacher").click()
    at(minji, "1.1")

    # The end.
    teacher.get_by_role("button", name="End the class").click()
    teacher.get_by_role("dialog").get_by_role("button", name="End the class").click()
    expect(bob.locator(".class-over")).to_contain_text("You made no forks in this class.")
    expect(bob.locator(".cluster, .transport, .top")).to_have_count(0)
    minji.locator(".class-over").get_by_role("button", name="after cycle 1").click()
    expect(minji.locator(".cluster-name")).to_contain_text("after cycle 1")
    expect(minji.locator(".class-over")).to_have_count(0)


# What of the pipeline is cut or has to be scrolled to, with the bar and the panel of the class.
CUT = """() => {
  const pipeline = document.querySelector('.panel.pipeline');
  const { right, bottom } = pipeline.getBoundingClientRect();
  const isCut = (one) => one.getBoundingClientRect().right > right || one.getBoundingClientRect().bottom > bottom;
  const below = bottom > document.querySelector('.transport').getBoundingClientRect().top ? ['pipeline'] : [];
  const parts = [...pipeline.querySelectorAll('.strip, .point, .sentence, .chips')];
  if (pipeline.querySelectorAll('.point').length !== 14) below.push('points');
  const cut = parts.filter((one) => isCut(one) || one.scrollWidth > one.clientWidth);
  return [...below, ...cut.map((one) => one.className)];
}"""


def asks(teacher: Page, about: str) -> None:
    teacher.get_by_label("About").select_option(about)
    teacher.get_by_role("button", name="Ask", exact=True).click()


def shows_cycle(page: Page, number: int) -> None:
    """The page shows this cycle, and knows of no later one."""
    expect(page.locator("#cycle-title")).to_have_text(f"Cycle {number}")
    expect(page.locator(".transport .where p").first).to_have_text(f"cycle {number} / {number}")


def test_a_question_holds_back_what_comes_of_it(driver: Driver, second_page: Callable[..., Page]) -> None:
    teacher = driver.page
    cluster = driver.open()
    driver.next_cycle(1)
    driver.next_cycle(2)
    code = open_class(driver)
    ada, bob = second_page(), second_page()
    for page, name in ((ada, "Ada"), (bob, "Bob")):
        join(page, driver.url, code, name)
        shows_cycle(page, 2)

    # The next attempt is played while they think: the teacher's page shows it, theirs does not, nor by asking.
    asks(teacher, "next")
    expect(ada.locator(".class-panel")).to_contain_text("hidden until you answer")
    for page in (teacher, ada):
        assert page.evaluate(CUT) == []
    driver.next_cycle(3)
    chosen = driver.get(f"clusters/{cluster}/cycles/3/")["cycle"]["node"]
    assert ada.request.get(f"{driver.url}/api/v1/clusters/{cluster}/cycles/3/").status == 409
    ada.reload()
    expect(ada.locator(".class-panel")).to_contain_text("hidden until you answer")
    shows_cycle(ada, 2)
    # Who answers sees it, where the teacher is, and does not change the answer any more.
    ada.get_by_label(chosen, exact=True).check()
    ada.get_by_role("button", name="Submit answer").click()
    shows_cycle(ada, 3)
    expect(ada.get_by_text("Answer submitted")).to_be_visible()
    expect(ada.get_by_role("button", name="Change answer")).to_have_count(0)
    expect(ada.locator(".class-panel legend")).to_have_text("Your answer")
    # On a phone the outcome is in another tab, one touch away.
    size = ada.viewport_size
    ada.set_viewport_size({"width": 390, "height": 844})
    ada.get_by_role("button", name="Show the result").click()
    expect(ada.locator(f".node[data-node={chosen}][data-verdict=chosen]")).to_be_visible()
    assert size
    ada.set_viewport_size(size)
    shows_cycle(bob, 2)
    teacher.get_by_role("button", name="Close and show the answer").click()
    shows_cycle(bob, 3)
    expect(bob.locator(".class-panel")).to_contain_text(f"Correct answer: {chosen}.")

    # A cycle that everybody has seen leaves the page until it is answered.
    asks(teacher, "shown")
    shows_cycle(bob, 2)
    bob.get_by_label("node-02", exact=True).check()
    bob.get_by_role("button", name="Submit answer").click()
    shows_cycle(bob, 3)


def test_what_is_not_there_is_not_asked(driver: Driver) -> None:
    driver.open(example=None)
    code = open_class(driver)
    panel = driver.page.locator(".class-panel")
    assert code
    expect(panel).to_contain_text("Nothing to do: every Pod has a node.")
    expect(panel.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    # Where there is no room for columns beside the panel, what is in the tabs stays above the playback.
    driver.page.set_viewport_size({"width": 1024, "height": 768})
    expect(driver.page.locator(".work.narrow")).to_be_visible()
    edges = "[...document.querySelectorAll('.narrow-panel, .transport')].map((one) => one.getBoundingClientRect())"
    panel, transport = driver.page.evaluate(f"{edges}.map(({{top, bottom}}) => [top, bottom])")
    assert panel[1] <= transport[0]
