"""A configuration of any time is known wherever it stands; objects are not taken for one."""

import textwrap

import pytest

from scheduler_core.emulations import EMULATIONS
from scheduler_core.legacy.recognise import recognize_config
from simulator.simulation import CommandError, Simulation

POLICY = '{"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "MostRequestedPriority", "weight": 2}]}'
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: web}]}\n"


def config(version: str, group: str = "kubescheduler.config.k8s.io") -> str:
    return f"apiVersion: {group}/{version}\nkind: KubeSchedulerConfiguration\n"


def config_map(text: str, key: str = "config.yaml") -> str:
    held = textwrap.indent(text, "    ")
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: s, namespace: team}}\ndata:\n  {key}: |\n{held}\n"


KNOWN = [
    # given, what, removed in, where
    (POLICY, "Policy", "v1.23", ""),
    (POLICY.replace('"kind": "Policy", ', ""), "Policy", "v1.23", ""),
    (config("v1alpha1"), "KubeSchedulerConfiguration v1alpha1", "v1.19", ""),
    (config("v1alpha1", "componentconfig"), "KubeSchedulerConfiguration v1alpha1", "v1.19", ""),
    (config("v1alpha2"), "KubeSchedulerConfiguration v1alpha2", "v1.19", ""),
    (config("v1beta1"), "KubeSchedulerConfiguration v1beta1", "v1.23", ""),
    (config("v1beta2"), "KubeSchedulerConfiguration v1beta2", "v1.28", ""),
    (config("v1beta3"), "KubeSchedulerConfiguration v1beta3", "v1.29", ""),
    (config("v1"), "KubeSchedulerConfiguration v1", "", ""),
    (POD + "---\n" + config("v1beta3"), "KubeSchedulerConfiguration v1beta3", "v1.29", ""),
    (
        config_map(config("v1beta2")),
        "KubeSchedulerConfiguration v1beta2",
        "v1.28",
        "ConfigMap team/s, data.config.yaml",
    ),
    (config_map(config("v1")), "KubeSchedulerConfiguration v1", "", "ConfigMap team/s, data.config.yaml"),
    (config_map(POLICY, "policy.cfg"), "Policy", "v1.23", "ConfigMap team/s, data.policy.cfg"),
    ("--algorithm-provider=ClusterAutoscalerProvider\n", "flags", "v1.22", ""),
]


@pytest.mark.parametrize(("given", "what", "removed_in", "where"), KNOWN)
def test_known(given: str, what: str, removed_in: str, where: str) -> None:
    found = recognize_config(given)
    assert found is not None
    assert (found.what, found.removed_in, found.where) == (what, removed_in, where)
    assert found.translation.config_text.startswith("apiVersion: kubescheduler.config.k8s.io/v1\n")
    assert found.translation.problems == []


OTHERS = [
    "",
    "a: [",
    "just words",
    POD,
    config("v1") + "---\n" + POLICY,
    "predicates: [",
    "apiVersion: v1\nkind: List\nitems: []\n",
]


@pytest.mark.parametrize("given", OTHERS)
def test_nothing_else_is(given: str) -> None:
    assert recognize_config(given) is None


def test_lines_are_those_of_the_whole_text() -> None:
    found = recognize_config(POD + "---\n" + config("v1beta3"))
    assert found is not None
    assert [line.line for line in found.translation.lines if line.path] == [6, 7]


@pytest.mark.parametrize("given", [POLICY, config("v1beta2"), config("v1")])
def test_what_is_refused_leads_to_the_translation(given: str) -> None:
    simulation = Simulation(seed=1)
    text = given + "oops: 1\n" if given == config("v1") else given
    with pytest.raises(CommandError) as refused:
        list(simulation.apply({"kind": "set_config", "yaml": text}))
    found = recognize_config(given)
    assert found is not None
    hint = refused.value.problems[0].hint
    assert ("past/translate/" in hint and f"no more since {found.removed_in}:" in hint) == bool(found.removed_in)


def test_where_a_policy_is_read_it_is_not_of_the_past() -> None:
    simulation = Simulation(seed=1, emulation=EMULATIONS["v1.20.2"])
    policy = POLICY.replace("MostRequestedPriority", "MostRequstedPriority")
    with pytest.raises(CommandError) as refused:
        list(simulation.apply({"kind": "set_config", "yaml": policy}))
    assert all("past/translate/" not in each.hint for each in refused.value.problems)
