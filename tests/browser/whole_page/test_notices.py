"""Messages over the page leave when they are about nothing any more."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.services import wait_for
from tests.web import node

pytestmark = pytest.mark.one_page

READ = """async (path) => {
  const [{get}, {report}] = await Promise.all(['api', 'notices'].map((name) => import(`/static/js/base/${name}.js`)));
  await get(path).catch(report);
}"""
SAY = "async (text) => (await import('/static/js/base/notices.js')).notify(text, {tone: 'error'})"


def test_an_error_goes_when_it_is_mended(driver: Driver) -> None:
    cluster = driver.open()
    errors = driver.page.locator(".notice.error")
    driver.page.evaluate(READ, f"clusters/{cluster}/nodes/later/")
    expect(errors).to_have_count(1)
    # Another request that goes well mends nothing.
    driver.page.evaluate(READ, f"clusters/{cluster}/nodes/node-01/")
    expect(errors).to_have_count(1)
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [node("later")]})
    wait_for(lambda: driver.get(f"clusters/{cluster}/")["state"] == "idle", "the node")
    driver.page.evaluate(READ, f"clusters/{cluster}/nodes/later/")
    expect(errors).to_have_count(0)


def test_what_is_said_of_a_cluster_goes_with_it(driver: Driver) -> None:
    first = driver.open()
    driver.page.evaluate(SAY, "of the first")
    expect(driver.page.locator(".notice")).to_have_count(1)
    second = driver.create(name="second")
    driver.page.evaluate(
        "async (id) => (await import('/static/js/cluster/clusters.js')).openCluster(id)",
        second,
    )
    expect(driver.page.locator(".notice")).to_have_count(0)
    assert first != second
