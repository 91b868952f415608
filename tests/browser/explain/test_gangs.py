"""A group of pods: its members stand over the pipeline of each, with what its condition says."""

from playwright.sync_api import expect

from tests.browser.driver import Driver
from tests.core.cycle.test_group import gang, node, pod

GATES = "GenericWorkload=true,GangScheduling=true"


def test_the_members_of_a_group(driver: Driver) -> None:
    page = driver.page
    wish = {"name": "gang", "emulates": "v1.36.3", "featureGates": GATES}
    cluster = driver.post("clusters/", wish)["id"]
    fits = [pod(f"fits-{i}", "fits") for i in range(2)]
    blocked = [pod(f"large-{i}", "large", cpu="3") for i in range(2)]
    objects = [node("n"), node("m", cpu="3"), gang("fits", 2), gang("large", 2), *fits, *blocked]
    for command in ({"kind": "create", "objects": objects}, {"kind": "run", "until": "idle"}):
        driver.post(f"clusters/{cluster}/commands/", command)
    driver.show(cluster, "&t=1")
    driver.cycle(1)
    strip = page.locator("[data-group='default/fits']")
    expect(strip).to_contain_text("member 1 of 2")
    expect(strip).to_contain_text("at least 2 together")
    expect(strip).to_contain_text("PodGroupScheduled=True")
    strip.get_by_role("button").nth(1).click()
    driver.cycle(2)
    expect(strip).to_contain_text("member 2 of 2")
    expect(strip.get_by_role("button").nth(1)).to_have_attribute("aria-current", "true")
    driver.next_cycle(3)
    expect(page.locator("[data-group='default/large']")).to_contain_text("PodGroupScheduled=False")
