"""When Play has nothing to do it says why, and offers what would change that."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import Driver, is_command
from tests.services import wait_for

pytestmark = pytest.mark.one_page

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n"},
    "status": {"allocatable": {"cpu": "4", "pods": "9"}},
}
LANES = re.compile(r"/queue/\?limit=")


def pod(**spec: Any) -> dict[str, Any]:
    containers = [{"name": "app", "resources": {"requests": {"cpu": spec.pop("cpu", "1")}}}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"containers": containers, **spec},
    }


def whys(driver: Driver) -> None:
    expect(driver.page.locator("#side-panel h3").first).to_contain_text("0 of 1 nodes can take")


def dialog(title: str) -> Callable[[Driver], None]:
    return lambda driver: expect(driver.page.get_by_role("dialog", name=title)).to_be_visible()


# pod, what is said, the button that helps, what it leads to
CASES = [
    (pod(), r"^Nothing to do: every Pod has a node\.$", "New pod", dialog("New object")),
    (pod(cpu="8"), r"^No Pod is ready: 1 has no node", "Why does web wait?", whys),
    (pod(cpu="8"), r"^No Pod is ready: 1 has no node", "New node", dialog("New object")),
    (pod(schedulingGates=[{"name": "a/b"}]), r"^No Pod is ready: 1 is held", "See them", dialog("Gated")),
]


@pytest.mark.parametrize("case", CASES, ids=["bound", "unschedulable: why", "unschedulable: room", "gated"])
def test_it_says_why_and_what_helps(driver: Driver, case: Any) -> None:
    web, said, helps, leads = case
    cluster = driver.create(None)
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [NODE, web]})
    driver.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle"})
    driver.show(cluster)
    if "schedulingGates" not in web["spec"]:
        driver.cycle(1)
    # The cycle is seen before the run that made it is over; until then the key would pause it.
    expect(driver.page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    driver.press("Space")
    notice: Locator = driver.page.locator(".notice").last
    expect(notice.locator("p")).to_have_text(re.compile(said))
    notice.get_by_role("button", name=helps).click()
    leads(driver)


def test_it_waits_for_the_lanes(driver: Driver) -> None:
    """A cycle is on the screen before the lanes that it leaves: what is said of them is said of the new ones."""
    cluster = driver.open(None)
    held: list[Route] = []
    holds = [True]
    driver.page.route(LANES, lambda route: held.append(route) if holds else route.continue_())
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [NODE, pod(cpu="8")]})
    driver.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle"})
    driver.cycle(1)
    expect(driver.page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    with driver.page.expect_response(lambda answer: is_command(answer.request), timeout=60_000) as posted:
        driver.press("Space")
    number = posted.value.json()["number"]
    wait_for(lambda: driver.get(f"clusters/{cluster}/commands/{number}/")["state"] == "done", "a run of no cycle")
    assert held, "the page asks for the lanes"
    holds.clear()
    for route in held:
        route.continue_()
    expect(driver.page.locator(".notice p")).to_have_text(re.compile("^No Pod is ready: 1 has no node"))
