"""The effect of each action of the page: {id: preparation and expected result}."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.shell.waiting_pods import (
    attempt_of,
    broken,
    clock_moved,
    in_active,
    in_backoff,
    third_pod,
    waiting_pod,
)

Before = Callable[[Driver], Any]
After = Callable[[Driver, Any], None]


def nothing(_driver: Driver) -> None:
    """Check the page as it opens."""


def moment(cycle: int, step: int | None = None) -> After:
    """This cycle is shown; at this step, or at its end."""

    def after(driver: Driver, _context: Any) -> None:
        driver.cycle(cycle)
        about = driver.page.locator(".pipeline .head .about").last
        expect(about).to_have_text(re.compile(rf"step {step} of" if step else r"step (\d+) of \1$"))

    return after


def seen(selector: str, text: str = "") -> After:
    def after(driver: Driver, _context: Any) -> None:
        found = driver.page.locator(selector).first
        expect(found).to_be_visible()
        if text:
            expect(found).to_contain_text(text)

    return after


def tab(name: str) -> After:
    def after(driver: Driver, _context: Any) -> None:
        expect(driver.page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
        expect(driver.page.get_by_role("tab", name=name, exact=True)).to_be_focused()

    return after


def dialog(title: str) -> After:
    def after(driver: Driver, _context: Any) -> None:
        expect(driver.page.locator("dialog h2")).to_have_text(title)

    return after


def pace(want: str) -> After:
    def after(driver: Driver, _context: Any) -> None:
        expect(driver.page.get_by_label("Playback speed")).to_have_value(want)

    return after


def at_pace(pace: str) -> Before:
    def before(driver: Driver) -> None:
        driver.page.get_by_label("Playback speed").select_option(pace)

    return before


def pinned(driver: Driver) -> str:
    driver.page.locator(".node").first.click()
    expect(driver.page.locator(".node[aria-pressed=true]")).to_have_count(1)
    driver.page.locator("body").focus()
    return driver.page.locator(".node").first.get_attribute("data-node") or ""


def unpinned(driver: Driver, _context: Any) -> None:
    expect(driver.page.locator(".node[aria-pressed=true]")).to_have_count(0)


def node_in_view(driver: Driver) -> str:
    name = pinned(driver)
    driver.press("h")
    return name


def cordoned_node(driver: Driver) -> str:
    name = node_in_view(driver)
    driver.press("c")
    expect(driver.page.locator("#side-panel")).to_contain_text("cordoned: spec.unschedulable")
    return name


def uncordoned(driver: Driver, _context: Any) -> None:
    expect(driver.page.locator("#side-panel")).not_to_contain_text("cordoned: spec.unschedulable")


def recovered(driver: Driver, _context: Any) -> None:
    expect(driver.page.locator("#side-panel")).not_to_contain_text("not-ready:NoExecute")


def failed_node(driver: Driver) -> None:
    node_in_view(driver)
    driver.page.get_by_role("button", name="Change", exact=True).click()
    driver.page.get_by_role("button", name="make the node fail").click()
    expect(driver.page.locator("#side-panel")).to_contain_text("not-ready:NoExecute")


def bound_pod(driver: Driver) -> None:
    driver.press("o")
    expect(driver.page.locator("#side-panel .facts .link")).to_be_visible()


def phase(want: str) -> After:
    def after(driver: Driver, _context: Any) -> None:
        # By key: what stands above it may grow just then, between the two halves of a click.
        driver.page.locator("#side-panel summary", has_text="Manifest").press("Enter")
        expect(driver.page.locator("#side-panel pre")).to_contain_text(f"phase: {want}")

    return after


def binding_failed(driver: Driver, _context: Any) -> None:
    # As long as the palette is there, the key is one of its own; and a step may be asked for before the failure is.
    expect(driver.page.locator("dialog")).to_have_count(0)
    expect(driver.page.locator(".notice", has_text="The next Bind will fail")).to_be_visible()
    driver.next_cycle(1)
    expect(driver.page.locator(".pipeline .outcome")).to_contain_text("error")


# The node may be seen as it was before the page knows that this can be taken back.
REDOABLE = """async () => {
  const {store} = await import('/static/js/base/store.js');
  while (!store.cluster.value.can_redo) await new Promise(requestAnimationFrame);
}"""


def undone(driver: Driver) -> None:
    cordoned_node(driver)
    driver.press("u")
    uncordoned(driver, None)
    expect(driver.page.locator(".notice").last).to_contain_text("Undone")
    driver.page.evaluate(REDOABLE)


def forked(driver: Driver, _context: Any) -> None:
    expect(driver.page.locator(".cluster-name")).to_have_text("test after cycle 2")
    driver.cycle(2)
    expect(driver.page.locator(".transport .where")).to_contain_text("/ 2")


def with_a_branch(driver: Driver) -> None:
    driver.press("f")
    expect(driver.page.locator(".cluster-name")).to_have_text("test after cycle 1")
    driver.next_cycle(2)
    driver.page.locator(".branch-menu button").first.click()
    expect(driver.page.locator(".branch-menu .menu-item", has_text="from cycle 1")).to_be_visible()
    driver.press("Escape")


def downloads(driver: Driver) -> list[str]:
    found: list[str] = []
    driver.page.on("download", lambda download: found.append(download.suggested_filename))
    return found


def downloaded(part: str) -> After:
    def after(driver: Driver, found: list[str]) -> None:
        expect(driver.page.locator("dialog")).to_have_count(0)
        if not found:
            driver.page.wait_for_event("download")
        assert found[0].startswith(part)

    return after


def changed(selector: str, attribute: str) -> tuple[Before, After]:
    """Return an effect that changes an attribute of an existing element."""

    def before(driver: Driver) -> str | None:
        return driver.page.locator(selector).first.get_attribute(attribute)

    def after(driver: Driver, old: str | None) -> None:
        expect(driver.page.locator(selector).first).not_to_have_attribute(attribute, old or "")

    return before, after


def profile_edited(driver: Driver) -> None:
    driver.press("e")
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    editor = driver.page.locator(".profile .cm-content")
    editor.click()
    driver.press("ControlOrMeta+A", "Delete")
    driver.page.keyboard.insert_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 8\n"
    )
    expect(driver.page.get_by_role("button", name="Apply")).to_be_enabled()
    driver.page.get_by_role("tab", name="Profile", exact=True).focus()


def single_off(driver: Driver, _context: Any) -> None:
    expect(driver.page.locator("dialog")).to_have_count(0)
    driver.press("n")
    expect(driver.page.locator("dialog")).to_have_count(0)
    driver.page.evaluate(
        "async () => ((await import('/static/js/base/preferences.js')).preferences.singleKeys.value = true)"
    )


def unavailable(action: str) -> After:
    """Return the effect of an action that the palette explains instead: without a login there is no logout."""

    def after(driver: Driver, _context: Any) -> None:
        expect(driver.page.locator(f".palette [data-action={action}]")).to_have_attribute("aria-disabled", "true")

    return after


def speaks(language: str) -> After:
    return lambda driver, _: expect(driver.page.locator("html")).to_have_attribute("lang", language)


def teaching(driver: Driver) -> None:
    driver.page.locator(".learning > button").click()
    driver.page.get_by_role("button", name="Open a class with this cluster").click()
    expect(driver.page.locator(".class-panel")).to_be_visible()


def in_a_lesson(driver: Driver) -> None:
    driver.show(driver.post("lessons/01-what-a-cycle-is/start/", {})["id"])
    expect(driver.page.locator(".lesson .question")).to_be_visible()


def no_panel(driver: Driver, _context: Any) -> None:
    expect(driver.page.locator(".class-panel")).to_have_count(0)


@dataclass(frozen=True)
class Effect:
    """The preparation and the expected result of an action, on a cluster after so many cycles.

    Actions that don't change the cluster run on the same one.
    """

    before: Before
    after: After
    cycles: int = 0
    at: str = ""
    example: str = "three-zones"
    changes: bool = False


def played(driver: Driver, _context: Any) -> None:
    expect(driver.page.locator(".transport .where")).to_contain_text(re.compile(r"cycle ([2-9]|1\d)"))


def at_filter_end(driver: Driver, _context: Any) -> None:
    driver.cycle(1)
    expect(driver.page.locator("[data-point][aria-current=step]")).to_have_attribute("data-point", "PreFilter")


def slow(driver: Driver, _context: Any) -> None:
    """Check that playing starts at the first step and continues to the end."""
    expect(driver.page.get_by_role("button", name="Pause")).to_be_visible()
    expect(driver.page.locator(".pipeline .head .about").last).to_have_text(re.compile(r"step [12]?\d of"))
    driver.page.get_by_label("Playback speed").select_option("0")
    moment(1)(driver, None)
    expect(driver.page.get_by_role("button", name="Play")).to_be_visible()


EFFECTS: dict[str, Effect] = {
    "play": Effect(lambda driver: driver.page.get_by_label("Playback speed").select_option("0"), played, changes=True),
    "step-forward": Effect(nothing, moment(1, 4), 3, "1.3"),
    "step-back": Effect(nothing, moment(1, 1), 3, "1.2"),
    "point-forward": Effect(nothing, at_filter_end, 3, "1.1"),
    "point-back": Effect(nothing, moment(1), 3, "2.1"),
    "cycle-forward": Effect(nothing, moment(2), 1, changes=True),
    "cycle-back": Effect(nothing, moment(1), 2),
    "pod-forward": Effect(third_pod, attempt_of, changes=True),
    "pod-back": Effect(nothing, seen(".notice", "no earlier attempt"), 1),
    "slow-motion": Effect(at_pace("1"), slow, 1),
    "start": Effect(nothing, moment(1, 1), 2),
    "end": Effect(nothing, moment(2), 2, "1.1"),
    "faster": Effect(at_pace("4"), pace("8"), changes=True),
    "slower": Effect(at_pace("4"), pace("2"), changes=True),
    "backoff": Effect(in_backoff, clock_moved, example="nearly-full", changes=True),
    "pass-time": Effect(nothing, dialog("Let time pass")),
    "reset": Effect(nothing, dialog("Reset to the start?"), 1),
    "undo": Effect(cordoned_node, uncordoned, 1, changes=True),
    "redo": Effect(undone, seen("#side-panel", "cordoned: spec.unschedulable"), 1, changes=True),
    "fork": Effect(nothing, forked, 3, "2.1", changes=True),
    "branches": Effect(nothing, dialog("Branches")),
    "compare-branches": Effect(with_a_branch, seen(".difference", "All cycles are the same."), 2, "1.1", changes=True),
    "delete-branch": Effect(with_a_branch, seen("dialog h2", "Delete"), 2, "1.1", changes=True),
    "breakpoints": Effect(nothing, dialog("Breakpoints"), 1),
    "break-pod": Effect(third_pod, broken, changes=True),
    "why": Effect(nothing, tab("Why not"), 1),
    "scores": Effect(nothing, tab("Scores"), 1),
    "spread": Effect(nothing, tab("Spread"), 1),
    "preemption": Effect(nothing, tab("Preemption"), 1),
    "time": Effect(nothing, tab("Time"), 1),
    "pod": Effect(nothing, tab("Pod"), 1),
    "node": Effect(nothing, tab("Node"), 1),
    "events": Effect(nothing, tab("Events"), 1),
    "profile": Effect(nothing, tab("Profile"), 1),
    "queues": Effect(nothing, lambda driver, _: expect(driver.page.locator("#queues")).to_be_focused()),
    "lesson": Effect(in_a_lesson, lambda driver, _: expect(driver.page.locator(".lesson-body")).to_be_focused()),
    "filter": Effect(nothing, lambda driver, _: expect(driver.page.locator("#matrix-filter")).to_be_focused(), 1),
    "zoom": Effect(*changed(".cluster .segments button:first-child", "aria-pressed")),
    **{
        f"picture-{view}-{kind}": Effect(downloads, downloaded(f"{view}-cycle-1.{kind}"), 1)
        for view in ("cluster", "pipeline", "matrix", "ledger", "timeline")
        for kind in ("png", "svg")
    },
    **{
        f"picture-{view}-slide": Effect(downloads, downloaded(f"{view}-cycle-1-slide.png"), 1)
        for view in ("cluster", "pipeline", "matrix", "ledger", "timeline")
    },
    "present": Effect(nothing, seen(".presenter .pipeline"), 1),
    "complete": Effect(nothing, seen("[data-complete] [data-ran]"), 1),
    "map": Effect(*changed(".cluster .segments button:last-child", "aria-pressed")),
    "unpin": Effect(pinned, unpinned, 1),
    "left": Effect(nothing, seen(".rail.left")),
    "right": Effect(nothing, seen(".rail.right")),
    "terminal": Effect(nothing, seen(".panel.terminal .lines", "kubectl get pods")),
    "source": Effect(nothing, seen(".panel.source .cm-content")),
    "charts": Effect(nothing, seen("[data-chart=phases] canvas")),
    "theme": Effect(*changed("html", "data-theme")),
    "new": Effect(nothing, dialog("New object")),
    "import": Effect(nothing, dialog("Import nodes and pods")),
    "new-cluster": Effect(nothing, seen("dialog h2")),
    "delete-cluster": Effect(nothing, seen("dialog h2", "Delete")),
    "apply-profile": Effect(profile_edited, seen(".top", "v2"), changes=True),
    "edit-node": Effect(node_in_view, seen("dialog h2", "Node"), 1),
    "capacity": Effect(nothing, seen("dialog [data-capacity=there]"), 1),
    "make-it-fit": Effect(nothing, tab("Pod"), 1),
    "cordon": Effect(node_in_view, seen("#side-panel", "cordoned: spec.unschedulable"), 1, changes=True),
    "uncordon": Effect(cordoned_node, uncordoned, 1, changes=True),
    "taint": Effect(node_in_view, seen("dialog h2", "Taints of"), 1),
    "drain": Effect(node_in_view, seen("#side-panel", "cordoned: spec.unschedulable"), 1, changes=True),
    "fail-node": Effect(node_in_view, seen("#side-panel", "not-ready:NoExecute"), 1, changes=True),
    "recover-node": Effect(failed_node, recovered, 1, changes=True),
    "delete-node": Effect(node_in_view, seen("dialog h2", "Delete Node"), 1),
    "edit-pod": Effect(bound_pod, seen("dialog h2", "Pod"), 1),
    "activate": Effect(waiting_pod, in_active, example="nearly-full", changes=True),
    "evict": Effect(bound_pod, seen("#side-panel .facts", "Gone"), 1, changes=True),
    "succeed": Effect(bound_pod, phase("Succeeded"), 1, changes=True),
    "fail-pod": Effect(bound_pod, phase("Failed"), 1, changes=True),
    "delete-pod": Effect(bound_pod, seen("dialog h2", "Delete Pod"), 1),
    "fail-binding": Effect(nothing, binding_failed, changes=True),
    "palette": Effect(nothing, seen("dialog.palette input")),
    "keys": Effect(nothing, dialog("Keyboard shortcuts")),
    "single-keys": Effect(nothing, single_off),
    "upgrade": Effect(nothing, seen("dialog h2", "Effects of an upgrade")),
    "claims": Effect(nothing, seen("dialog h2", "Claims of"), 1),
    "past": Effect(nothing, seen("dialog h2", "Convert a legacy configuration")),
    "lessons": Effect(nothing, seen("dialog h2", "Lessons")),
    "compare": Effect(nothing, seen("dialog h2", "Compare"), 1),
    "tour": Effect(nothing, seen(".tour-bubble", "This is your cluster")),
    "decode": Effect(nothing, dialog("What does this message mean?")),
    "faithful": Effect(nothing, seen("dialog h2")),
    "copy-link": Effect(nothing, seen(".notice", "link")),
    "share": Effect(nothing, seen("#share-link"), changes=True),
    "gallery": Effect(nothing, seen("dialog h2", "Examples gallery")),
    "storyboard": Effect(downloads, downloaded("cycle-1"), 1),
    "export-profile": Effect(downloads, downloaded("scheduler-config")),
    "export-cluster": Effect(downloads, downloaded("cluster")),
    "language-en": Effect(nothing, unavailable("language-en")),
    "language-zh-hans": Effect(nothing, speaks("zh-hans")),
    "language-ko": Effect(nothing, speaks("ko")),
    "log-out": Effect(nothing, unavailable("log-out")),
    "class-open": Effect(nothing, seen(".class-bar", "Your class"), changes=True),
    "class-join": Effect(nothing, seen("main h1", "Join a class")),
    "class-panel": Effect(teaching, no_panel, changes=True),
    "class-lock": Effect(teaching, seen(".class-bar.locked", "Unlock"), changes=True),
    "class-link": Effect(teaching, seen(".notice", "join"), changes=True),
    "class-end": Effect(teaching, dialog("End the class?"), changes=True),
    # What only followers can do is seen in test_class.
    "class-back": Effect(nothing, unavailable("class-back")),
    "class-fork": Effect(nothing, unavailable("class-fork")),
    "class-leave": Effect(nothing, unavailable("class-leave")),
}
