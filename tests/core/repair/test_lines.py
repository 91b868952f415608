"""Lines of repairs: which objects they change, in which order, and that they are carried out before they are shown."""

import json
from typing import Any

import pytest

from scheduler_core.edits.costs import COSTS, Prices
from scheduler_core.edits.json_patch import PatchError, adapt_patch, apply_patch
from scheduler_core.edits.steps import create_command_line
from simulator.repair.finder import Finder, Limits, Repair
from simulator.repair.multi_pod_finder import repair_many
from simulator.simulation import Simulation
from tests.core.repair.owners_and_needs import NEEDS, OTHER, Need, cases, deployment, node, tainted, workload

ALL = ["deployment", "replicaset", "replicationcontroller", "statefulset", "daemonset", "job", "cronjob", "kubelet"]


def repairs_of(owner: str, need: Need, kinds: tuple[str, ...] = (), results: int = 1) -> list[Repair]:
    simulation = Simulation(seed=1)
    objects = [*need.around, workload(owner, need)]
    for command in (
        {"kind": "set_actors", "actors": ALL, "hashes": "upstream"},
        {"kind": "create", "objects": objects[:-1]},
        {"kind": "create", "objects": objects[-1:]},
        {"kind": "run", "until": {"seconds": 70}},
    ):
        for _ in simulation.apply(command):
            pass
    (key,) = [pod.key for pod in simulation.cluster.store.list("Pod") if not pod.node_name]
    prices = Prices({kind: None for kind in COSTS if kind not in (kinds or need.kinds)})
    return list(Finder(simulation, key, prices, lambda: 0.0, Limits(results=results)).find())


def lines_of(owner: str, need: Need) -> list[str]:
    (repair,) = repairs_of(owner, need)
    return [edit["kubectl"] for edit in repair.as_dict()["edits"]]


# Edits of Nodes are the same for all owners; `tests.clients.repair_table` has them for each.
OF_OWNERS = [
    (owner, need) for owner, need in cases() if {"lower_request", "soften", "raise_priority"} & {*NEEDS[need].kinds}
]


@pytest.mark.parametrize(("owner", "need"), OF_OWNERS)
def test_every_need_of_every_owner_has_a_repair_whose_lines_work(owner: str, need: str) -> None:
    assert any(lines_of(owner, NEEDS[need]))


BOTH = NEEDS["toleration and request"]


@pytest.mark.parametrize(
    ("owner", "parts"),
    [
        ("Pod", ["get pod waits -o yaml", "replace --force"]),
        ("Deployment", ["patch deployment w "]),
        ("ReplicaSet", ["patch replicaset w ", "delete pod w-"]),
        ("ReplicationController", ["patch replicationcontroller w ", "delete pod w-"]),
        # Upstream never replaces a pod that did not become ready: kubernetes.io/docs, StatefulSet, forced rollback.
        ("StatefulSet", ["patch statefulset w ", "delete pod w-0"]),
        ("Job", ["get job w -o json", '{"op":"remove","path":"/spec/selector"}', "controller-uid", "replace --force"]),
        ("CronJob", ["patch cronjob w ", "get job w-", '{"op":"remove","path":"/spec/selector"}', "replace --force"]),
    ],
)
def test_two_changes_of_a_pod_are_one_line_for_its_owner(owner: str, parts: list[str]) -> None:
    first, line = lines_of(owner, BOTH)
    assert first == ""
    assert "patch pod " not in line
    at = [line.index(part) for part in parts]
    assert at == sorted(at)
    assert "tolerations" in line and "requests" in line


def test_a_job_that_has_to_be_created_again_costs_more_and_says_so() -> None:
    need = NEEDS["request"]
    (of_job,), (of_pod,) = repairs_of("Job", need), repairs_of("Pod", need)
    assert of_job.cost == of_pod.cost + COSTS["recreate_job"].cost
    note = of_job.as_dict()["edits"][0]["note"]["text"]
    assert note == (
        "A Job's template cannot be changed: Job w is deleted and created again, and starts from the beginning"
    )
    assert not repairs_of("Job", need, kinds=("lower_request",))


@pytest.mark.parametrize("owner", ["Deployment", "ReplicaSet", "StatefulSet", "Job"])
def test_a_change_of_the_profile_is_rehearsed_with_the_change_of_the_template(owner: str) -> None:
    """The Pod that the owner creates again is scheduled by the changed profile."""
    resources = {"requests": {"cpu": "6", "example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}
    containers = [{"name": "c", "image": "i", "resources": resources}]
    need = Need(("plugin_args", "lower_request", "recreate_job"), [node("n1")], {"containers": containers})
    profile, template = lines_of(owner, need)
    assert profile.startswith("# in the KubeSchedulerConfiguration") and "ignoredResources" in profile
    assert '"value":"4"' in template


def test_a_node_is_created_before_it_is_labelled() -> None:
    new, label = lines_of("Pod", NEEDS["another node and a label"])
    assert new.startswith("echo ") and label == "kubectl label node n1-new-1 disk=ssd"


@pytest.mark.parametrize("kind", ["soften", "widen", "drop_selector", "add_node"])
def test_a_daemons_pod_stays_on_its_node(kind: str) -> None:
    """Its controller puts the node's name into the affinity again: no other node is one for it."""
    crowded = NEEDS["another pod gone"]
    need = Need((kind,), [*crowded.around, node("n2", taints=[{"key": "k", "effect": "NoSchedule"}])], {})
    assert repairs_of("DaemonSet", need) == []


def test_what_controllers_undo_is_no_repair() -> None:
    """A paused Deployment does not replace its pods."""
    simulation = Simulation(seed=1)
    paused = workload("Deployment", BOTH)
    for command in (
        {"kind": "set_actors", "actors": ALL, "hashes": "upstream"},
        {"kind": "create", "objects": [tainted(), paused]},
        {"kind": "run", "until": {"seconds": 5}},
        {"kind": "update", "objects": [{**paused, "spec": {**paused["spec"], "paused": True}}]},
    ):
        for _ in simulation.apply(command):
            pass
    (pod,) = simulation.cluster.store.list("Pod")
    prices = Prices({kind: None for kind in COSTS if kind not in BOTH.kinds})
    finder = Finder(simulation, pod.key, prices, lambda: 0.0, Limits(results=1))
    assert list(finder.find()) == []
    assert (finder.outcome.not_proven, finder.outcome.as_dict()["exhaustive"]) == (1, False)


def test_an_owner_is_scaled_down_that_would_make_its_pods_again() -> None:
    """A pod that replaces a deleted one may get the room: which of them comes first is a race."""
    two = {**OTHER, "spec": {**OTHER["spec"], "replicas": 3}}
    two["spec"]["template"] = deployment("other", "1300m")["spec"]["template"]
    (line,) = filter(None, lines_of("Pod", Need(("delete_pod",), [node("n1"), two], {}, "2500m")))
    annotated, scaled = line.split(" && ")
    assert annotated.count(" other-") == 2 and annotated.endswith("/pod-deletion-cost=-1 --overwrite")
    assert scaled == "kubectl -n default scale deployment other --replicas=1"


def test_a_pod_that_no_controller_lets_go_is_not_deleted() -> None:
    """A StatefulSet that is scaled down loses its highest ordinal only."""
    need = Need((), (), {}, "1500m")
    other = workload("StatefulSet", need)
    other["metadata"]["name"] = "other"
    other["spec"] |= {"replicas": 2, "podManagementPolicy": "Parallel"}
    blocked = Need(("delete_pod",), [node("n1"), other], {}, "2500m")
    (line,) = filter(None, lines_of("Pod", blocked))
    assert line == "kubectl -n default scale statefulset other --replicas=1"


def test_lines_for_many_pods_name_each_of_them() -> None:
    """Pods without an owner are patched one by one."""
    simulation = Simulation(seed=1)
    pods = [workload("Pod", Need((), (), {})) for _ in range(3)]
    for number, pod in enumerate(pods):
        pod["metadata"]["name"] = f"p{number}"
    for _ in simulation.apply({"kind": "create", "objects": [tainted(), *pods]}):
        pass
    for _ in simulation.apply({"kind": "run", "until": "idle"}):
        pass
    prices = Prices({kind: None for kind in COSTS if kind != "tolerate"})
    keys = [f"default/p{number}" for number in range(3)]
    (repair,) = repair_many(simulation, keys, prices, lambda: 0.0)
    (edit,) = repair.as_dict()["edits"]
    assert [f"patch pod p{number} " in edit["kubectl"] for number in range(3)] == [True] * 3


DOCUMENT: Any = {"spec": {"list": [1, {"a": 2}], "x/y": 3}}


@pytest.mark.parametrize(
    ("operations", "wanted"),
    [
        ([{"op": "add", "path": "/spec/list/-", "value": 4}], {"spec": {"list": [1, {"a": 2}, 4], "x/y": 3}}),
        ([{"op": "add", "path": "/spec/list/0", "value": 4}], {"spec": {"list": [4, 1, {"a": 2}], "x/y": 3}}),
        ([{"op": "replace", "path": "/spec/x~1y", "value": 5}], {"spec": {"list": [1, {"a": 2}], "x/y": 5}}),
        ([{"op": "remove", "path": "/spec/list/1/a"}], {"spec": {"list": [1, {}], "x/y": 3}}),
        ([{"op": "remove", "path": "/spec/no"}], None),
        ([{"op": "replace", "path": "/spec/no", "value": 1}], None),
        ([{"op": "add", "path": "/spec/no/deep", "value": 1}], None),
        ([{"op": "add", "path": "/spec/list/9", "value": 1}], None),
    ],
)
def test_a_json_patch_is_carried_out_as_kubectl_does(operations: list[Any], wanted: Any) -> None:
    before = json.dumps(DOCUMENT)
    if wanted is None:
        with pytest.raises(PatchError):
            apply_patch(DOCUMENT, operations)
    else:
        assert apply_patch(DOCUMENT, operations) == wanted
    assert json.dumps(DOCUMENT) == before


def test_a_patch_for_a_like_document_makes_the_way_that_is_missing() -> None:
    operations = [{"op": "replace", "path": "/spec/c/0/requests/cpu", "value": "2"}]
    assert adapt_patch({"spec": {"c": [{}]}}, operations) == [
        {"op": "add", "path": "/spec/c/0/requests", "value": {"cpu": "2"}}
    ]
    with pytest.raises(PatchError):
        adapt_patch({"spec": {}}, operations)


@pytest.mark.parametrize(
    ("spec", "patch"),
    [
        ({}, '{"spec":{"taints":null}}'),
        (
            {"spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}},
            '{"spec":{"taints":[{"key":"gpu","effect":"NoSchedule"}]}}',
        ),
    ],
    ids=["no taints", "taints of its own"],
)
def test_the_line_of_a_new_node_removes_the_taint_that_the_server_adds(spec: dict[str, Any], patch: str) -> None:
    """Source: plugin/pkg/admission/nodetaint. Without controllers nothing else removes it."""
    line = create_command_line({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n-new-1"}, **spec})
    assert line.endswith(f" | kubectl create -f - && kubectl patch node n-new-1 --type=merge -p '{patch}'")
    assert "patch" not in create_command_line({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}})
