"""Cordon, drain, failing nodes, evictions, pods that end: what people, kubelets and controllers do."""

from typing import Any

import pytest

from kube_objects.serialize import manifest_of
from simulator.simulation import CommandError, Record, Simulation
from tests.conformance.testing import make_node, make_pod

Manifest = dict[str, Any]
NOT_READY = "node.kubernetes.io/not-ready"


def cluster(*objects: Any, play: bool = True) -> Simulation:
    simulation = Simulation.create(seed=1)
    manifests = [dict(obj) if isinstance(obj, dict) else dict(obj.manifest()) for obj in objects]
    list(simulation.apply({"kind": "create", "objects": manifests}))
    if play:
        list(simulation.apply({"kind": "run", "until": "idle"}))
    return simulation


def do(simulation: Simulation, kind: str, **fields: Any) -> list[Record]:
    return list(simulation.apply({"kind": kind, **fields}))


def node(name: str, cpu: str = "4") -> Any:
    return make_node(name).cpu(cpu).memory("8Gi")


def budget(name: str, allowed: int, **selector: Any) -> Manifest:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": selector},
        "status": {"disruptionsAllowed": allowed},
    }


def on(name: str, node_name: str = "a", **labels: str) -> Any:
    pod = make_pod(name).cpu("1").node(node_name)
    for key, value in labels.items():
        pod.label(key, value)
    return pod


def pods_on(simulation: Simulation, name: str) -> list[str]:
    return [pod.name for pod in simulation.cluster.pods_on(name) if not pod.finished]


def manifest(simulation: Simulation, kind: str, key: str) -> Any:
    return simulation.cluster.store.get(kind, key)


def test_a_cordoned_node_takes_nothing_new_and_an_uncordoned_one_wakes_who_waits() -> None:
    simulation = cluster(node("a"), on("old"))
    (record,) = do(simulation, "cordon", node="a")
    assert {k: record.data[k] for k in ("kind", "action", "node", "changed")} == {
        "kind": "node",
        "action": "cordon",
        "node": "a",
        "changed": True,
    }
    assert record.manifests[0][3] is not None and record.manifests[0][3]["spec"]["unschedulable"] is True
    do(simulation, "create", objects=[dict(make_pod("new").cpu("1").manifest())])
    (attempt,) = do(simulation, "run", until="idle")
    assert "1 node(s) were unschedulable" in attempt.data["cycle"]["message"]
    assert pods_on(simulation, "a") == ["old"]
    (again,) = do(simulation, "cordon", node="a")
    assert (again.data["changed"], again.manifests) == (False, [])
    (lifted,) = do(simulation, "uncordon", node="a")
    assert lifted.lanes["default/new"]["lane"] in ("active", "backoff")
    assert "unschedulable" not in lifted.manifests[0][3].get("spec", {})  # type: ignore[union-attr]


def test_a_drain_evicts_what_kubectl_evicts_and_says_what_stays() -> None:
    daemon = on("daemon").manifest()
    daemon["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "u", "controller": True}
    ]
    static = on("static").manifest()
    static["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    simulation = cluster(
        node("a"),
        node("b"),
        budget("web", 1, matchLabels={"app": "web"}),
        *(on(f"web-{i}", app="web") for i in range(3)),
        on("free"),
        on("elsewhere", "b"),
        daemon,
        static,
    )
    (record,) = do(simulation, "drain", node="a")
    assert record.data["evicted"] == ["default/web-0", "default/free"]
    refused = (
        "Cannot evict pod as it would violate the pod's disruption budget: "
        "the PodDisruptionBudget default/web allows no disruption"
    )
    assert {kept["pod"]: kept["reason"] for kept in record.data["kept"]} == {
        "default/web-1": refused,
        "default/web-2": refused,
        "default/daemon": "is managed by the DaemonSet default/agent",
        "default/static": "is a static pod of the node's kubelet",
    }
    assert manifest(simulation, "Node", "a").unschedulable
    assert manifest(simulation, "PodDisruptionBudget", "default/web").disruptions_allowed == 0
    written = {key: changed for _, kind, key, changed in record.manifests if kind == "PodDisruptionBudget"}
    assert written["default/web"]["status"] == {"disruptionsAllowed": 0}  # type: ignore[index]
    assert pods_on(simulation, "b") == ["elsewhere"]
    assert record.lanes["default/free"]["lane"] == "gone"


EVICTIONS: list[tuple[str, list[Manifest], str]] = [
    # name                    budgets                                              refused because of
    ("no budget", [], ""),
    ("one allowed", [budget("w", 1, matchLabels={"app": "web"})], ""),
    ("none allowed", [budget("w", 0, matchLabels={"app": "web"})], "default/w allows no disruption"),
    ("of another app", [budget("w", 0, matchLabels={"app": "db"})], ""),
    ("of everything", [budget("w", 0)], "default/w allows no disruption"),
    ("two", [budget("v", 5), budget("w", 5)], "more than one PodDisruptionBudget"),
]


@pytest.mark.parametrize(("budgets", "refusal"), [case[1:] for case in EVICTIONS], ids=[case[0] for case in EVICTIONS])
def test_the_eviction_api(budgets: list[Manifest], refusal: str) -> None:
    simulation = cluster(node("a"), *budgets, on("web", app="web"))
    before = simulation.checkpoint()
    if refusal:
        with pytest.raises(CommandError, match=refusal) as caught:
            simulation.apply({"kind": "evict", "pod": "default/web"})
        assert [problem.path for problem in caught.value.problems] == ["pod"]
        assert simulation.checkpoint() == before
        return
    (record,) = do(simulation, "evict", pod="default/web")
    assert (record.data["kind"], record.data["by"], record.data["pods"]) == ("eviction", "api", ["default/web"])
    assert pods_on(simulation, "a") == []


def test_a_pod_that_does_not_run_is_evicted_whatever_its_budget() -> None:
    simulation = cluster(node("a"), budget("w", 0), make_pod("waits").cpu("64"))
    (record,) = do(simulation, "evict", pod="default/waits")
    assert record.lanes == {"default/waits": {"lane": "gone"}}
    assert manifest(simulation, "PodDisruptionBudget", "default/w").disruptions_allowed == 0


def tolerating(name: str, seconds: int | None, node_name: str = "a") -> Any:
    pod = on(name, node_name)
    pod.toleration(NOT_READY, effect="NoSchedule", operator="Exists")
    pod.toleration(NOT_READY, effect="NoExecute", operator="Exists")
    return pod if seconds is None else pod.for_seconds(seconds)


def test_a_failed_node_loses_its_pods_when_their_patience_ends() -> None:
    pods = [on("plain"), tolerating("later", 30), tolerating("last", 60), tolerating("ever", None), on("other", "b")]
    simulation = cluster(node("a"), node("b"), *pods)
    (record,) = do(simulation, "fail_node", node="a")
    assert record.data["evicted"] == ["default/plain"]
    assert record.data["later"] == [{"pod": "default/later", "t": 30.0}, {"pod": "default/last", "t": 60.0}]
    failed = manifest(simulation, "Node", "a")
    assert [str(taint) for taint in failed.taints] == [f"{NOT_READY}:NoSchedule", f"{NOT_READY}:NoExecute"]
    assert failed.conditions["Ready"] == "False"
    assert [event["reason"] for event in record.data["events"]] == ["NodeNotReady", "TaintManagerEviction"]
    evicted, clock = do(simulation, "advance_clock", seconds=45)
    assert (evicted.data["kind"], evicted.data["by"], evicted.data["t"]) == ("eviction", "taint", 30.0)
    assert evicted.data["pods"] == ["default/later"]
    assert clock.data["t"] == 45.0
    (back,) = do(simulation, "recover_node", node="a")
    assert back.data["changed"] is True
    assert (manifest(simulation, "Node", "a").taints, manifest(simulation, "Node", "a").conditions) == (
        (),
        {"Ready": "True"},
    )
    (clock,) = do(simulation, "advance_clock", seconds=100)
    assert pods_on(simulation, "a") == ["last", "ever"]
    assert pods_on(simulation, "b") == ["other"]


def test_a_node_that_fails_after_controllers_were_on_loses_its_pods_in_time() -> None:
    simulation = cluster(node("a"), node("b"), tolerating("patient", 60))
    do(simulation, "set_actors", actors="all")
    do(simulation, "set_actors", actors="none")
    do(simulation, "fail_node", node="a")
    evicted = do(simulation, "advance_clock", seconds=100)[0]
    assert (evicted.data["kind"], evicted.data["pods"], evicted.data["t"]) == ("eviction", ["default/patient"], 60.0)


def test_time_goes_on_when_controllers_take_over_a_failed_node() -> None:
    simulation = cluster(node("a"), node("b"), tolerating("patient", 60))
    do(simulation, "fail_node", node="a")
    do(simulation, "set_actors", actors="all")
    do(simulation, "advance_clock", seconds=59)
    assert "patient" in pods_on(simulation, "a")
    do(simulation, "advance_clock", seconds=2)
    assert "patient" not in pods_on(simulation, "a")


def test_the_first_toleration_of_a_taint_says_how_long_a_pod_may_stay() -> None:
    """Source: GetMatchingTolerations."""
    stays = on("stays").toleration(operator="Exists")
    stays.toleration(NOT_READY, effect="NoExecute", operator="Exists").for_seconds(5)
    simulation = cluster(node("a"), stays)
    do(simulation, "fail_node", node="a")
    do(simulation, "advance_clock", seconds=10)
    assert pods_on(simulation, "a") == ["stays"]


def test_a_pod_that_comes_to_a_failed_node_has_its_patience_too() -> None:
    simulation = cluster(node("a"))
    do(simulation, "fail_node", node="a")
    newcomer = tolerating("new", 5, "")
    do(simulation, "create", objects=[dict(newcomer.manifest()), dict(make_pod("no").manifest())])
    do(simulation, "run", until="idle")
    assert pods_on(simulation, "a") == ["new"]
    kinds = [record.data["kind"] for record in do(simulation, "advance_clock", seconds=10)]
    assert kinds == ["eviction", "clock"]


def test_pods_leave_in_the_middle_of_a_run() -> None:
    simulation = cluster(node("a", "2"), tolerating("old", 1), play=False)
    do(simulation, "fail_node", node="a")
    do(simulation, "advance_clock", seconds=0.9995)
    do(simulation, "create", objects=[dict(tolerating(f"new-{i}", None, "").manifest()) for i in range(2)])
    kinds = [record.data["kind"] for record in do(simulation, "run", until="idle")]
    assert kinds == ["eviction", "cycle", "cycle"]
    assert pods_on(simulation, "a") == ["new-0", "new-1"]


def test_a_taint_that_the_user_wrote_evicts_nobody() -> None:
    tainted = node("a").taint(NOT_READY, "", "NoExecute")
    simulation = cluster(tainted, tolerating("p", 5), on("q"))
    do(simulation, "advance_clock", seconds=10)
    assert pods_on(simulation, "a") == ["p", "q"]


def test_a_pod_that_ends_gives_its_room_back() -> None:
    simulation = cluster(node("a", "1"), make_pod("job").cpu("1"), make_pod("next").cpu("1"))
    assert pods_on(simulation, "a") == ["job"]
    (record,) = do(simulation, "finish_pod", pod="default/job", phase="Failed")
    assert {k: record.data[k] for k in ("kind", "pod", "phase", "node")} == {
        "kind": "pod",
        "pod": "default/job",
        "phase": "Failed",
        "node": "a",
    }
    assert record.lanes["default/job"] == {"lane": "gone"}
    assert record.lanes["default/next"]["lane"] in ("active", "backoff")
    assert manifest(simulation, "Pod", "default/job").phase == "Failed"
    do(simulation, "run", until="idle")
    assert pods_on(simulation, "a") == ["next"]


def test_reset_undoes_what_happened_to_nodes_and_pods() -> None:
    simulation = cluster(node("a"), node("b"), tolerating("p", 5), on("q"), on("r", "b"))
    do(simulation, "fail_node", node="a")
    do(simulation, "drain", node="b")
    do(simulation, "reset")
    assert pods_on(simulation, "a") == ["p", "q"]
    assert pods_on(simulation, "b") == ["r"]
    assert [node.unschedulable or bool(node.taints) for node in simulation.cluster.store.list("Node")] == [False, False]
    do(simulation, "advance_clock", seconds=10)
    assert pods_on(simulation, "a") == ["p", "q"]


def test_a_checkpoint_remembers_who_has_to_go() -> None:
    simulation = cluster(node("a"), tolerating("p", 5))
    do(simulation, "fail_node", node="a")
    data = simulation.checkpoint()
    assert data is not None
    restored = Simulation.restore(data)
    mine, theirs = (do(each, "advance_clock", seconds=9) for each in (restored, simulation))
    assert [record.data for record in mine] == [record.data for record in theirs]
    assert [record.data["kind"] for record in mine] == ["eviction", "clock"]


REFUSED: list[tuple[str, Manifest, str]] = [
    ("no such node", {"kind": "cordon", "node": "x"}, "node"),
    ("no node named", {"kind": "drain"}, "node"),
    ("a node that is a number", {"kind": "fail_node", "node": 3}, "node"),
    ("no such pod", {"kind": "evict", "pod": "default/x"}, "pod"),
    ("a phase that is no end", {"kind": "finish_pod", "pod": "default/p", "phase": "Running"}, "phase"),
    ("a pod that waits", {"kind": "finish_pod", "pod": "default/waits", "phase": "Succeeded"}, "pod"),
    ("a pod that has ended", {"kind": "finish_pod", "pod": "default/ended", "phase": "Succeeded"}, "pod"),
    ("another field", {"kind": "uncordon", "node": "a", "force": True}, "force"),
]


@pytest.mark.parametrize(("command", "path"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused_with_the_path_and_nothing_changed(command: Manifest, path: str) -> None:
    simulation = cluster(node("a"), on("p"), on("ended"), make_pod("waits").cpu("64"))
    do(simulation, "finish_pod", pod="default/ended", phase="Succeeded")
    before = simulation.checkpoint()
    with pytest.raises(CommandError) as caught:
        simulation.apply(command)
    assert [problem.path for problem in caught.value.problems] == [path]
    assert simulation.checkpoint() == before


@pytest.mark.parametrize("spec", [None, {}, {"unschedulable": False}, {"providerID": "x"}], ids=str)
@pytest.mark.parametrize("between", [[], [{"kind": "reset", "keeps": ["cordons"]}]], ids=["at once", "reset"])
def test_a_lifted_cordon_leaves_the_same_manifest_after_a_checkpoint(spec: Any, between: list[Manifest]) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}} | ({} if spec is None else {"spec": spec})
    original = cluster(node)
    for command in ({"kind": "cordon", "node": "a"}, *between):
        list(original.apply(command))
    saved = original.checkpoint()
    assert saved is not None
    restored = Simulation.restore(saved)
    uncordon = {"kind": "uncordon", "node": "a"}
    mine, theirs = restored.apply(uncordon), original.apply(uncordon)
    assert [record.data for record in mine] == [record.data for record in theirs]
    assert restored.checkpoint() == original.checkpoint()
    live = original.cluster.store.get("Node", "a")
    assert live is not None
    found = manifest_of(live)
    assert found.get("spec") == ({"providerID": "x"} if spec and "providerID" in spec else None)
