"""Three stories on the page: a gang at Permit, an out-of-tree plugin, a profile of a handful beside the default one."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.conformance.testing import make_node, make_pod

pytestmark = pytest.mark.one_page

HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
GANG = (
    HEADER
    + """\
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      enabled:
      - name: Gang
  pluginConfig:
  - name: Gang
    args:
      timeoutSeconds: 10
"""
)
HANDFUL = (
    HEADER
    + """\
- schedulerName: default-scheduler
- schedulerName: handful
  plugins:
    multiPoint:
      disabled:
      - name: "*"
      enabled:
      - name: PrioritySort
      - name: NodeResourcesFit
      - name: Rack
      - name: DefaultBinder
"""
)
GANG_LABELS = {"gang.example.com/name": "train", "gang.example.com/size": "3"}


def begin(driver: Driver, config: str, *objects: dict[str, Any]) -> int:
    cluster = driver.create(example=None)
    for command in ({"kind": "set_config", "yaml": config}, {"kind": "create", "objects": list(objects)}):
        driver.post(f"clusters/{cluster}/commands/", command)
    driver.show(cluster)
    return cluster


def member(i: int) -> dict[str, Any]:
    return dict(make_pod(f"train-{i}").cpu("1").labels(**GANG_LABELS).manifest())


def node(name: str, rack: str) -> dict[str, Any]:
    return dict(make_node(name).cpu("8").memory("16Gi").label("rack", rack).manifest())


def wait_at_permit(driver: Driver) -> int:
    """Two members of a gang of three have a node and wait for the third."""
    cluster = begin(driver, GANG, node("a", "r1"), member(0), member(1))
    for number in (1, 2):
        driver.next_cycle(number)
    expect(driver.lane("waiting")).to_contain_text("train-0")
    expect(driver.lane("waiting")).to_contain_text("train-1")
    expect(driver.lane("waiting")).to_contain_text("attempt 1")
    return cluster


def test_the_third_member_lets_the_gang_through(driver: Driver) -> None:
    cluster = wait_at_permit(driver)
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [member(2)]})
    expect(driver.lane("active")).to_contain_text("train-2")
    driver.next_cycle(3)
    expect(driver.lane("waiting")).to_have_count(0)
    pods = [driver.get(f"clusters/{cluster}/pods/default/train-{i}/") for i in range(3)]
    assert [pod["lane"]["lane"] if isinstance(pod["lane"], dict) else pod["lane"] for pod in pods] == ["bound"] * 3


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            {"kind": "permit", "pod": "default/train-0", "decision": "reject", "message": "not today"},
            "not today",
            id="rejected by hand",
        ),
        pytest.param(
            {"kind": "advance_clock", "seconds": 11},
            "rejected due to timeout after waiting 10s at plugin Gang",
            id="timed out",
        ),
    ],
)
def test_a_gang_that_is_not_complete_gives_its_room_back(driver: Driver, command: dict[str, Any], message: str) -> None:
    cluster = wait_at_permit(driver)
    driver.post(f"clusters/{cluster}/commands/", command)
    expect(driver.lane("waiting")).to_have_count(0)
    events = driver.get(f"clusters/{cluster}/pods/default/train-0/")["events"]
    assert any(message in event["message"] for event in events)


def test_a_waiting_pod_is_answered_on_the_page(driver: Driver) -> None:
    wait_at_permit(driver)
    waiting = driver.lane("waiting")
    waiting.get_by_role("button", name="Allow").first.click()
    expect(waiting).not_to_contain_text("train-0")
    expect(waiting).to_contain_text("train-1")


def test_an_out_of_tree_plugin_filters_and_scores_in_a_profile_of_a_handful(driver: Driver) -> None:
    crowd = dict(make_pod("web-0").label("app", "web").node("n2").manifest())
    picky = make_pod("picky").label("app", "web").scheduler("handful").annotation("rack.example.com/avoid", "r1")
    begin(driver, HANDFUL, node("n1", "r1"), node("n2", "r2"), node("n3", "r3"), crowd, dict(picky.manifest()))
    driver.next_cycle(1)
    matrix = driver.page.locator(".matrix")
    expect(matrix).to_contain_text("Rack")
    expect(matrix).not_to_contain_text("Taint")
    expect(driver.page.locator(".pipeline")).to_contain_text("scheduled on n3")
    driver.press("w")
    expect(driver.page.locator(".side")).to_contain_text("are in a rack that the pod avoids")
