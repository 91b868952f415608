"""The address holds the moment: reload, links, back and forward."""

import re

from playwright.sync_api import Route, expect

from tests.browser.conftest import Driver

OPENED = """async (cluster) => {
  const {store} = await import('/static/js/base/store.js');
  while (store.cluster.value?.id !== cluster) await new Promise((done) => setTimeout(done, 10));
}"""


def test_a_link_opens_the_moment(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    for number in (1, 2, 3):
        driver.next_cycle(number)
    driver.show(cluster, "&t=2.12&node=zone-a-1&view=scores")
    driver.cycle(2)
    assert driver.step() == 12
    expect(driver.page.get_by_role("tab", name="Scores")).to_have_attribute("aria-selected", "true")
    driver.page.reload()
    driver.cycle(2)
    assert driver.step() == 12


def test_the_address_follows_and_goes_back(driver: Driver) -> None:
    driver.open("three-zones")
    for number in (1, 2, 3):
        driver.next_cycle(number)
    expect(driver.page).to_have_url(re.compile(r"t=3\.\d+"))
    driver.press("[")
    driver.cycle(2)
    expect(driver.page).to_have_url(re.compile(r"t=2\.\d+"))
    driver.page.locator(".node").first.click()
    expect(driver.page).to_have_url(re.compile(r"node="))
    driver.page.go_back()
    expect(driver.page).not_to_have_url(re.compile(r"node="))
    expect(driver.page.locator(".node[aria-pressed=true]")).to_have_count(0)
    driver.page.go_forward()
    expect(driver.page.locator(".node[aria-pressed=true]")).to_have_count(1)


def test_an_unknown_cluster_leads_to_one_that_is_there(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.goto(f"{driver.url}/?cluster=999999")
    expect(driver.page.get_by_role("button", name="Play")).to_be_enabled()


def test_what_comes_late_of_another_cluster_is_not_shown(driver: Driver) -> None:
    late, wanted = driver.prepare("three-zones", 3), driver.prepare("nearly-full", 4)
    go = "(address) => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')); }"
    held: list[Route] = []
    driver.page.route(f"**/clusters/{late}/cycles/3/", lambda route: held.append(route))
    driver.open()
    with driver.page.expect_request(f"**/clusters/{late}/cycles/3/"):
        driver.page.evaluate(go, f"/?cluster={late}")
    driver.page.evaluate(go, f"/?cluster={wanted}")
    driver.page.evaluate(OPENED, wanted)
    held[0].continue_()
    driver.cycle(4)
    pod = driver.get(f"clusters/{wanted}/cycles/4/")["cycle"]["pod"]
    expect(driver.page.locator(".pipeline .head .name")).to_have_attribute("title", pod)
