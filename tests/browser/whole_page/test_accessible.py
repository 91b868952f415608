"""WCAG 2.2 AA as far as axe can tell, in light and dark, in every state that the page has."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Driver
from tests.browser.shared_page import Stage

pytestmark = pytest.mark.one_page

AXE = (Path(__file__).parents[1] / "vendor" / "axe.js").read_text()
# Each a tag of axe's rules, or a rule.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Of what is right, and of where in the document something is, nobody asks.
RUN = """async ([tags, where]) => {
  const found = await axe.run(where, {runOnly: tags, resultTypes: ['violations'], selectors: false});
  const place = (n) => `  ${n.html.slice(0, 200)}\\n  ${n.failureSummary}`;
  return found.violations.map((v) => `${v.id}: ${v.help}\\n` + v.nodes.slice(0, 5).map(place).join("\\n"));
}"""

# The theme is there, and nothing fades or moves any more but what does so for ever, such as a caret.
IN_THEME = """(theme) => document.documentElement.dataset.theme === theme && document.getAnimations().every(
  (one) => one.playState !== 'running' || one.effect.getComputedTiming().endTime === Infinity)"""


def violations(page: Page, wanted: Sequence[str] = TAGS, where: str = "html") -> list[str]:
    """What axe finds against these tags or rules."""
    # The page's own policy forbids foreign scripts; the test's evaluation is not bound by it.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN, [wanted, where])
    return found


def violations_in_both_themes(page: Page, where: str = "html") -> list[str]:
    """Everything in light; in dark what a theme can change, which is contrast."""
    found = []
    for theme, wanted in (("light", TAGS), ("dark", ["color-contrast"])):
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        page.wait_for_function(IN_THEME, arg=theme)
        found += [f"{theme}: {one}" for one in violations(page, wanted, where)]
    return found


def first(driver: Driver) -> None:
    driver.look("three-zones")


def mid_filter(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.press(".")
    driver.cycle(1)
    while driver.page.locator(".chip[aria-current]", has_text="TaintToleration").count() == 0:
        driver.press(".")


def scheduled(driver: Driver) -> None:
    driver.look("gpu-pool", 1)
    driver.cycle(1)
    driver.page.locator(".node[data-verdict=rejected]").first.click()


def scores(driver: Driver) -> None:
    scheduled(driver)
    driver.press("s")
    driver.page.locator(".score-bars button").nth(1).click()


def preempted(driver: Driver) -> None:
    driver.look("nearly-full", 4)
    driver.cycle(4)
    driver.page.locator(".reason-head").first.click()


def tab(name: str) -> Callable[[Driver], None]:
    def state(driver: Driver) -> None:
        scheduled(driver)
        driver.page.get_by_role("tab", name=name).click()

    return state


def explained(view: str, example: str = "three-zones", upto: int = 5) -> Callable[[Driver], None]:
    """A view that the engine answers, with what it says on the screen."""

    def state(driver: Driver) -> None:
        driver.look(example, upto, f"&t={upto}&view={view}")
        expect(driver.page.locator(ANSWERS[view]).first).to_be_visible()

    return state


ANSWERS = {
    "why": "[data-branch]",
    "scores": "[data-arithmetic]",
    "spread": "[data-domain]",
    "preemption": "[data-candidate]",
    "time": "[data-time]",
    "pod": "[data-move]",
}


def complete(driver: Driver) -> None:
    explained("why")(driver)
    driver.page.get_by_role("button", name="complete", exact=True).click()
    expect(driver.page.locator("[data-complete] [data-ran=false]").first).to_be_visible()


def what_is_this(driver: Driver) -> None:
    explained("time")(driver)
    driver.page.get_by_role("button", name="What is PreFilter?").click()
    expect(driver.page.locator(".what-panel")).to_be_visible()


def decoder(driver: Driver) -> None:
    explained("preemption", "nearly-full", 4)(driver)
    driver.page.get_by_role("tab", name="Why not").click()
    # What would help is loaded when it is first seen, and moves what stands below it: not under the pointer.
    expect(driver.page.get_by_role("button", name="What would make it fit?")).to_be_visible()
    driver.page.get_by_role("button", name="Decode").click()
    expect(driver.page.locator("[data-decoded]")).to_be_visible()


def table(driver: Driver) -> None:
    scheduled(driver)
    driver.page.get_by_role("button", name="table").click()
    expect(driver.page.locator("#node-table .grid-rows .grid-row").first).to_be_visible()


def near(name: str, colour: str = "verdict") -> Callable[[Driver], None]:
    def state(driver: Driver) -> None:
        scheduled(driver)
        driver.page.get_by_label("Color nodes by").select_option(colour)
        driver.page.get_by_role("button", name=name, exact=True).click()

    return state


def dialog(key: str) -> Callable[[Driver], None]:
    def state(driver: Driver) -> None:
        driver.look("gpu-pool")
        driver.press(key)
        expect(driver.page.get_by_role("dialog")).to_be_visible()
        if key in "in":
            expect(driver.page.locator("dialog .cm-content")).to_be_visible()

    return state


def palette(driver: Driver) -> None:
    driver.look("gpu-pool")
    driver.press("Control+k")
    driver.page.keyboard.type("train")
    expect(driver.page.locator(".palette [role=option]", has_text="Pod").first).to_be_visible()


def object_form(driver: Driver) -> None:
    dialog("n")(driver)
    driver.page.get_by_role("button", name="form", exact=True).click()
    driver.page.get_by_role("button", name="add to tolerations").click()
    expect(driver.page.locator("[data-check=problems]")).to_be_visible()


def lane(driver: Driver) -> None:
    driver.look("gpu-pool")
    driver.page.get_by_role("button", name="more in order").click()
    expect(driver.page.locator("#lane-grid .grid-rows .grid-row").first).to_contain_text("ml/")


def upkeep(driver: Driver) -> None:
    driver.look("three-zones")
    driver.page.locator(".node").first.click()
    driver.page.get_by_role("button", name="Change", exact=True).click()


def compared(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("d")
    driver.page.get_by_role("dialog").get_by_role("button", name="Compare", exact=True).click()
    expect(driver.page.get_by_role("dialog")).to_contain_text("Pods on a different node", timeout=60_000)


def past(driver: Driver) -> None:
    driver.look("gpu-pool")
    driver.page.evaluate("async () => (await import('/static/js/base/store.js')).store.dialog.value = {name: 'past'}")
    expect(driver.page.get_by_role("dialog")).to_contain_text("removed in v1.23")


def words(driver: Driver) -> None:
    past(driver)
    driver.page.get_by_role("button", name="old and new terms").click()
    expect(driver.page.locator(".past-lines tbody tr").first).to_be_visible()


def profile_problem(driver: Driver) -> None:
    driver.look("gpu-pool")
    driver.press("e")
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    driver.page.locator(".profile .cm-content").click()
    driver.press("ControlOrMeta+A", "Delete")
    driver.page.keyboard.insert_text("kind: KubeSchedulerConfiguration\napiVersion: nothing/v1\n")
    expect(driver.page.locator(".problems li").first).to_be_visible()


def effective(driver: Driver) -> None:
    driver.look("gpu-pool")
    driver.press("e")
    driver.page.get_by_role("button", name="effective").click()
    expect(driver.page.locator("[data-effective=score]")).to_be_visible()


def profile_form(driver: Driver) -> None:
    """Everything open, a draft under way, one field wrong."""
    scheduled(driver)
    driver.press("e")
    for group in ("point filter", "args NodeResourcesFit", "settings", "everywhere"):
        driver.page.locator(f"[data-group='{group}'] .fold-head").click()
    driver.page.get_by_role("slider", name="Weight of NodeAffinity").press("ArrowRight")
    expect(driver.page.locator(".effect[data-state=there]")).to_be_visible()
    driver.page.get_by_role("button", name="Show nodes").click()
    driver.page.get_by_label("parallelism", exact=True).fill("0")
    expect(driver.page.locator("[data-field=parallelism] .field-problems")).to_be_visible()


def profile_large(driver: Driver) -> None:
    profile_form(driver)
    driver.page.get_by_role("button", name="Larger").click()
    expect(driver.page.locator(".profile .cm-content")).to_be_visible()


def versions(driver: Driver) -> None:
    driver.open("gpu-pool")
    driver.press("e")
    driver.page.get_by_role("slider", name="Weight of NodeAffinity").press("ArrowRight")
    driver.page.get_by_label("Why: a note").fill("a try")
    driver.page.get_by_role("button", name="Apply").click()
    expect(driver.page.locator(".profile-verdict")).to_contain_text("version 2 is in use")
    driver.page.get_by_role("button", name="versions", exact=True).click()
    driver.page.get_by_role("button", name="Difference").first.click()
    expect(driver.page.locator(".changes li").first).to_be_visible()


MENUS = [".cluster-menu", ".branch-menu", ".more-steps", ".cluster .picture-menu", ".pipeline .picture-menu"]


def empty(driver: Driver) -> None:
    driver.open(None)


STATES = [
    # name              state
    ("first look", first),
    ("in the filters", mid_filter),
    ("scheduled", scheduled),
    ("scores", scores),
    ("preempted", preempted),
    ("pod", tab("Pod")),
    ("node", tab("Node")),
    ("events", tab("Events")),
    ("reason tree", explained("why")),
    ("ledger", explained("scores")),
    ("spread", explained("spread")),
    ("preemption", explained("preemption", "nearly-full", 4)),
    ("time", explained("time")),
    ("pod's life", explained("pod")),
    ("complete matrix", complete),
    ("what is this", what_is_this),
    ("decoder", decoder),
    ("table", table),
    ("groups", near("groups")),
    ("cells", near("cells")),
    ("groups by use", near("groups", "use:")),
    ("nodes by score", near("nodes", "score")),
    ("import", dialog("i")),
    ("new object", dialog("n")),
    ("keys", dialog("?")),
    ("palette", palette),
    ("object form", object_form),
    ("lane", lane),
    ("upkeep menu", upkeep),
    ("profile problem", profile_problem),
    ("effective profile", effective),
    ("profile form", profile_form),
    ("profile, large", profile_large),
    ("versions", versions),
    ("compare", dialog("d")),
    ("compared", compared),
    ("legacy configuration", past),
    ("old and new terms", words),
    ("no nodes", empty),
]


@pytest.mark.parametrize(("name", "state"), STATES, ids=[name for name, _ in STATES])
def test_no_violations(stage: Stage, name: str, state: Callable[[Driver], None]) -> None:
    with stage.turn() as driver:
        state(driver)
        assert violations_in_both_themes(driver.page) == []


def test_no_violations_in_menus(driver: Driver) -> None:
    scheduled(driver)
    for menu in [*MENUS, ".top"]:
        if menu == ".top":  # what does not fit in a narrow header is in its last menu
            driver.page.set_viewport_size({"width": 1024, "height": 768})
        driver.page.locator(f"{menu} button[aria-expanded]").last.click()
        expect(driver.page.locator(".menu-panel")).to_have_count(1)
        assert violations_in_both_themes(driver.page, ".menu-panel") == [], menu
        driver.press("Escape")


def test_no_violations_on_a_phone(driver: Driver) -> None:
    driver.page.set_viewport_size({"width": 390, "height": 844})
    scheduled(driver)
    for panel in ("Cluster", "Matrix", "Queues", "Details"):
        driver.page.get_by_role("tab", name=panel).click()
        assert violations_in_both_themes(driver.page) == []
