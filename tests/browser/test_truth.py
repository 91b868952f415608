"""Changes tell the truth: what a reset keeps and undoes."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.services import wait_for

pytestmark = pytest.mark.one_page


def command(driver: Driver, cluster: int, **payload: object) -> None:
    """A command by the API, and the end of it."""
    number = driver.post(f"clusters/{cluster}/commands/", payload)["number"]
    path = f"clusters/{cluster}/commands/{number}/"
    wait_for(lambda: driver.get(path)["state"] == "done", f"{payload['kind']}")


def test_reset_says_by_name_what_it_keeps_and_undoes(driver: Driver) -> None:
    cluster = driver.open("nearly-full")
    driver.next_cycle(1)
    first, second, third = driver.get(f"clusters/{cluster}/nodes/")["names"][:3]
    manifest = driver.get(f"clusters/{cluster}/objects/Node/{third}/")
    manifest["metadata"]["labels"]["tier"] = "gold"
    command(driver, cluster, kind="cordon", node=first)
    command(driver, cluster, kind="fail_node", node=second)
    command(driver, cluster, kind="update", objects=[manifest])
    driver.page.get_by_role("button", name="Reset to the start").click()
    dialog = driver.page.get_by_role("dialog")
    keeps, undoes = dialog.locator("[data-part=keeps]"), dialog.locator("[data-part=undoes]")
    expect(keeps).to_contain_text(f"1 node cordoned: {first}")
    expect(keeps).to_contain_text(f"update Node {third}")
    expect(undoes).to_contain_text("1 cycle")
    expect(undoes).to_contain_text(f"1 node is as ready as it was given: {second}")
    dialog.get_by_role("button", name="Reset").click()
    expect(driver.page.get_by_text("No pod has been scheduled yet.")).to_be_visible()
    nodes = driver.get(f"clusters/{cluster}/nodes/")
    place = [nodes["names"].index(name) for name in (first, second, third)]
    assert [nodes["unschedulable"][i] for i in place] == [True, False, False]
    assert nodes["taints"][place[1]] == []
    assert driver.get(f"clusters/{cluster}/objects/Node/{third}/")["metadata"]["labels"]["tier"] == "gold"
