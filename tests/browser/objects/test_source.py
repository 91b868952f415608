"""The source beside the result: the cluster's objects as YAML, in step with the cluster both ways."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.bench.page import manifests
from tests.browser.conftest import Driver
from tests.browser.whole_page.test_accessible import violations_in_both_themes

pytestmark = pytest.mark.one_page
# Types into the editor as a key does: the cursor stands after the first place of a text, which is replaced.
REPLACE = """([old, next]) => {
  const content = document.querySelector('.source .cm-content');
  const view = content.cmTile?.view ?? content.cmView.view;
  const from = view.state.doc.toString().indexOf(old);
  if (from < 0) throw new Error('not there: ' + old);
  view.dispatch({changes: {from, to: from + old.length, insert: next}, userEvent: 'input.type'});
}"""
DOC = """() => {
  const content = document.querySelector('.source .cm-content');
  return (content.cmTile?.view ?? content.cmView.view).state.doc.toString();
}"""


def opened(driver: Driver) -> Locator:
    driver.press("y")
    panel = driver.page.locator(".panel.source")
    expect(panel).to_have_attribute("data-state", "same")
    driver.page.wait_for_function(f"() => document.querySelector('.source .cm-content') && ({DOC})().length > 0")
    return panel


def replace(page: Page, old: str, new: str) -> None:
    page.evaluate(REPLACE, [old, new])


def node_of(driver: Driver, cluster: int, name: str) -> Any:
    return driver.get(f"clusters/{cluster}/objects/Node/{name}/")


def test_an_edit_changes_the_cluster_and_runs_the_cycle_again(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.next_cycle(1)
    panel = opened(driver)
    page = driver.page
    winner = driver.get(f"clusters/{cluster}/cycles/1/")["cycle"]["node"]
    assert node_of(driver, cluster, winner).get("spec", {}).get("unschedulable") is None
    page.get_by_label("Find objects by name").fill(winner)
    expect(panel.locator(".source-places .num")).to_have_text("1–1 of 1")
    page.wait_for_function(f"() => !({DOC})().includes('---')")
    replace(page, "kind: Node\n", "kind: Node\nspec:\n  unschedulable: true\n")
    expect(panel.locator("[data-winner]")).to_be_visible()
    expect(panel.locator(".effect")).to_contain_text(f"instead of {winner}")
    expect(panel).to_have_attribute("data-state", "same")
    expect(driver.node(winner)).to_contain_text("cordoned")
    assert node_of(driver, cluster, winner)["spec"]["unschedulable"] is True
    # Undone in the cluster, it is gone from the text.
    expect(page.get_by_role("button", name=re.compile("^Undo"))).to_be_enabled()
    page.get_by_role("button", name=re.compile("^Undo")).click()
    page.wait_for_function(f"() => !({DOC})().includes('unschedulable: true')")
    assert "unschedulable" not in node_of(driver, cluster, winner).get("spec", {})


def test_an_edit_keeps_what_somebody_else_changed_meanwhile(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    panel = opened(driver)
    page = driver.page
    name = driver.page.locator(".node").first.get_attribute("data-node") or ""
    page.get_by_label("Find objects by name").fill(name)
    expect(panel.locator(".source-places .num")).to_have_text("1–1 of 1")
    page.wait_for_function(f"() => !({DOC})().includes('---')")
    replace(page, "kind: Node\n", "kind: Node\nspec: [\n")
    expect(panel).to_have_attribute("data-state", "edited")
    manifest = node_of(driver, cluster, name)
    ready = {"type": "Ready", "status": "True"}
    changed = {**manifest, "status": {**manifest["status"], "conditions": [ready]}}
    with page.expect_response(re.compile("/source/")):
        driver.post(f"clusters/{cluster}/commands/", {"kind": "update", "objects": [changed]})
    replace(page, "spec: [\n", "spec:\n  unschedulable: true\n")
    expect(driver.node(name)).to_contain_text("cordoned")
    now = node_of(driver, cluster, name)
    assert (now["spec"]["unschedulable"], now["status"]["conditions"]) == (True, [ready])
    page.wait_for_function(f"() => ({DOC})().includes('conditions:')")


def test_problems_stand_at_their_line_and_change_nothing(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    panel = opened(driver)
    before = driver.get(f"clusters/{cluster}/")["revision"]
    replace(driver.page, 'cpu: "4"', "cpu: lots")
    expect(panel).to_have_attribute("data-state", "refused")
    expect(panel.locator(".source-problems")).to_contain_text("cpu")
    expect(panel.locator(".cm-lint-marker-error").first).to_be_visible()
    replace(driver.page, "cpu: lots", "cpu: [")
    expect(panel).to_have_attribute("data-state", "edited")
    expect(panel.locator(".source-problems")).to_be_visible()
    assert driver.get(f"clusters/{cluster}/")["revision"] == before
    replace(driver.page, "cpu: [", 'cpu: "4"')
    expect(panel).to_have_attribute("data-state", "same")
    expect(panel.locator(".source-problems")).to_have_count(0)


def test_a_document_comes_and_goes(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    panel = opened(driver)
    about = driver.page.locator(".cluster .about")
    expect(about).to_contain_text("12 nodes")
    status = 'status:\n  allocatable:\n    cpu: "4"\n    pods: "9"\n'
    new = f"kind: Node\napiVersion: v1\nmetadata:\n  name: aa-new\n{status}---\n"
    text = driver.page.evaluate(DOC)
    replace(driver.page, text[:40], new + text[:40])
    expect(about).to_contain_text("13 nodes")
    expect(panel).to_have_attribute("data-state", "same")
    assert node_of(driver, cluster, "aa-new")["status"]["allocatable"]["cpu"] == "4"
    replace(driver.page, driver.page.evaluate(DOC).split("---\n")[0] + "---\n", "")
    expect(about).to_contain_text("12 nodes")
    driver.page.locator("#cycle-title").click()
    driver.press("u")
    expect(about).to_contain_text("13 nodes")
    driver.page.wait_for_function(f"() => ({DOC})().includes('name: aa-new')")


def test_what_is_selected_lights_up(driver: Driver) -> None:
    driver.open("three-zones")
    panel = opened(driver)
    for name in ("worker-a2", "worker-c4"):
        driver.node(name).click()
        expect(panel.locator(".lit", has_text=f"name: {name}").first).to_be_visible()
        driver.press("Escape")


def test_thousands_of_objects_are_a_window(driver: Driver) -> None:
    cluster = driver.create(None)
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": manifests(1000, 2000)})
    driver.show(cluster)
    panel = opened(driver)
    expect(panel.locator(".source-places .num")).to_have_text(re.compile(r"^1–40 of 3,\d{3}$"))
    panel.get_by_role("button", name="Next objects").click()
    expect(panel.locator(".source-places .num")).to_have_text(re.compile("^41–80 of"))
    assert len(driver.page.evaluate(DOC)) < 60_000
    pod = driver.get(f"clusters/{cluster}/objects/?kind=Pod&offset=1500&limit=1")["objects"][0]["key"]
    driver.page.evaluate("async (pod) => (await import('/static/js/cycle/selection.js')).pinPod(pod)", pod)
    expect(panel.locator(".lit", has_text=f"name: {pod.split('/')[1]}").first).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
def test_it_stands_beside_the_result(driver: Driver, width: int, height: int) -> None:
    driver.open("three-zones")
    driver.page.set_viewport_size({"width": width, "height": height})
    panel = opened(driver)
    assert violations_in_both_themes(driver.page, ".panel.source") == []
    if width >= 900:
        expect(driver.page.locator(".panel.cluster")).to_be_visible()
    panel.get_by_role("button", name="Close the source").click()
    expect(panel).to_have_count(0)
    expect(driver.page.locator(".panel.cluster")).to_be_visible()
