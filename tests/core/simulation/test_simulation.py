"""The simulation from outside: commands in, records out."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from simulator.simulation import CommandError, Matrix, Record, Simulation

Manifest = dict[str, Any]


def node(name: str, cpu: str = "4", **spec: Any) -> Manifest:
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
    allocatable = {"cpu": cpu, "memory": "8Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": spec,
        "status": {"allocatable": allocatable},
    }


def pod(name: str, cpu: str = "1", **spec: Any) -> Manifest:
    container = {"name": "c", "image": "nginx", "resources": {"requests": {"cpu": cpu}}}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


def small_cluster(seed: int = 42) -> Simulation:
    simulation = Simulation.create(seed=seed)
    gated = pod("gated", schedulingGates=[{"name": "example.com/wait"}])
    pods = [*(pod(f"web-{i}") for i in range(3)), pod("big", cpu="10"), gated]
    apply(simulation, {"kind": "create", "objects": [node("a"), node("b"), node("c", unschedulable=True), *pods]})
    return simulation


def apply(simulation: Simulation, command: Mapping[str, Any]) -> list[Record]:
    return list(simulation.apply(command))


def outcomes(records: list[Record]) -> dict[str, tuple[str, str | None]]:
    cycles = [record.data["cycle"] for record in records if record.data["kind"] == "cycle"]
    return {cycle["pod"]: (cycle["outcome"], cycle["node"]) for cycle in cycles}


def as_bytes(records: list[Record]) -> bytes:
    lines = []
    for record in records:
        matrix = b"" if record.matrix is None else record.matrix.to_plain()
        lines.append(json.dumps(record.data, sort_keys=True).encode() + matrix)
    return b"\n".join(lines)


def test_run_until_idle_binds_what_fits_and_says_why_the_rest_waits() -> None:
    records = apply(small_cluster(), {"kind": "run", "until": "idle"})
    result = outcomes(records)
    assert [result[f"default/web-{i}"][0] for i in range(3)] == ["scheduled"] * 3
    assert {result[f"default/web-{i}"][1] for i in range(3)} == {"a", "b"}
    assert result["default/big"] == ("unschedulable", None)
    assert "default/gated" not in result
    last = records[-1]
    assert last.data["cycle"]["message"].startswith(
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu."
    )
    assert last.lanes["default/big"]["lane"] == "unschedulable"
    assert [event["reason"] for event in last.data["events"]] == ["FailedScheduling"]


def test_records_are_numbered_without_gaps_and_time_passes_by_a_millisecond_an_attempt() -> None:
    simulation = small_cluster()
    records = apply(simulation, {"kind": "run", "until": "idle"})
    assert [record.seq for record in records] == list(range(2, 2 + len(records)))
    assert [record.data["t"] for record in records] == [round(0.001 * (i + 1), 6) for i in range(len(records))]


def test_a_bound_pod_is_written_with_its_node_and_condition() -> None:
    simulation = small_cluster()
    (record,) = apply(simulation, {"kind": "schedule_one"})
    ((op, kind, key, manifest),) = record.manifests
    assert (op, kind, key) == ("update", "Pod", "default/web-0")
    assert manifest is not None
    assert manifest["spec"]["nodeName"] == record.data["cycle"]["node"]
    assert manifest["status"]["phase"] == "Running"
    assert manifest["status"]["conditions"][0]["type"] == "PodScheduled"


def test_same_seed_same_bytes_other_seed_other_ties() -> None:
    run = {"kind": "run", "until": "idle"}
    many = [node(f"n{i}") for i in range(20)] + [pod(f"p{i}") for i in range(10)]

    def trace(seed: int) -> bytes:
        simulation = Simulation.create(seed=seed)
        return as_bytes(apply(simulation, {"kind": "create", "objects": many}) + apply(simulation, run))

    assert trace(7) == trace(7)
    assert trace(7) != trace(8)


def test_a_run_left_in_the_middle_goes_on_where_it_stopped() -> None:
    whole = apply(small_cluster(), {"kind": "run", "until": "idle"})
    simulation = small_cluster()
    stopped = simulation.apply({"kind": "run", "until": "idle"})
    first = [next(stopped), next(stopped)]
    stopped.close()  # type: ignore[attr-defined]
    assert as_bytes(first + apply(simulation, {"kind": "run", "until": "idle"})) == as_bytes(whole)


def test_restored_from_a_checkpoint_it_goes_on_with_the_same_bytes() -> None:
    simulation = small_cluster()
    apply(simulation, {"kind": "schedule_one"})
    data = simulation.checkpoint()
    assert data is not None
    restored = Simulation.restore(data)
    assert restored.checkpoint() == data
    commands: list[Manifest] = [
        {"kind": "run", "until": "idle"},
        {"kind": "create", "objects": [node("d", cpu="32")]},
        {"kind": "advance_clock", "seconds": 20},
        {"kind": "run", "until": "idle"},
    ]
    for command in commands:
        assert as_bytes(apply(restored, command)) == as_bytes(apply(simulation, command))


def test_a_new_node_wakes_the_pod_that_did_not_fit() -> None:
    simulation = small_cluster()
    apply(simulation, {"kind": "run", "until": "idle"})
    (record,) = apply(simulation, {"kind": "create", "objects": [node("d", cpu="32")]})
    (move,) = [move for move in record.data["moves"] if move["pod"] == "default/big"]
    assert (move["from"], move["event"], move["hint"]) == ("unschedulable", "NodeAdd", "Queue")
    # Node c's cordon rejected the pod too: which of the two is asked first is not part of the rules.
    assert move["plugin"] in ("NodeResourcesFit", "NodeUnschedulable")
    assert outcomes(apply(simulation, {"kind": "run", "until": "idle"})) == {"default/big": ("scheduled", "d")}


def test_reset_goes_back_to_the_objects_as_given() -> None:
    simulation = small_cluster()
    before = apply(simulation, {"kind": "run", "until": "idle"})
    (record,) = apply(simulation, {"kind": "reset"})
    assert simulation.now == 0
    assert record.lanes["default/web-0"]["lane"] == "active"
    assert {op for op, *_ in record.manifests} == {"update"}
    assert outcomes(apply(simulation, {"kind": "run", "until": "idle"})) == outcomes(before)


def test_a_failed_binding_gives_the_room_back_and_retries_after_a_backoff() -> None:
    simulation = small_cluster()
    apply(simulation, {"kind": "fail_binding", "message": "etcd is down"})
    (record,) = apply(simulation, {"kind": "schedule_one"})
    cycle = record.data["cycle"]
    assert (cycle["outcome"], cycle["node"]) == ("error", None)
    assert cycle["message"] == 'running Bind plugin "DefaultBinder": etcd is down'
    assert record.lanes["default/web-0"]["lane"] == "errorBackoff"
    assert simulation.cluster.cache.table.pod_count.values.sum() == 0


def test_the_matrix_survives_being_stored() -> None:
    simulation = small_cluster()
    (record,) = apply(simulation, {"kind": "schedule_one"})
    assert record.matrix is not None
    restored = Matrix.from_plain(record.matrix.to_plain())
    assert restored.to_json(simulation.node_names) == record.matrix.to_json(simulation.node_names)
    shown = restored.to_json(simulation.node_names)
    assert shown["names"] == ["a", "b", "c"]
    assert [shown["statuses"][code]["plugin"] for code in shown["status"]] == ["", "", "NodeUnschedulable"]


BAD_COMMANDS: list[tuple[str, Manifest, list[str]]] = [
    ("no kind", {}, ["kind"]),
    ("unknown kind", {"kind": "explode"}, ["kind"]),
    ("missing field", {"kind": "create"}, ["objects"]),
    ("unknown field", {"kind": "reset", "hard": True}, ["hard"]),
    ("no objects", {"kind": "create", "objects": []}, ["objects"]),
    ("not a number", {"kind": "advance_clock", "seconds": "1"}, ["seconds"]),
    ("not finite", {"kind": "advance_clock", "seconds": float("nan")}, ["seconds"]),
    ("backwards", {"kind": "advance_clock", "seconds": -1}, ["seconds"]),
    ("odd until", {"kind": "run", "until": {"cycles": 0}}, ["until"]),
    ("pod does not wait", {"kind": "permit", "pod": "default/web-0", "decision": "allow"}, ["pod"]),
    ("exists already", {"kind": "create", "objects": [node("a")]}, ["objects[0].metadata.name"]),
    ("given twice", {"kind": "create", "objects": [node("x"), node("x")]}, ["objects[1].metadata.name"]),
    ("not there", {"kind": "update", "objects": [node("x")]}, ["objects[0].metadata.name"]),
    ("nothing to delete", {"kind": "delete", "objects": [{"kind": "Node", "name": "x"}]}, ["objects[0]"]),
    (
        "no such class",
        {"kind": "create", "objects": [pod("x", priorityClassName="gold")]},
        ["objects[0].spec.priorityClassName"],
    ),
    (
        "two broken objects",
        {"kind": "create", "objects": [node("x", cpu="many"), pod("y", cpu="-1")]},
        ["objects[0].status.allocatable.cpu", "objects[1].spec.containers[0].resources.requests.cpu"],
    ),
]


@pytest.mark.parametrize(
    ("command", "paths"), [case[1:] for case in BAD_COMMANDS], ids=[case[0] for case in BAD_COMMANDS]
)
def test_a_bad_command_names_the_paths_and_changes_nothing(command: Manifest, paths: list[str]) -> None:
    simulation = small_cluster()
    before = simulation.checkpoint()
    with pytest.raises(CommandError) as caught:
        simulation.apply(command)
    assert [problem.path for problem in caught.value.problems] == paths
    assert simulation.checkpoint() == before


def test_a_configuration_with_problems_is_refused_whole() -> None:
    simulation = small_cluster()
    text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: -1\n"
    with pytest.raises(CommandError, match="parallelism"):
        simulation.apply({"kind": "set_config", "yaml": text})
    assert simulation.config_text is None


def test_a_new_configuration_takes_effect_at_the_next_attempt_and_keeps_the_queue() -> None:
    simulation = small_cluster()
    apply(simulation, {"kind": "schedule_one"})
    text = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      disabled:
      - name: "*"
"""
    apply(simulation, {"kind": "set_config", "yaml": text})
    (record,) = apply(simulation, {"kind": "schedule_one"})
    assert record.data["cycle"]["pod"] == "default/web-1"
    assert not [step for step in record.data["cycle"]["steps"] if step["point"] == "Score"]


def test_a_status_that_many_nodes_share_stands_once_in_the_matrix() -> None:
    """The search goes chunk by chunk; what the chunks have in common must not show as several groups."""
    simulation = Simulation.create(seed=1)
    apply(
        simulation, {"kind": "create", "objects": [*(node(f"n{i}", cpu="1") for i in range(400)), pod("big", cpu="2")]}
    )
    (record,) = apply(simulation, {"kind": "schedule_one"})
    assert record.matrix is not None
    assert [status.reasons for status in record.matrix.statuses] == [(), ("Insufficient cpu",)]
    (fit,) = [
        s
        for s in record.data["cycle"]["steps"]
        if s["point"] == "Filter" and s["plugin"] == "NodeResourcesFit" and "in" in s
    ]
    assert fit["data"]["rejected"] == [["UnschedulableAndUnresolvable", ["Insufficient cpu"], 400]]
