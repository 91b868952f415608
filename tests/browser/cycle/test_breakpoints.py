"""Breakpoints on the page: set by hand, taken away, and told when one of them has stopped a run."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.whole_page.test_accessible import violations
from tests.core.controllers.chaos import workload
from tests.web import node

pytestmark = pytest.mark.one_page

KINDS: list[tuple[str, Callable[[Driver], object], str]] = [
    (
        "rejection",
        lambda driver: driver.page.get_by_role("combobox", name="plugin", exact=True).fill("NodeResourcesFit"),
        "NodeResourcesFit rejects a node",
    ),
    (
        "failure",
        lambda driver: driver.page.get_by_role("combobox", name="extension point", exact=True).select_option("Bind"),
        "an error at Bind",
    ),
    ("preemption", lambda _driver: None, "a preemption"),
]


def test_breakpoints_are_listed_added_and_removed(driver: Driver) -> None:
    cluster = driver.open("nearly-full")
    driver.press("b")
    for kind, fill, text in KINDS:
        driver.page.get_by_label("stop at").select_option(kind)
        fill(driver)
        driver.page.get_by_role("button", name="Add", exact=True).click()
        expect(driver.page.locator(".breakpoints")).to_contain_text(text)
    assert violations(driver.page) == []
    driver.page.get_by_role("button", name="remove: NodeResourcesFit rejects a node").click()
    expect(driver.page.locator(".breakpoints li")).to_have_count(2)
    assert driver.get(f"clusters/{cluster}/breakpoints/") == [
        {"kind": "failure", "point": "Bind"},
        {"kind": "preemption"},
    ]
    driver.close_dialog()
    driver.page.get_by_label("Playback speed").select_option("0")
    driver.page.get_by_role("button", name="Play").click()
    expect(driver.page.locator(".notice", has_text="Stopped at a breakpoint: a preemption.")).to_be_visible()


def test_what_others_have_set_meanwhile_stays(driver: Driver) -> None:
    cluster = driver.open("nearly-full")
    theirs = {"kind": "preemption"}
    driver.call("PUT", f"clusters/{cluster}/breakpoints/", [theirs])
    driver.press("b")
    driver.page.get_by_label("stop at").select_option("failure")
    driver.page.get_by_role("button", name="Add", exact=True).click()
    expect(driver.page.locator(".breakpoints li")).to_have_count(2)
    assert driver.get(f"clusters/{cluster}/breakpoints/") == [theirs, {"kind": "failure", "point": "Bind"}]


def living(driver: Driver) -> int:
    """A cluster in which a rollout of two pods has begun: the controllers answered, and nobody has played yet."""
    cluster = driver.prepare_living([node("a"), workload("Deployment", "web", replicas=2)], seconds=60)
    again = workload("Deployment", "web", replicas=2)
    again["spec"]["template"]["metadata"]["labels"]["version"] = "v2"
    driver.post(f"clusters/{cluster}/commands/", {"kind": "update", "objects": [again]})
    driver.show(cluster)
    expect(driver.page.locator("[data-workload='Deployment/default/web'] .mark.s-pending")).to_have_count(1)
    return cluster


def by_mouse(driver: Driver) -> None:
    page = driver.page
    page.get_by_label("stop at").select_option(label="a controller acts")
    page.get_by_role("combobox", name="controller, or any").select_option("replicaset")
    page.get_by_role("combobox", name="object, or any").fill("default/web")
    page.get_by_role("button", name="Add", exact=True).click()


def by_keyboard(driver: Driver) -> None:
    driver.page.get_by_label("stop at").focus()
    driver.page.keyboard.type("a controller")
    expect(driver.page.get_by_role("combobox", name="controller, or any")).to_be_visible()
    driver.press("Tab")
    driver.page.keyboard.type("replicas")
    driver.press("Tab")
    driver.page.keyboard.type("default/web")
    driver.press("Enter")


@pytest.mark.parametrize("add", [by_mouse, by_keyboard])
def test_a_run_stops_where_a_controller_does_something(driver: Driver, add: Callable[[Driver], None]) -> None:
    cluster = living(driver)
    page = driver.page
    driver.press("b")
    add(driver)
    text = "replicaset acts on default/web"
    expect(page.locator(".breakpoints")).to_contain_text(text)
    assert violations(page) == []
    wanted = {"kind": "reconcile", "actor": "replicaset", "object": "default/web"}
    assert driver.get(f"clusters/{cluster}/breakpoints/") == [wanted]
    driver.close_dialog()
    told = page.locator(".notice", has_text="Stopped at a breakpoint").last
    page.get_by_label("Playback speed").select_option("0")
    # Each press of Play goes on to the next of them, and says which controller it was, about what, and why.
    for why in ("has 2 of 1 Pods: deletes 1", "has 1 of 0 Pods: deletes 1"):
        page.get_by_role("button", name="Play").click()
        expect(told).to_contain_text(why)
        step = driver.get(f"clusters/{cluster}/reconciles/")["steps"][-1]
        expect(told).to_contain_text(f": replicaset, ReplicaSet {step['key']}: {step['reason']}")
    # It opens as any other.
    page.reload()
    driver.arrive()
    driver.press("b")
    page.get_by_role("button", name=f"remove: {text}").click()
    expect(page.locator(".breakpoints")).to_have_count(0)


def test_the_dialog_offers_each_kind_that_there_is(driver: Driver) -> None:
    driver.open("nearly-full")
    driver.press("b")
    kinds = driver.get("breakpoints/")["items"]["oneOf"]
    dialog = driver.page.get_by_role("dialog")
    for count, kind in enumerate(kinds, 1):
        dialog.get_by_label("stop at").select_option(kind["title"])
        for name in kind["required"]:
            field = kind["properties"][name]
            if "enum" not in field:
                dialog.get_by_label(field["title"], exact=True).fill("some/thing")
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog.locator(".breakpoints li")).to_have_count(count)
    said = driver.page.locator(".breakpoints li").all_inner_texts()
    assert len(set(said)) == len(kinds)
