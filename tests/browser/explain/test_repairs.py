"""What would make it fit, on the page: asked, found, carried out, undone; in another language, by keyboard."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Driver
from tests.web import node

pytestmark = pytest.mark.one_page
QUESTION = "What would make it fit?"
SELECTED = """() => {
  getSelection().selectAllChildren(document.querySelector('.repair pre'));
  return getSelection().toString();
}"""


def waiting(driver: Driver, pods: tuple[str, ...] = ("p",), tainted: str = "tainted") -> int:
    """A cluster in which pods wait: one node is tainted, the other too small. The last attempt is on the screen."""
    cluster = driver.create(None)
    names: tuple[tuple[str, str, dict[str, Any]], ...] = (
        (tainted, "4", {"taints": [{"key": "db", "effect": "NoSchedule"}]}),
        ("small", "1", {}),
    )
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "spec": spec,
            "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}},
        }
        for name, cpu, spec in names
    ]
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}
    head = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container]}}
    objects += [{**head, "metadata": {"name": name, "namespace": "default"}} for name in pods]
    for command in ({"kind": "create", "objects": objects}, {"kind": "run", "until": "idle"}):
        driver.post(f"clusters/{cluster}/commands/", command)
    driver.show(cluster)
    driver.cycle(len(pods))
    return cluster


def ask(page: Page) -> None:
    page.get_by_role("button", name=QUESTION).click()
    expect(page.locator("[data-repairs=there] .repair").first).to_be_visible()


def test_a_repair_is_found_carried_out_and_undone(driver: Driver) -> None:
    cluster = waiting(driver)
    page = driver.page
    ask(page)
    first = page.locator(".repair").first
    expect(first).to_contain_text("Tolerate db:NoSchedule")
    expect(first).to_contain_text("verified on tainted")
    expect(first).to_contain_text("cheapest")
    expect(first.locator("pre")).to_contain_text("kubectl -n default patch pod p")
    expect(first.locator("[data-after]")).to_contain_text(re.compile("pending → *tainted"))
    first.get_by_role("button", name="Apply").click()
    driver.cycle(2)
    assert driver.get(f"clusters/{cluster}/pods/default/p/")["node"] == "tainted"
    page.locator("[data-applied]").get_by_role("button", name="Undo").click()
    expect(page.locator("[data-applied]")).to_have_count(0)
    assert "tolerations" not in driver.get(f"clusters/{cluster}/objects/Pod/default/p/")["spec"]


def test_long_names_and_commands_stay_in_the_card_of_their_repair(driver: Driver) -> None:
    waiting(driver, tainted="ip-10-0-132-247.eu-central-1.compute.internal")
    page = driver.page
    ask(page)
    first = page.locator(".repair").first
    card, tag = first.bounding_box(), first.locator(".repair-marks .tag").first.bounding_box()
    assert card and tag and tag["x"] + tag["width"] <= card["x"] + card["width"]
    # Selected by hand, a command is one line.
    assert page.evaluate(SELECTED).startswith("kubectl -n default patch pod p --type json -p '[{")


def test_where_controllers_are_on_the_template_is_said_to_stay(driver: Driver) -> None:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "9"}}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    metadata = {"name": "web", "namespace": "default"}
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    driver.show(driver.prepare_living([node("n", cpu="4"), owner], 10))
    ask(driver.page)
    first = driver.page.locator(".repair").first
    expect(first.locator("pre")).to_contain_text("kubectl -n default patch deployment web")
    expect(first.locator("[data-alone]")).to_contain_text("its owner's template does not change")


def test_it_is_tried_in_a_branch(driver: Driver) -> None:
    cluster = waiting(driver)
    page = driver.page
    ask(page)
    page.get_by_role("button", name="Open as a branch").click()
    driver.cycle(2)
    assert not driver.get(f"clusters/{cluster}/pods/default/p/")["node"], "the original has changed"
    expect(page.locator("[data-applied]")).to_contain_text("Tolerate db:NoSchedule")


def test_locks_and_costs_are_saved_and_searched_with(driver: Driver) -> None:
    """By keyboard."""
    cluster = waiting(driver)
    page = driver.page
    ask(page)
    page.locator(".repair-costs summary").focus()
    page.keyboard.press("Enter")
    cost, locks = page.locator("[data-cost=tolerate] input"), page.locator(".repair-costs textarea")
    expect(cost).to_have_value("10")
    locks.focus()
    page.keyboard.type("Taint/db")
    expect(locks).to_have_value("Taint/db")
    cost.focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(cost).to_have_value("")
    page.keyboard.press("Enter")
    expect(page.locator(".repair").first).to_contain_text("Ask for 1 of cpu instead of 2")
    kept = driver.get(f"clusters/{cluster}/repairs/costs/")
    assert kept["locks"] == ["Taint/db"]
    assert {row["kind"]: row["cost"] for row in kept["costs"]}["tolerate"] is None
