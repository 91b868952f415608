"""What an upgrade changes: every difference under the change that makes it, and none where there is none."""

from itertools import pairwise
from typing import Any

import pytest

from kube_objects.parse import parse_object
from scheduler_core.emulations import EMULATIONS, emulation_of
from simulator.upgrade.causes import SUCCESSORS
from simulator.upgrade.changes import CHANGES
from simulator.upgrade.report import VERSIONS, UpgradeReport, compare

Manifest = dict[str, Any]
OLD, NEW = "v1.34.1", "v1.36.3"


def node(name: str, cpu: str = "4", memory: str = "8Gi", **spec: Any) -> Manifest:
    allocatable = {"cpu": cpu, "memory": memory, "pods": "10"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": spec,
        "status": {"allocatable": allocatable},
    }


def pod(name: str, cpu: str = "1", memory: str = "1Gi", **spec: Any) -> Manifest:
    requests = {"cpu": cpu, "memory": memory}
    containers = [{"name": "c", "image": "x", "resources": {"requests": requests}}]
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


def report(*objects: Manifest, old: str = OLD, new: str = NEW, config: str | None = None) -> UpgradeReport:
    return compare([parse_object(each) for each in objects], EMULATIONS[old], EMULATIONS[new], config)


def told(found: UpgradeReport) -> dict[tuple[str, ...], dict[str, int]]:
    return {group.plugins: group.counts for group in found.groups}


def test_none_lands_elsewhere() -> None:
    found = report(node("a"), pod("p"), pod("q"))
    assert (found.pods, found.moved, found.groups) == (2, [], [])
    assert not found.has("placement")


def test_a_verdict_is_the_plugins_that_made_it_and_no_words_are() -> None:
    taint: Manifest = {"taints": [{"key": "k", "effect": "NoSchedule"}]}
    needs = pod("needs", hostNetwork=True, hostUsers=False)
    found = report(node("a", **taint), node("b"), needs, pod("big", cpu="9"))
    assert told(found) == {("NodeDeclaredFeatures",): {"verdict": 1}, ("TaintToleration",): {"message": 1}}
    assert [(moved.pod, moved.old, moved.new, moved.direct) for moved in found.moved] == [
        ("default/needs", "b", None, True)
    ]
    verdict, words = found.groups
    assert [change.since for change in verdict.changes] == [NEW] and "no longer names" in words.changes[0].sentence


ONLY_BALANCE = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    score:
      disabled: [{name: "*"}]
      enabled: [{name: NodeResourcesBalancedAllocation}]
"""


def test_another_node_is_the_plugins_whose_scores_decide() -> None:
    """The pod evens out what is used of one node; what is used of the other is more even all the same."""
    busy = [pod("busy-a", cpu="3", memory="1Gi", nodeName="a"), pod("busy-b", cpu="1", memory="2Gi", nodeName="b")]
    found = report(node("a"), node("b"), *busy, pod("p", cpu="100m", memory="2Gi"), config=ONLY_BALANCE)
    assert told(found) == {("NodeResourcesBalancedAllocation",): {"placement": 1, "score": 1}}
    (group,) = found.groups
    assert {example.kind: (example.old.node, example.new.node) for example in group.examples}["placement"] == ("b", "a")
    assert [change.since for change in group.changes] == [NEW]


def test_pods_that_follow_another_one_are_told_apart() -> None:
    """What needs a feature leaves its room to the next one."""
    needs = pod("needs", cpu="3", hostNetwork=True, hostUsers=False)
    found = report(node("a"), needs, pod("next", cpu="3"))
    assert {(moved.pod, moved.direct) for moved in found.moved} == {("default/needs", True), ("default/next", False)}


def test_a_configuration_that_the_new_version_refuses() -> None:
    config = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      enabled: [{name: NodeDeclaredFeatures}]
"""
    found = report(node("a"), pod("p"), old=NEW, new=OLD, config=config)
    assert found.errors and found.has("placement") and found.pods == 0


def test_what_a_profile_runs_otherwise_is_told() -> None:
    assert "default-scheduler: DynamicResources now runs at score" in report(node("a")).configuration


def test_gates_are_part_of_a_version() -> None:
    gang = {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "default"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
    }
    named = emulation_of(NEW, {"GenericWorkload": True, "GangScheduling": True}).version
    found = report(node("a"), gang, pod("p", schedulingGroup={"podGroupName": "g"}), old=NEW, new=named)
    assert told(found) == {("GangScheduling",): {"verdict": 1}}
    (group,) = found.groups
    assert [change.since for change in group.changes] == ["GangScheduling=true", "GenericWorkload=true"]
    assert group.changes[0].sentence.startswith("On: a gang waits until minCount")
    # And back: what is as by default again is named by its value, too.
    back = report(node("a"), gang, pod("p", schedulingGroup={"podGroupName": "g"}), old=named, new=NEW)
    assert [change.since for change in back.groups[0].changes] == ["GangScheduling=false", "GenericWorkload=false"]


@pytest.mark.parametrize("old", VERSIONS)
@pytest.mark.parametrize("new", VERSIONS)
def test_all_pairs(old: str, new: str) -> None:
    objects = [
        node("a"),
        node("b", cpu="8"),
        *(pod(f"p{i}", cpu=str(1 + i % 3)) for i in range(8)),
        pod("big", cpu="20"),
    ]
    found = report(*objects, old=old, new=new)
    assert found.pods == 9 and not found.errors
    assert all(group.changes for group in found.groups)
    assert not any(f"{change.plugin} answers" in change.sentence for group in found.groups for change in group.changes)
    if old == new:
        assert (found.groups, found.moved, found.configuration) == ([], [], [])


def test_the_versions_are_all_there_are() -> None:
    assert set(VERSIONS) == set(EMULATIONS)
    assert {change.since for change in CHANGES} <= set(VERSIONS)


# Who is asked beside whom, at one moment, tells nothing of hints; what the older scores are called today: `SUCCESSORS`.
ONLY_HINTS = {("InterPodAffinity", "v1.36.3"), ("PodTopologySpread", "v1.36.3")}


@pytest.mark.parametrize(("old", "new"), list(pairwise(VERSIONS)))
def test_every_plugin_that_is_another_one_has_its_sentence(old: str, new: str) -> None:
    mine, theirs = EMULATIONS[old].registry, EMULATIONS[new].registry
    plugins = {SUCCESSORS.get(name, name) for name in {*mine, *theirs} if mine.get(name) is not theirs.get(name)}
    told = {change.plugin for change in CHANGES if change.since == new}
    by_gates = {"GangScheduling"}  # no default plugin
    orders = {"FIFOSort"}  # only the order of the pods
    assert plugins - told == {name for name, since in ONLY_HINTS if since == new} | plugins & (by_gates | orders)


def test_gates_of_another_version_are_told_where_no_change_of_the_version_is() -> None:
    gang = parse_object(
        {
            "apiVersion": "scheduling.k8s.io/v1alpha2",
            "kind": "PodGroup",
            "metadata": {"name": "g", "namespace": "default"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
        }
    )
    objects = [parse_object(node("a")), gang, parse_object(pod("p", schedulingGroup={"podGroupName": "g"}))]
    gates = emulation_of(NEW, {"GenericWorkload": True, "GangScheduling": True})
    for old, new, value in ((EMULATIONS[OLD], gates, "true"), (gates, EMULATIONS[OLD], "false")):
        (group,) = compare(objects, old, new, None).groups
        assert group.plugins == ("GangScheduling",) and group.counts == {"verdict": 1}
        assert [change.since for change in group.changes] == [f"GangScheduling={value}", f"GenericWorkload={value}"]


def test_a_queue_without_priorities_is_tried_in_the_order_of_its_pods() -> None:
    objects = (node("a"), pod("first", cpu="3"), pod("important", cpu="3", priority=1000))
    found = report(*objects, old="v1.10-preset", new="v1.20.2")
    ends = {moved.pod: (moved.old, moved.new) for moved in found.moved}
    assert ends == {"default/first": ("a", None), "default/important": (None, "a")}


def test_an_eviction_is_the_doing_of_the_plugin_that_evicts() -> None:
    objects = (node("a"), pod("runs", cpu="3", nodeName="a"), pod("important", cpu="3", priority=1000))
    (group,) = report(*objects, old="v1.10-preset", new="v1.20.2").groups
    assert group.plugins == ("DefaultPreemption",) and group.counts == {"verdict": 1}
    assert [change.since for change in group.changes] == ["v1.20.2"]


def test_progress_ends_where_it_was_expected() -> None:
    seen: list[tuple[int, int]] = []
    objects = [parse_object(each) for each in (node("a"), pod("p"), pod("q"), pod("big", cpu="9"))]
    compare(objects, EMULATIONS[OLD], EMULATIONS[NEW], None, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(done, 6) for done in range(1, 7)]
