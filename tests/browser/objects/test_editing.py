"""The dialog of an object that somebody else changes while it is open."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.objects.test_making import editor, form
from tests.services import wait_for

pytestmark = pytest.mark.one_page

SHOW = """async (node) => {
  const m = await import('/static/js/base/screen.js');
  m.openDialog("object", { kind: "Node", objectKey: node });
}"""


def test_an_edit_keeps_what_somebody_else_changed_meanwhile(driver: Driver) -> None:
    """A field that both changed shows both values, and the editor decides."""
    cluster = driver.open("three-zones")
    name = driver.page.locator(".node").first.get_attribute("data-node")
    driver.page.evaluate(SHOW, name)
    expect(editor(driver)).to_be_visible()
    node = f"clusters/{cluster}/objects/Node/{name}/"

    def change_elsewhere(cpu: str) -> None:
        manifest = driver.get(node)
        status = {**manifest["status"], "allocatable": {**manifest["status"]["allocatable"], "cpu": cpu}}
        conditions = [{"type": "Ready", "status": "True"}]
        changed = {**manifest, "status": {**status, "conditions": conditions}}
        number = driver.post(f"clusters/{cluster}/commands/", {"kind": "update", "objects": [changed]})["number"]
        wait_for(lambda: driver.get(f"clusters/{cluster}/commands/{number}/")["state"] == "done", "the change")

    change_elsewhere("48")
    fields = form(driver)
    fields.get_by_label("CPU", exact=True).fill("64")
    driver.press("ControlOrMeta+Enter")
    dialog = driver.page.locator("dialog")
    conflict = 'status.allocatable.cpu: has changed to "48" since it was read; you wrote "64"'
    expect(dialog).to_contain_text(conflict)
    assert driver.get(node)["status"]["allocatable"]["cpu"] == "48"
    dialog.get_by_role("button", name="Overwrite").click()
    expect(dialog).to_have_count(0)
    status = driver.get(node)["status"]
    assert (status["allocatable"]["cpu"], status["conditions"]) == ("64", [{"type": "Ready", "status": "True"}])
