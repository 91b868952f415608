"""kubectl beside the page: what it changes is seen there, and taken back there; tokens."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.kubectl import programs
from tests.web import node

pytestmark = pytest.mark.one_page

ABOUT_COMMAND = re.compile(r"/commands/\d+/$")
# What the page hears of the cluster comes after what it hears of clients: as before the last undo until `late()`.
LATE_STATE = """async () => {
  const {store} = await import('/static/js/base/store.js');
  // What would be undone next is no client's any more: all that it did is, and the page has heard of it.
  while (store.cluster.peek().can_undo?.client) await new Promise(requestAnimationFrame);
  const now = store.cluster.peek();
  store.cluster.value = {...now, can_redo: {...now.can_redo, number: now.can_redo.number + 1}};
  window.late = async () => {
    // What a press does is loaded first.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    store.cluster.value = now;
  };
}"""


def opened(driver: Driver, folder: Path) -> tuple[int, Callable[..., str]]:
    """A cluster with its terminal open, and kubectl in it: what it prints; what it says of a failure is that, too."""
    cluster = driver.open(None)
    page = driver.page
    driver.press("K")
    expect(page.locator(".terminal .lines")).to_contain_text(f"/api/v1/clusters/{cluster}/kubeconfig/")
    config = folder / "kubeconfig"
    config.write_text(page.request.get(f"{driver.url}/api/v1/clusters/{cluster}/kubeconfig/").text())
    environ = {**os.environ, "KUBECONFIG": str(config), "HOME": str(folder)}

    def kubectl(*words: str) -> str:
        command = [str(programs.folder() / "kubectl"), *words]
        return subprocess.run(command, env=environ, text=True, stdout=-1, stderr=-2, timeout=60, check=False).stdout

    return cluster, kubectl


def test_what_kubectl_does_is_seen_and_taken_back_on_the_page(driver: Driver, tmp_path: Path) -> None:
    _, kubectl = opened(driver, tmp_path)
    page = driver.page
    writes = page.locator(".terminal .write")
    create = ("create", "configmap", "settings")
    assert kubectl(*create) == "configmap/settings created\n"
    expect(writes).to_have_count(1)
    expect(writes.first).to_contain_text("create ConfigMap default/settings")
    expect(writes.first).to_contain_text("kubectl/v1.34")
    assert "already exists" in kubectl(*create)
    expect(writes.first).to_contain_text("409 AlreadyExists")
    assert kubectl("delete", "configmap", "settings").startswith('configmap "settings" deleted')
    expect(writes).to_have_count(3)
    # The deletion is taken back, then the creation.
    writes.first.get_by_role("button", name="Undo", exact=True).click()
    expect(writes.first).to_have_attribute("data-write", "undone")
    assert kubectl("get", "configmap", "settings", "-o", "name") == "configmap/settings\n"
    writes.last.get_by_role("button", name="Undo", exact=True).click()
    expect(writes.last).to_have_attribute("data-write", "undone")
    assert "not found" in kubectl("get", "configmap", "settings")
    writes.last.get_by_role("button", name="Redo", exact=True).click()
    expect(writes.last).to_have_attribute("data-write", "done")


def test_what_one_command_writes_is_one_line_and_one_undo_on_the_page(driver: Driver, tmp_path: Path) -> None:
    cluster, kubectl = opened(driver, tmp_path)
    page = driver.page
    kubectl("create", "configmap", "settings")
    # A change of the page's comes between.
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [node("node-1")]})
    kept = {"apiVersion": "v1", "kind": "ConfigMap"}
    manifests = tmp_path / "manifests.json"
    items = [{**kept, "metadata": {"name": name}} for name in ("a", "b", "c")]
    manifests.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    kubectl("apply", "-f", str(manifests))
    go = page.locator(".terminal [data-go]")
    expect(go).to_contain_text("changes in one go")
    expect(go.get_by_role("button", name="Undo", exact=True)).to_be_visible()
    # Who sees that all are undone may redo them before the page has heard that the last undo is done.
    undone: list[str] = []
    page.on("request", lambda asked: undone.append(asked.url) if asked.url.endswith("/undo/") else None)
    page.route(ABOUT_COMMAND, lambda route: route.continue_() if not undone else None)
    driver.press("u")
    expect(go.get_by_role("button", name="Redo", exact=True)).to_be_visible()
    assert kubectl("get", "configmap", "-o", "name").count("configmap/") == 1
    page.evaluate(LATE_STATE)
    driver.press("U")
    page.evaluate("() => window.late()")
    page.unroute(ABOUT_COMMAND)
    expect(go.get_by_role("button", name="Undo", exact=True)).to_be_visible()
    assert kubectl("get", "configmap", "-o", "name").count("configmap/") == 4


def test_a_token_is_made_told_once_and_revoked(driver: Driver) -> None:
    driver.open(None)
    panel = driver.page.locator(".terminal")
    driver.press("K")
    panel.locator(".tokens summary").click()
    panel.get_by_label("Role").select_option("view")
    panel.get_by_label("Name", exact=True).fill("a class")
    panel.get_by_role("button", name="Create a token").click()
    file = panel.locator("[data-token-made] a")
    expect(file).to_have_attribute("href", re.compile("token%3A%20playground-"))
    row = panel.locator(".tokens li")
    expect(row).to_contain_text("a class")
    expect(row).to_contain_text("not used yet")
    row.get_by_role("button", name="Revoke a class").click()
    driver.page.get_by_role("dialog").get_by_role("button", name="Revoke", exact=True).click()
    expect(row).to_have_count(0)
    expect(panel.locator("[data-token-made]")).to_have_count(0)
