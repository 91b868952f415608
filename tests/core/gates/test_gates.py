"""Feature gates: what may be set, upstream's texts for what may not, and what they change."""

import pytest

from scheduler_core.emulations import EMULATIONS, emulation_of
from scheduler_core.gates import GateError, check_gates, gates_of, gates_text, parse_gates
from scheduler_core.gates.effects import EFFECTS
from scheduler_core.gates.words import CHANGES, NO_DECISION, NOT_PLAYED, describe_gate
from simulator.cli.errors import InputError
from simulator.simulation import Simulation

V1_34, V1_36 = "v1.34.1", "v1.36.3"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", {}),
        ("A=true", {"A": True}),
        (" A = false ,,B=1", {"A": False, "B": True}),
    ],
)
def test_read(text: str, want: dict[str, bool]) -> None:
    assert parse_gates(text) == want


@pytest.mark.parametrize(
    ("version", "text", "why"),
    [
        (V1_36, "GangScheduling", "missing bool value for GangScheduling"),
        (
            V1_36,
            "GangScheduling=yes",
            'invalid value of GangScheduling=yes, err: strconv.ParseBool: parsing "yes": invalid syntax',
        ),
        (V1_36, "Foo=true", "unrecognized feature gate: Foo"),
        (V1_34, "GangScheduling=true", "unrecognized feature gate: GangScheduling"),
        (
            V1_36,
            "SchedulerQueueingHints=false",
            "cannot set feature gate SchedulerQueueingHints to false, feature is locked to true",
        ),
        (
            V1_36,
            "GangScheduling=true",
            "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]",
        ),
    ],
)
def test_refused(version: str, text: str, why: str) -> None:
    with pytest.raises(GateError) as caught:
        check_gates(version, parse_gates(text))
    assert str(caught.value) == why


def test_only_what_differs_from_the_defaults_is_kept() -> None:
    given = parse_gates("DRAExtendedResource=true,GenericWorkload=true,SchedulerQueueingHints=true")
    assert check_gates(V1_36, given) == {"GenericWorkload": True}


def test_all_alpha_is_every_alpha_gate_that_is_not_said_otherwise() -> None:
    found = check_gates(V1_36, parse_gates("AllAlpha=true,WorkloadAwarePreemption=false"))
    assert found["GangScheduling"] and "WorkloadAwarePreemption" not in found
    assert all(gates_of(V1_36)[name].stage == "Alpha" for name in found)


@pytest.mark.parametrize("version", [V1_34, V1_36])
def test_defaults_agree_with_themselves(version: str) -> None:
    assert check_gates(version, {}) == {}
    assert {need for gate in gates_of(version).values() for need in gate.needs} <= gates_of(version).keys()


def test_an_emulation_is_named_by_its_gates() -> None:
    named = emulation_of(V1_36, {"GenericWorkload": True, "DRADeviceTaints": True})
    assert named.version == "v1.36.3 GenericWorkload=true"
    assert EMULATIONS[named.version] is named and named.version in EMULATIONS
    assert emulation_of(V1_36, {}) is EMULATIONS[V1_36]
    for wrong in ("v1.36.3 Foo=true", "v9", "v1.20.2 AllAlpha=true"):
        assert wrong not in EMULATIONS


@pytest.mark.parametrize("version", EFFECTS)
def test_every_effect_can_be_had_and_has_a_sentence(version: str) -> None:
    for name in EFFECTS[version]:
        gate = gates_of(version)[name]
        if gate.locked:
            continue
        needs = dict.fromkeys(gate.needs, True) if not gate.default else {}
        off = {each.name: False for each in gates_of(version).values() if name in each.needs and each.default}
        emulation = emulation_of(version, {**needs, **off, name: not gate.default})
        Simulation.create(emulation=emulation)
        assert describe_gate(version, gate) == (CHANGES[name], "changes")


def test_no_gate_is_told_twice() -> None:
    tables = [CHANGES, NOT_PLAYED, NO_DECISION]
    assert len({name for table in tables for name in table}) == sum(map(len, tables))
    assert {name for table in tables for name in table} <= gates_of(V1_34).keys() | gates_of(V1_36).keys()


def test_the_default_plugins_follow() -> None:
    off = emulation_of(V1_34, parse_gates("AllBeta=false,DynamicResourceAllocation=false"))
    assert off.rules is not None and "DynamicResourceAllocation=false" in gates_text(off.gates)
    assert "DynamicResources" not in [plugin.name for plugin in off.rules.multi_point.enabled]
    (framework,) = Simulation.create(emulation=off).cluster.scheduler.frameworks.values()
    assert "DynamicResources" not in framework.plugins


def test_without_popping_from_backoff_a_run_ends_while_pods_back_off() -> None:
    pod = {"spec": {"containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": "9"}}}]}}
    objects = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1"}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}, **pod},
    ]
    for on, attempts in ((True, 2), (False, 1)):
        simulation = Simulation.create(emulation=emulation_of(V1_36, {"SchedulerPopFromBackoffQ": on}))
        list(simulation.apply({"kind": "create", "objects": objects}))
        list(simulation.apply({"kind": "run", "until": "idle"}))
        # There is room on it, so that it may help; it does not.
        tainted = {"taints": [{"key": "k", "effect": "NoSchedule"}]}
        room = {"allocatable": {"cpu": "9", "pods": "9"}}
        other = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "m"}, "spec": tainted, "status": room}
        list(simulation.apply({"kind": "create", "objects": [other]}))
        list(simulation.apply({"kind": "run", "until": "idle"}))
        assert simulation.cycle == attempts


def test_the_command_line_says_what_kube_scheduler_says() -> None:
    from argparse import Namespace

    from simulator.cli.input.inputs import read_emulation

    assert read_emulation(Namespace(emulate=V1_36, feature_gates="GenericWorkload=true")).gates
    with pytest.raises(InputError) as caught:
        read_emulation(Namespace(emulate=V1_36, feature_gates="Foo=true"))
    assert caught.value.lines == [
        'invalid argument "Foo=true" for "--feature-gates" flag: unrecognized feature gate: Foo'
    ]
