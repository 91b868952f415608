"""Devices and claims: what is told agrees with the vectors' verdicts, and says why each device was refused."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.emulations import EMULATIONS, V1_34_1, V1_36_3
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.framework.emulation import Emulation
from simulator.explain.devices.claims import explain_allocation, explain_claims
from simulator.explain.devices.inventory import devices_of_node, devices_of_nodes
from simulator.explain.rerun import Rerun, rerun
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.dra.devices import Manifest, claim, device, device_class, request, resource_slice
from tests.core.explain.watching import scenarios, watch

DRIVER = "gpu.example.com"
BROKEN = {"key": "broken", "effect": "NoSchedule"}


def cluster(*objects: Manifest, claims: tuple[str, ...] = ("c",), emulates: Emulation = V1_36_3) -> Simulation:
    """One node `n`, and a pod `new` that uses the claims."""
    simulation = Simulation.create(emulation=emulates)
    entries = [{"name": name, "resourceClaimName": name} for name in claims]
    new = make_pod("new").spec(resourceClaims=entries).manifest()
    given = [make_node("n").cpu("8").manifest(), *objects, new]
    list(simulation.apply({"kind": "create", "objects": given}))
    return simulation


def again(simulation: Simulation) -> Rerun:
    return rerun(simulation, "default/new")


def refusals(simulation: Simulation) -> dict[str, tuple[str | None, str]]:
    """By device, the kind of the reason and its text."""
    steps = explain_allocation(again(simulation).context, "n")["steps"]
    return {
        step["device"].split("/")[2]: (step["kind"], step["why"]["text"])
        for step in steps
        if step["did"] == "refused" and step["why"]
    }


def model(name: str) -> dict[str, Any]:
    return {"model": {"string": name}}


def test_every_kind_of_refusal() -> None:
    devices = [
        device("other", attributes=model("a100")),
        device("ill", attributes=model("h100"), taints=[BROKEN]),
        device("taken", attributes=model("h100")),
        device("plain", attributes=model("h100"), capacity={"memory": {"value": "80Gi"}}),
    ]
    has_it = {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu", "count": 1}}]}
    results = [{"request": "r", "driver": DRIVER, "pool": "n", "device": "taken"}]
    holder = claim("holder", status={"allocation": {"devices": {"results": results}}}) | {"spec": {"devices": has_it}}
    wanted = claim("c", request(selectors=['device.attributes["gpu.example.com"].model == "h100"']))
    found = refusals(cluster(resource_slice("n", devices), device_class(), holder, wanted))
    assert found == {
        "other": (
            "selector",
            'selector 1 of the request is not true for it: device.attributes["gpu.example.com"].model == "h100"',
        ),
        "ill": ("taint", "the request does not tolerate its taint broken:NoSchedule"),
        "taken": ("taken", "claim default/holder has it"),
    }


def test_constraints_say_which_attribute() -> None:
    same = [{"matchAttribute": f"{DRIVER}/model"}]
    devices = [device("a", attributes=model("a100")), device("b", attributes=model("h100")), device("c")]
    wanted = claim("c", request(count=2), constraints=same)
    found = refusals(cluster(resource_slice("n", devices), device_class(), wanted))
    assert found["c"] == ("constraint", f"it has no attribute {DRIVER}/model, which a constraint compares")
    steps = explain_allocation(again(cluster(resource_slice("n", devices), device_class(), wanted)).context, "n")[
        "steps"
    ]
    told = [step["why"]["text"] for step in steps if step["why"] is not None]
    assert f"its {DRIVER}/model is h100; what was taken before it has another" in told
    # What led nowhere is given back.
    assert Counter(step["did"] for step in steps)["givenBack"] == Counter(step["did"] for step in steps)["taken"] == 2


def test_partitions_and_shared_capacity() -> None:
    def part(name: str, memory: str) -> Manifest:
        consumes = [{"counterSet": "gpu-0", "counters": {"memory": {"value": memory}}}]
        return device(name, consumesCounters=consumes)

    counters = [{"name": "gpu-0", "counters": {"memory": {"value": "80Gi"}}}]
    slices = [
        resource_slice("", (), name="counters", pool="p", slices=2, sharedCounters=counters, nodeName="n"),
        resource_slice(
            "", [part("half", "40Gi"), part("whole", "80Gi")], name="parts", pool="p", slices=2, nodeName="n"
        ),
    ]
    for each in slices:
        if each["metadata"]["name"] == "counters":
            del each["spec"]["devices"]
    simulation = cluster(*slices, device_class(), claim("c", request(count=2)))
    assert refusals(simulation)["whole"] == (
        "counters",
        "memory of gpu-0: it would consume 80Gi, and of what the pool's devices share 40Gi is left",
    )
    whole = devices_of_node(simulation, "n")
    assert whole is not None
    (pool,) = whole["pools"]
    assert pool["counters"] == [{"set": "gpu-0", "counter": "memory", "total": "80Gi", "left": "80Gi"}]
    assert [(each["device"], each["partition"], each["state"]) for each in pool["devices"]] == [
        (f"{DRIVER}/p/half", True, "free"),
        (f"{DRIVER}/p/whole", True, "free"),
    ]


def test_who_has_a_device() -> None:
    simulation = cluster(resource_slice("n", ["a", device("b", taints=[BROKEN])]), device_class(), claim("c"))
    (before,) = devices_of_nodes(simulation, ["n", "gone"])["nodes"]
    assert (before["counts"]["free"], before["tainted"]) == (2, 1)
    list(simulation.apply({"kind": "run", "until": "idle"}))
    (after,) = devices_of_nodes(simulation, ["n"])["nodes"]
    assert [(cell["state"], cell["by"]) for cell in after["devices"]] == [("taken", ["default/c"]), ("free", [])]
    whole = devices_of_node(simulation, "n")
    assert whole is not None and whole["pools"][0]["devices"][0]["holders"][0]["pods"] == ["default/new"]
    assert devices_of_node(simulation, "gone") is None


def test_a_pod_that_is_rejected_as_a_whole() -> None:
    simulation = cluster(resource_slice("n", ["a"]), claim("c"))
    found = explain_claims(again(simulation).context)
    assert found["problem"] == "request r: device class gpu does not exist"
    assert (found["nodes"], [one["claim"] for one in found["claims"]]) == ([], ["default/c"])
    plain = explain_claims(again(cluster(claims=())).context)
    assert plain["why"] is not None and plain["why"]["text"] == "the pod uses no claims"


@pytest.mark.parametrize("version", ["v1.34.1", "v1.36.3"])
def test_the_search_writes_nothing(version: str) -> None:
    simulation = cluster(resource_slice("n", ["a"]), device_class(), claim("c"), emulates=EMULATIONS[version])
    twice = [explain_allocation(again(simulation).context, "n") for _ in range(2)]
    assert twice[0] == twice[1] and twice[0]["outcome"] == "fits"
    assert [given["device"] for given in twice[0]["claims"][0]["given"]] == [f"{DRIVER}/n/a"]


CASES = [("dra", "", V1_34_1), ("dra134", "v1.36", V1_36_3), ("dra", "v1.36", V1_36_3)]


@pytest.mark.parametrize(("family", "folder", "emulation"), CASES, ids=["v1.34", "dra134", "v1.36"])
def test_what_is_told_is_what_filter_said(family: str, folder: str, emulation: Emulation) -> None:
    told: Counter[str] = Counter()

    def look(context: AttemptContext, result: CycleResult, want: Mapping[str, Any]) -> None:
        if not context.attempt.pre_filter.status.is_success or "DynamicResources" in context.state.skip_filter_plugins:
            return
        if result.status.code == 1:  # an error ends Filter at the first such node
            return
        for node in context.nodes:
            verdict = want.get("filter", {}).get(node.name, {}).get("DynamicResources")
            found = explain_allocation(context, node.name)
            where = (name, want["pod"], node.name, found)
            assert (found["outcome"] == "fits") == (verdict is None), where
            if verdict is not None:
                assert verdict["reasons"] == [found["message"]], where
            told[found["outcome"]] += 1
            for step in found["steps"]:
                assert step["kind"] != "other", where
                told[step["kind"] or step["did"]] += 1

    for vector in scenarios(family, folder):
        name = vector["scenario"]["name"]
        watch(vector, look, emulation)
    assert {"fits", "refused", "taken", "givenBack", "selector"} <= set(told)
