"""A group of pods: its members stand over the pipeline of each, with what its condition says."""

from playwright.sync_api import expect

from tests.browser.driver import Driver
from tests.core.cycle.test_group import gang, node, pod

GATES = "GenericWorkload=true,GangScheduling=true"


def test_a_group_is_one_entry_of_its_lane(driver: Driver) -> None:
    cluster = driver.post("clusters/", {"name": "lanes", "emulates": "v1.36.3", "featureGates": GATES})["id"]
    members = [pod(f"large-{i:02}", "large", cpu="3") for i in range(12)]
    objects = [node("n"), gang("large", 12), gang("fits", 2), pod("fits-0", "fits", cpu="1"), *members]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    lane = driver.page.locator("[data-lane=active]")
    group = lane.locator("[data-lane-group='default/large']")
    head = group.locator("[aria-expanded]")
    expect(head).to_contain_text("12 pods")
    expect(group).to_contain_text("0 of 12 placed, at least 12 together")
    expect(lane.locator(".pod-row")).to_have_count(1)
    head.press("Enter")
    expect(group.locator("li .pod-row")).to_have_count(10)
    expect(group.locator(".group-waits")).to_contain_text("12 pods more of the gang default/large need room")
    group.get_by_role("button", name="2 more").click()
    expect(driver.page.locator("dialog h2")).to_contain_text("large · 12 pods")
    expect(driver.page.locator("dialog [role=row]")).to_have_count(13)
    driver.press("Escape")
    expect(driver.page.locator("dialog")).to_have_count(0)
    # One that waits for others to come is gated, and is a group as well.
    expect(driver.page.locator("[data-lane=gated] [data-lane-group='default/fits']")).to_contain_text("0 of 1 placed")
    group.locator("li .pod-row").first.click()
    expect(driver.page.locator(".side")).to_contain_text("large-")


def test_the_members_of_a_group(driver: Driver) -> None:
    page = driver.page
    wish = {"name": "gang", "emulates": "v1.36.3", "featureGates": GATES}
    cluster = driver.post("clusters/", wish)["id"]
    fits = [pod(f"fits-{i}", "fits") for i in range(2)]
    blocked = [pod(f"large-{i}", "large", cpu="3") for i in range(2)]
    objects = [node("n"), node("m", cpu="3"), gang("fits", 2), gang("large", 2), *fits, *blocked]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    # A moment that is not there yet is not waited for.
    driver.run(cluster, "idle")
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
    blocked_strip = page.locator("[data-group='default/large']")
    expect(blocked_strip).to_contain_text("PodGroupScheduled=False")
    expect(blocked_strip).to_contain_text("2 pods more of the gang default/large need room")
