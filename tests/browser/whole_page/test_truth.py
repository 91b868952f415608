"""Changes tell the truth: what a reset keeps, what a change moves, what is older than a change, what is deleted."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

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
    expect(undoes).to_contain_text(f"1 node returns to its initial readiness: {second}")
    dialog.get_by_role("button", name="Reset").click()
    expect(driver.page.get_by_text("No pod has been scheduled yet.")).to_be_visible()
    nodes = driver.get(f"clusters/{cluster}/nodes/")
    place = [nodes["names"].index(name) for name in (first, second, third)]
    assert [nodes["unschedulable"][i] for i in place] == [True, False, False]
    assert nodes["taints"][place[1]] == []
    assert driver.get(f"clusters/{cluster}/objects/Node/{third}/")["metadata"]["labels"]["tier"] == "gold"


TAINT = {"key": "dedicated", "value": "gold", "effect": "NoSchedule"}


def with_a_typo(driver: Driver) -> int:
    """A cluster of one tainted node, and a pod in Unschedulable whose toleration has a typo; it is in view."""
    cluster = driver.create(None)
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": {"taints": [TAINT]}}
    container = {"name": "main", "image": "app:1", "resources": {"requests": {"cpu": "1"}}}
    tolerations = [{**TAINT, "key": "dedicatd", "operator": "Equal"}]
    metadata = {"name": "web", "namespace": "default"}
    spec = {"containers": [container], "tolerations": tolerations}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    status = {"allocatable": amounts, "capacity": amounts}
    command(driver, cluster, kind="create", objects=[{**node, "status": status}, pod])
    command(driver, cluster, kind="schedule_one")
    driver.show(cluster)
    expect(driver.lane("unschedulable").locator(".count")).to_have_text("1")
    driver.cycle(1)
    return cluster


def edit(driver: Driver) -> Locator:
    """Correct the toleration in the pod's editor; the dialog, before anything is applied."""
    driver.open_palette()
    driver.page.locator(".palette input").fill("edit the pod")
    driver.press("Enter")
    dialog = driver.page.locator("dialog")
    expect(dialog.locator(".cm-content")).to_contain_text("dedicatd")
    dialog.get_by_role("button", name="form", exact=True).click()
    expect(dialog.locator("[data-field='spec.nodeSelector'] .immutable")).to_be_visible()
    expect(dialog.locator("[data-field='spec.tolerations'] .immutable")).to_have_count(0)
    dialog.get_by_label("tolerations 1: key").fill("dedicated")
    expect(dialog.locator(".refused")).to_contain_text(
        "existing toleration can not be modified except its tolerationSeconds"
    )
    return dialog


def test_a_change_that_moves_nothing_says_so_and_offers_what_helps(driver: Driver) -> None:
    with_a_typo(driver)
    dialog = edit(driver)
    expect(dialog.locator(".refused")).to_have_attribute("data-refused", "playground")
    dialog.get_by_role("button", name="Apply").click()
    notice = driver.page.locator(".notice", has_text="web stays in Unschedulable")
    expect(notice).to_contain_text("changed in place")
    # Play says the same, and does not claim that nothing has changed.
    driver.press("Space")
    notice = driver.page.locator(".notice", has_text="web found no node before your change (update Pod default/web)")
    notice.get_by_role("button", name="Move it to Active").click()
    expect(driver.lane("active").locator(".count")).to_have_text("1")
    driver.next_cycle(2)
    expect(driver.page.locator(".sentence .outcome")).to_contain_text("scheduled on")


def test_as_a_cluster_would_it_is_refused_and_the_pod_created_again(driver: Driver) -> None:
    with_a_typo(driver)
    dialog = edit(driver)
    dialog.get_by_role("button", name="with Kubernetes rules").click()
    expect(dialog.locator(".refused")).to_have_attribute("data-refused", "cluster")
    expect(dialog.get_by_role("button", name="Apply")).to_be_disabled()
    dialog.get_by_role("button", name="Delete and create again").click()
    expect(dialog).to_have_count(0)
    expect(driver.lane("active").locator(".count")).to_have_text("1")
    driver.next_cycle(2)
    expect(driver.page.locator(".sentence .outcome")).to_contain_text("scheduled on")


def test_a_change_of_a_node_tells_what_moved_and_by_which_hint(driver: Driver) -> None:
    with_a_typo(driver)
    driver.node("a").click()
    driver.open_palette()
    driver.page.locator(".palette input").fill("taint the node")
    driver.press("Enter")
    driver.page.get_by_label("remove dedicated=gold:NoSchedule").click()
    expect(driver.page.locator(".notice", has_text="web: Unschedulable → Backoff")).to_contain_text("Taint: may help")


def test_a_deleted_cluster_comes_back(driver: Driver, second_page: Callable[..., Page]) -> None:
    """Which one is said before; there is an undo for a while; another tab says what happened, and has it, too."""
    cluster = driver.create("nearly-full", name="twice")
    driver.show(cluster)
    driver.next_cycle(1)
    other = second_page()
    other.goto(f"{driver.url}/?cluster={cluster}")
    expect(other.locator(".cluster-name")).to_have_text("twice")
    driver.page.locator(".cluster-menu > button").click()
    driver.page.get_by_role("button", name="Delete twice").click()
    dialog = driver.page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile(r"It was created on .*\d{4}.* and has 1 cycle and 12 nodes, 25 pods\."))
    # Nobody deletes by pressing Enter once too often.
    expect(dialog.get_by_role("button", name="Cancel")).to_have_attribute("autofocus", "")
    dialog.get_by_role("button", name="Delete").click()
    expect(other.locator("[data-banner=deleted]")).to_contain_text("twice was deleted.")
    driver.page.locator(".notice").get_by_role("button", name="Restore").click()
    expect(driver.page.locator(".cluster-name")).to_have_text("twice")
    driver.cycle(1)
    other.bring_to_front()
    other.evaluate("dispatchEvent(new Event('focus'))")
    expect(other.locator("[data-banner=deleted]")).to_have_count(0)


def test_a_verdict_older_than_a_change_says_so_and_is_run_again(driver: Driver) -> None:
    cluster = with_a_typo(driver)
    expect(driver.node("a")).to_contain_text("not tolerated")
    expect(driver.page.locator("[data-stale]")).to_have_count(0)
    node = driver.get(f"clusters/{cluster}/objects/Node/a/")
    node["spec"] = {}
    command(driver, cluster, kind="update", objects=[node])
    # v1.36's reason does not name the taint, and the node that has it no more cannot either.
    expect(driver.node("a")).to_contain_text(re.compile("before your change: (untolerated )?taint"))
    expect(driver.node("a")).to_have_class(re.compile(r"\bstale\b"))
    expect(driver.page.locator("#matrix .stale").first).to_be_visible()
    note = driver.page.locator("#side-panel [data-stale]")
    expect(note).to_contain_text("In cycle 1, before your change: update Node a")
    note.get_by_role("button", name="Run it again now").click()
    driver.cycle(2)
    expect(driver.page.locator(".sentence .outcome")).to_contain_text("scheduled on")
    expect(driver.page.locator("[data-stale]")).to_have_count(0)
    driver.press("[")
    expect(driver.page.locator("#side-panel [data-stale]")).to_contain_text("In cycle 1")


def test_a_run_that_is_over_leads_to_who_waits_until_a_reset(driver: Driver) -> None:
    """Also where a node is pinned: its tab has it, and `w` goes on from a pod that was placed."""
    cluster = driver.open("three-zones")
    driver.page.get_by_label("Playback speed").select_option("0")
    driver.next_cycle(1)
    driver.node("worker-a1").click()
    driver.press("s", "k")
    notice = driver.page.locator(".notice", has_text="The run is over. 4 Pods are pending.")
    expect(notice).to_be_visible()
    driver.press("w")
    expect(driver.page.locator("#side-panel h3").first).to_contain_text("0 of 12 nodes can take")
    command(driver, cluster, kind="reset")
    expect(driver.page.get_by_text("No pod has been scheduled yet.")).to_be_visible()
    expect(notice).to_have_count(0, timeout=5000)
