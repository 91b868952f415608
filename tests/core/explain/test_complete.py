"""A complete matrix says of all nodes what an attempt says of those it looks at, and marks where that stops."""

from typing import Any

from hypothesis import given

from simulator.explain.complete import complete_matrix_now
from simulator.simulation import CommandError, Matrix, Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.simulation.test_properties import REPLICAS, SEQUENCES, THOROUGH

Manifest = dict[str, Any]


def said(matrix: Matrix, plugin: str, row: int) -> str:
    code = matrix.verdicts[matrix.filter_plugins.index(plugin)][row]
    return matrix.statuses[code].message


def cluster_of(*objects: Any, config: str | None = None) -> Simulation:
    simulation = Simulation.create(config=config)
    list(simulation.apply({"kind": "create", "objects": [obj.manifest() for obj in objects]}))
    return simulation


def test_a_node_that_fails_for_three_reasons_names_them_all() -> None:
    wrong = make_node("wrong").cordoned().taint("gpu", "yes").cpu("1")
    simulation = cluster_of(make_node("right"), wrong, make_pod("p").cpu("2"))
    matrix = complete_matrix_now(simulation, "default/p")
    assert matrix is not None
    row = matrix.rows.tolist().index(1)
    reasons = {plugin: said(matrix, plugin, row) for plugin in matrix.filter_plugins}
    assert {plugin: reason for plugin, reason in reasons.items() if reason} == {
        "NodeUnschedulable": "node(s) were unschedulable",
        "TaintToleration": "node(s) had untolerated taint {gpu: yes}",
        "NodeResourcesFit": "Insufficient cpu",
    }
    assert matrix.statuses[matrix.status[row]].plugin == "NodeUnschedulable"


def test_all_nodes_are_looked_at_and_scored_where_the_attempt_samples() -> None:
    simulation = cluster_of(*(make_node(f"n{i}") for i in range(150)), make_pod("p"))
    matrix = complete_matrix_now(simulation, "default/p")
    assert matrix is not None
    assert (matrix.evaluated, len(matrix.rows), len(matrix.feasible)) == (100, 150, 150)
    assert matrix.raw.shape == (len(matrix.score_plugins), 150)


def test_plugins_still_speak_when_prefilter_ends_the_attempt() -> None:
    conflicting = (
        make_pod("p")
        .node_affinity("a", "Exists")
        .spec(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}])
    )
    simulation = cluster_of(make_node("n"), conflicting)
    matrix = complete_matrix_now(simulation, "default/p")
    assert matrix is not None
    assert matrix.evaluated == 0
    assert said(matrix, "NodeAffinity", 0) == "node(s) didn't match Pod's node affinity/selector"


def test_no_profile_no_matrix() -> None:
    simulation = cluster_of(make_node("n"), make_pod("p").spec(schedulerName="another"))
    assert complete_matrix_now(simulation, "default/p") is None
    assert complete_matrix_now(simulation, "default/unknown") is None


def test_it_survives_being_stored() -> None:
    simulation = cluster_of(make_node("n"), make_node("m"), make_pod("p"))
    matrix = complete_matrix_now(simulation, "default/p")
    assert matrix is not None
    stored = Matrix.from_plain(matrix.to_plain())
    assert stored.to_json(["n", "m"]) == matrix.to_json(["n", "m"])
    assert stored.to_json(["n", "m"])["evaluated"] == 2


@given(SEQUENCES)
@THOROUGH
def test_where_the_attempt_looks_both_say_the_same(commands: list[Manifest]) -> None:
    simulation = Simulation.create(seed=1)
    for command in [*REPLICAS, *commands, {"kind": "schedule_one"}, {"kind": "schedule_one"}]:
        queue = simulation.cluster.queue
        pending = [queued.pod.key for queued in (*queue.active(), *queue.backoff())]
        before = (
            {key: complete_matrix_now(simulation, key) for key in pending} if command["kind"] == "schedule_one" else {}
        )
        try:
            records = list(simulation.apply(command))
        except CommandError:
            continue
        for record in records:
            if command["kind"] == "schedule_one" and record.data["kind"] == "cycle":
                compare(before[record.data["cycle"]["pod"]], record.matrix, record.data["cycle"])


def compare(everything: Matrix | None, faithful: Matrix | None, cycle: dict[str, Any]) -> None:
    assert everything is not None
    assert everything.evaluated == cycle["nodes"]["evaluated"]
    if faithful is not None:
        looked_at = len(faithful.rows)
        assert everything.rows[:looked_at].tolist() == faithful.rows.tolist()
        assert [everything.statuses[code] for code in everything.status[:looked_at]] == [
            faithful.statuses[code] for code in faithful.status
        ]
