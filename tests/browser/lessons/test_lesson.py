"""A lesson, walked as a new user would: predict, do, look, mend; then in another language."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Driver
from tests.browser.driver import forget
from tests.services import wait_for

pytestmark = pytest.mark.one_page

TITLE = "What one scheduling cycle is"


def lessons(driver: Driver) -> None:
    driver.page.goto(driver.url)
    driver.press("ControlOrMeta+k")
    driver.page.keyboard.type("lesson")
    driver.press("Enter")


def start(driver: Driver, title: str) -> None:
    lessons(driver)
    driver.page.get_by_role("button", name=f"Start: {title}").click()
    expect(driver.page.locator(".lesson h2")).to_have_text(title)


def check(driver: Driver, name: str) -> None:
    expect(driver.page.locator(f"[data-check={name}]")).to_contain_text("done")


def test_a_whole_lesson(driver: Driver) -> None:
    start(driver, TITLE)
    lesson = driver.page.locator(".lesson")
    lesson.get_by_role("button", name="Show me").first.click()
    expect(driver.page.locator(".pointed-at")).to_have_count(1)
    lesson.get_by_label("shop/giant").check()
    lesson.get_by_role("button", name="Submit answer").click()
    answered = driver.page.locator("[data-check=who-is-next]")
    expect(answered.locator(".answered")).to_contain_text("Correct answer: shop/web.")
    expect(answered.locator(".wrong-answer")).to_contain_text("shop/giant came into its queue after another pod")
    # Nothing green stands over what was wrong.
    expect(answered.locator(".check-head")).to_contain_text("answered")
    expect(answered.locator(".is-pass")).to_have_count(0)
    answered.get_by_role("button", name="Show me the queue").click()
    expect(driver.page.locator(".queues.pointed-at, #queues.pointed-at")).to_have_count(1)
    lesson.get_by_role("button", name="Next").click()
    # A node may be picked in the cluster.
    driver.node("bob").click()
    lesson.get_by_role("button", name="Submit answer").click()
    expect(lesson.locator(".answered")).to_contain_text("Right")
    lesson.locator(".lesson-body").focus()
    driver.press("]")
    check(driver, "web-is-placed")
    lesson.get_by_role("button", name="Next").click()
    driver.press("]")
    check(driver, "giant-fails")
    lesson.get_by_role("button", name="Next").click()
    expect(lesson.locator(".missing")).to_contain_text("shop/giant has a node")
    lesson.get_by_role("button", name="Give me a hint").click()
    expect(lesson.locator(".hint")).to_contain_text("Which node is large enough?")
    cluster = driver.current()
    node = driver.get(f"clusters/{cluster}/objects/Node/eve/")
    node["spec"] = {}
    # It happens while nobody looks; who comes back, in a browser that has not seen the walk, is where they were.
    driver.page.goto("about:blank")
    for command in (
        {"kind": "update", "objects": [node]},
        {"kind": "advance_clock", "seconds": 10},
        {"kind": "run", "until": "idle"},
    ):
        driver.post(f"clusters/{cluster}/commands/", command)
    wait_for(lambda: driver.get(f"clusters/{cluster}/")["state"] == "idle", "the pod's node")
    forget(driver.page, driver.url)
    driver.page.goto(f"{driver.url}/?cluster={cluster}")
    expect(lesson.locator(".lesson-head")).to_contain_text("step 4 of 4")
    expect(lesson.locator(".lesson-end")).to_have_text("Lesson complete.")
    expect(lesson.get_by_role("button", name="Next lesson")).to_have_attribute("title", re.compile("Reading"))
    lesson.get_by_role("button", name="All lessons").click()
    expect(driver.page.locator(".lesson-row").first).to_contain_text("done")
    the_map_and_the_certificate(driver)
    driver.press("Escape")
    lesson.get_by_role("button", name="Next lesson").click()
    expect(lesson.locator(".lesson-head h2")).to_contain_text("Reading")
    expect(lesson.locator(".lesson-head")).to_contain_text("step 1 of")


def the_map_and_the_certificate(driver: Driver) -> None:
    """One lesson is solved: the map says so, offers the next one, and leads to it; the certificate has it."""
    page = driver.page
    places = page.locator(".lesson-map")
    expect(places.locator("button.solved")).to_have_count(1)
    expect(places.get_by_role("button", name=f"{TITLE}, 6 minutes, solved")).to_be_visible()
    next_one = places.get_by_role("button", name="recommended next")
    expect(next_one).to_contain_text("Reading")
    next_one.press("Enter")
    expect(page.get_by_role("button", name="Start: Reading “0/5 nodes")).to_be_focused()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Certificate to print").click()
    certificate = opened.value
    expect(certificate.get_by_role("row", name=TITLE)).to_contain_text("1")
    certificate.get_by_label("Name").fill("Ada")
    certificate.reload()
    expect(certificate.get_by_label("Name")).to_have_value("Ada")
    certificate.close()


def test_a_name_that_is_typed_before_its_script_is_there_is_kept(driver: Driver) -> None:
    page = driver.page.context.new_page()
    held: list[Route] = []
    page.route("**/lesson/certificate.js", lambda route: held.append(route))
    page.goto(f"{driver.url}/certificate/", wait_until="commit")
    page.get_by_label("Name").fill("Ada")
    wait_for(lambda: page.title() and held, "the script to be asked for")
    page.unroute("**/lesson/certificate.js")
    page.wait_for_load_state("load")
    page.reload()
    expect(page.get_by_label("Name")).to_have_value("Ada")
    page.evaluate("localStorage.removeItem('playground.certificate')")
    page.close()


# Pairs of places that lie upon each other, and places whose words do not fit.
CROWDED = """() => {
  const places = [...document.querySelectorAll('.lesson-place')];
  const boxes = places.map((one) => one.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const over = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => meet(a, b)));
  return [over.length, places.filter((one) => one.scrollWidth > one.clientWidth).length];
}"""


@pytest.mark.parametrize("width", [1440, 1024, 901, 720, 390])
def test_no_place_of_the_map_hides_another(driver: Driver, width: int) -> None:
    driver.page.set_viewport_size({"width": width, "height": 900})
    lessons(driver)
    expect(driver.page.locator(".lesson-place").first).to_be_visible()
    assert driver.page.evaluate(CROWDED) == [0, 0]


def test_languages_and_reload(driver: Driver) -> None:
    start(driver, TITLE)
    driver.page.get_by_label("Language of the lesson").select_option("ko")
    expect(driver.page.locator(".lesson h2")).to_have_text("스케줄링 사이클이란")
    expect(driver.page.locator(".lesson")).to_have_attribute("lang", "ko")
    driver.page.locator(".lesson-foot").get_by_role("button", name="Skip").click()
    expect(driver.page.locator(".lesson h3")).to_have_text("거르고, 점수를 매긴다")
    expect(driver.page).to_have_url(re.compile(rf"cluster={driver.current()}\b"))
    driver.page.reload()
    expect(driver.page.locator(".lesson h3")).to_have_text("거르고, 점수를 매긴다")
    driver.page.get_by_label("Language of the lesson").select_option("en")
    driver.page.get_by_role("button", name="Restart").click()
    expect(driver.page.locator(".lesson h3")).to_have_text("Three nodes, two pods")


def test_a_lesson_begun_anew_while_its_language_changes_has_both(driver: Driver) -> None:
    """What was asked for first may be answered last."""
    start(driver, TITLE)
    driver.page.locator(".lesson-foot").get_by_role("button", name="Skip").click()
    expect(driver.page.locator(".lesson h3")).to_have_text("Filter, then score")
    held: list[Route] = []
    driver.page.route("**/lessons/*/?lang=ko", lambda route: held.append(route))
    with driver.page.expect_request("**/lessons/*/?lang=ko"):
        driver.page.get_by_label("Language of the lesson").select_option("ko")
    driver.page.get_by_role("button", name="Restart").click()
    expect(driver.page.locator(".lesson h3")).to_have_text("Three nodes, two pods")
    held[0].continue_()
    expect(driver.page.locator(".lesson")).to_have_attribute("lang", "ko")
    expect(driver.page.locator(".lesson h3")).to_have_text("노드 셋, 파드 둘")


def test_a_wrong_answer_teaches(driver: Driver) -> None:
    """Why it is wrong, a second try, and then the cycle runs and shows it."""
    start(driver, TITLE)
    lesson = driver.page.locator(".lesson")
    lesson.get_by_label("shop/web").check()
    lesson.get_by_role("button", name="Submit answer").click()
    expect(lesson.locator("[data-check=who-is-next] .check-head")).to_contain_text("right")
    lesson.get_by_role("button", name="Next").click()
    question = lesson.locator("[data-check=who-wins]")
    driver.node("eve").click()
    question.get_by_role("button", name="Submit answer").click()
    expect(question.locator(".answered")).to_contain_text("You have a second try")
    expect(question.locator(".wrong-answer li").first).to_contain_text("NodeUnschedulable rejected eve")
    expect(question).not_to_contain_text("bob has")
    expect(question.get_by_label("eve")).to_be_disabled()
    question.get_by_label("bob").check()
    question.get_by_role("button", name="Submit second answer").click()
    expect(question.locator(".check-head")).to_contain_text("right at the second try")
    question.get_by_role("button", name="Run the cycle and show me").click()
    expect(driver.page.locator("#cycle-title")).to_have_text("Cycle 1")
    expect(driver.node("bob")).to_have_attribute("aria-pressed", "true")
    check(driver, "web-is-placed")
    # Once more shows the same cycle: no other one runs.
    question.get_by_role("button", name="Run the cycle and show me").click()
    expect(driver.page.locator("#cycle-title")).to_have_text("Cycle 1")
    cluster = driver.current()
    assert driver.get(f"clusters/{cluster}/")["cycle"] == 1
