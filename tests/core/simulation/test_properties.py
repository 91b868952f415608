"""What holds after any sequence of commands."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kube_objects.pod import Pod
from simulator.simulation import CommandError, Record, Simulation
from tests.conformance.testing import make_node, make_pod

Manifest = dict[str, Any]
NAMES = st.sampled_from("abcdef")
ZONES = st.sampled_from(["z1", "z2"])


@st.composite
def nodes(draw: st.DrawFn) -> Manifest:
    node = make_node(f"node-{draw(NAMES)}").cpu(draw(st.sampled_from(["1", "2", "4"]))).memory("4Gi").zone(draw(ZONES))
    if draw(st.booleans()):
        node.taint(
            "dedicated", draw(st.sampled_from(["x", "y"])), draw(st.sampled_from(["NoSchedule", "PreferNoSchedule"]))
        )
    if draw(st.integers(0, 4)) == 0:
        node.cordoned()
    return dict(node.manifest())


@st.composite
def pods(draw: st.DrawFn) -> Manifest:
    app = draw(st.sampled_from(["web", "db"]))
    pod = (
        make_pod(f"pod-{draw(NAMES)}{draw(NAMES)}")
        .cpu(draw(st.sampled_from(["250m", "1", "2", "8"])))
        .label("app", app)
    )
    pod.priority(draw(st.sampled_from([0, 0, 10, 100])))
    extra = draw(st.integers(0, 7))
    if extra == 1:
        pod.anti_affinity("kubernetes.io/hostname", {"app": app})
    elif extra == 2:
        pod.affinity("topology.kubernetes.io/zone", {"app": app})
    elif extra == 3:
        pod.toleration("dedicated", "x")
    elif extra == 4:
        pod.gate("example.com/wait")
    elif extra == 6:
        seconds = draw(st.sampled_from([None, 1, 30]))
        pod.toleration("node.kubernetes.io/not-ready", effect="NoSchedule", operator="Exists")
        pod.toleration("node.kubernetes.io/not-ready", effect="NoExecute", operator="Exists")
        if seconds is not None:
            pod.for_seconds(seconds)
    elif extra == 5:
        pod.node(f"node-{draw(NAMES)}")
    return dict(pod.manifest())


def references(kind: str) -> st.SearchStrategy[Manifest]:
    if kind == "Node":
        return NAMES.map(lambda name: {"kind": "Node", "name": f"node-{name}"})
    pairs = st.tuples(NAMES, NAMES)
    return pairs.map(lambda pair: {"kind": "Pod", "namespace": "default", "name": f"pod-{pair[0]}{pair[1]}"})


def lists(items: st.SearchStrategy[Manifest], most: int) -> st.SearchStrategy[list[Manifest]]:
    return st.lists(items, min_size=1, max_size=most, unique_by=lambda item: str(item.get("metadata", item)["name"]))


COMMANDS = st.one_of(
    lists(nodes(), 3).map(lambda objects: {"kind": "create", "objects": objects}),
    lists(pods(), 5).map(lambda objects: {"kind": "create", "objects": objects}),
    lists(nodes(), 1).map(lambda objects: {"kind": "update", "objects": objects}),
    lists(references("Node"), 1).map(lambda objects: {"kind": "delete", "objects": objects}),
    lists(references("Pod"), 2).map(lambda objects: {"kind": "delete", "objects": objects}),
    st.just({"kind": "schedule_one"}),
    st.just({"kind": "run", "until": "idle"}),
    st.just({"kind": "fail_binding"}),
    st.sampled_from([0.5, 2, 31, 400]).map(lambda seconds: {"kind": "advance_clock", "seconds": seconds}),
    st.integers(0, 3).map(lambda seed: {"kind": "seed", "seed": seed}),
    st.just({"kind": "reset"}),
    st.tuples(st.sampled_from(["cordon", "uncordon", "drain", "fail_node", "fail_node", "recover_node"]), NAMES).map(
        lambda pair: {"kind": pair[0], "node": f"node-{pair[1]}"}
    ),
    st.tuples(NAMES, NAMES).map(lambda pair: {"kind": "evict", "pod": f"default/pod-{pair[0]}{pair[1]}"}),
    st.integers(0, 14).map(lambda i: {"kind": "finish_pod", "pod": f"default/replica-{i}", "phase": "Succeeded"}),
    st.integers(0, 14).map(lambda i: {"kind": "evict", "pod": f"default/replica-{i}"}),
)
SEQUENCES = st.lists(COMMANDS, min_size=1, max_size=14)
REPLICAS: list[Manifest] = [
    {
        "kind": "create",
        "objects": [
            *(dict(make_node(f"node-{name}").cpu("2").memory("4Gi").zone("z1").manifest()) for name in "abcdef"),
            *(
                dict(make_pod(f"replica-{i}").cpu("500m").label("app", "web" if i % 3 else "db").manifest())
                for i in range(15)
            ),
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": "web", "namespace": "default"},
                "spec": {"selector": {"matchLabels": {"app": "web"}}},
                "status": {"disruptionsAllowed": 2},
            },
        ],
    }
]
THOROUGH = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def play(simulation: Simulation, commands: list[Manifest]) -> list[Record]:
    """Commands that are refused change nothing and are passed over."""
    records: list[Record] = []
    for command in commands:
        try:
            records += simulation.apply(command)
        except CommandError:
            continue
    return records


def lines(records: list[Record]) -> list[str]:
    return [json.dumps(record.data, sort_keys=True) for record in records]


def matrices(records: list[Record]) -> list[bytes]:
    return [record.matrix.to_plain() for record in records if record.matrix is not None]


@given(SEQUENCES)
@THOROUGH
def test_the_same_commands_give_the_same_bytes(commands: list[Manifest]) -> None:
    assert lines(play(Simulation.create(seed=1), commands)) == lines(play(Simulation.create(seed=1), commands))


@given(SEQUENCES, SEQUENCES)
@THOROUGH
def test_a_restored_checkpoint_goes_on_like_the_original(before: list[Manifest], after: list[Manifest]) -> None:
    original = Simulation.create(seed=1)
    play(original, REPLICAS + before)
    data = original.checkpoint()
    assert data is not None
    restored = Simulation.restore(data)
    mine, theirs = play(restored, after), play(original, after)
    assert lines(mine) == lines(theirs)
    assert matrices(mine) == matrices(theirs)
    assert restored.checkpoint() == original.checkpoint()


@given(SEQUENCES)
@THOROUGH
def test_kept_verdicts_and_scores_are_those_of_asking_every_node_again(commands: list[Manifest]) -> None:
    keeping, asking = Simulation.create(seed=1), Simulation.create(seed=1)
    for command in REPLICAS + commands:
        for framework in asking.cluster.scheduler.frameworks.values():
            framework.signature_cache.enabled = False  # a reset makes new ones
        mine, theirs = play(keeping, [command]), play(asking, [command])
        assert lines(mine) == lines(theirs)
        assert matrices(mine) == matrices(theirs)


@given(SEQUENCES)
@THOROUGH
def test_every_pod_is_in_exactly_one_place(commands: list[Manifest]) -> None:
    simulation = Simulation.create(seed=1)
    for command in REPLICAS + commands:
        play(simulation, [command])
        cluster, queue = simulation.cluster, simulation.cluster.queue
        queued = [*queue.active(), *queue.backoff(), *queue.error_backoff(), *queue.unschedulable()]
        places = [entry.pod.key for entry in queued]
        on_nodes = [pod.key for pods_here in cluster.cache.table.pods for pod in pods_here.values()]
        assert len(places) == len(set(places))
        assert len(on_nodes) == len(set(on_nodes))
        stored: list[Pod] = list(cluster.store.list("Pod"))
        assert sorted(places) == sorted(pod.key for pod in stored if not pod.node_name)
        existing = cluster.cache.table.rows
        running = [pod for pod in stored if pod.node_name in existing and not pod.finished]
        assert sorted(on_nodes) == sorted(pod.key for pod in running)


@given(SEQUENCES)
@THOROUGH
def test_the_chosen_node_is_feasible_and_has_the_best_total(commands: list[Manifest]) -> None:
    simulation = Simulation.create(seed=1)
    for record in play(simulation, commands):
        if record.data["kind"] != "cycle" or record.matrix is None or record.data["cycle"]["node"] is None:
            continue
        matrix = record.matrix
        names = [str(row) for row in matrix.rows.tolist()]
        passed = [name for name, code in zip(names, matrix.status.tolist(), strict=True) if code == 0]
        nodes_seen = record.data["cycle"]["nodes"]
        assert 1 <= len(passed) == nodes_seen["feasible"] <= nodes_seen["evaluated"] <= nodes_seen["total"]
        if len(matrix.totals):
            best = int(matrix.totals.max())
            select = next(step for step in record.data["cycle"]["steps"] if step["point"] == "SelectHost")
            assert select["data"]["total"] == best
            assert record.data["cycle"]["node"] in select["data"]["ties"]
