"""Exports and imports: each format there and back, recognised by what it is."""

import json
from typing import Any

import pytest
import yaml
from django.db import connection
from django.test.utils import CaptureQueriesContext

from playground import limits
from playground.clusters import commands
from playground.engine import command_runner
from playground.exchange import scenario_loading
from playground.models import Cluster
from playground.problems import Refused
from scheduler_core.emulations import EMULATIONS
from simulator.exchange.scenario import Scenario
from tests.config_v1_34 import load
from tests.web import Api, node, pod

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
POLICY = '{"kind": "Policy", "apiVersion": "v1", "priorities": [{"name": "MostRequestedPriority", "weight": 2}]}'


def exported(api: Api, cluster: int, what: str, **query: Any) -> str:
    answer = api.client.get(f"/api/v1/clusters/{cluster}/export/{what}/", query)
    assert answer.status_code == 200, answer.content
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    return str(answer.content.decode())


def imported(api: Api, cluster: int, text: str) -> Any:
    answer = api.post(f"clusters/{cluster}/import/", {"text": text})
    command_runner.apply_commands(cluster)
    return answer


@pytest.mark.parametrize("emulates", EMULATIONS)
def test_a_scenario_there_and_back_to_the_same_bytes(api: Api, emulates: str) -> None:
    objects = [node(f"n{i}") for i in range(3)] + [pod(f"p{i}", cpu="900m") for i in range(6)] + [pod("big", cpu="9")]
    first = api.cluster(objects, seed=11, emulates=emulates)
    api.command(first, kind="run", until={"cycles": 3})
    api.command(first, kind="create", objects=[node("n0")])  # refused: it exists
    api.command(first, kind="seed", seed=4)
    api.command(first, kind="run", until="idle")
    text = exported(api, first, "scenario")
    again = api.cluster()
    assert imported(api, again, text)["format"] == "scenario"
    trace = exported(api, first, "trace")
    assert trace == exported(api, again, "trace")
    assert [json.loads(line)["seq"] for line in trace.splitlines()] == list(range(1, trace.count("\n") + 1))
    state = api.get(f"clusters/{again}/")
    assert (state["emulates"], state["seed"]) == (emulates, 11)
    # The file, but for the cluster's own name, too.
    assert json.loads(exported(api, again, "scenario")) | {"name": ""} == json.loads(text) | {"name": ""}


def test_a_run_that_was_stopped_is_as_long_again(api: Api, small: Cluster) -> None:
    number = api.post(f"clusters/{small.pk}/commands/", {"kind": "run", "until": "idle"})["number"]
    small.commands.filter(number=number).update(state="stopped", records=0)
    api.command(small.pk, kind="run", until={"cycles": 2})
    small.commands.filter(number=number + 1).update(state="stopped", payload={"kind": "run", "until": "idle"})
    commands = json.loads(exported(api, small.pk, "scenario"))["commands"]
    assert [command["kind"] for command in commands] == ["create", "run"]
    assert commands[1] == {"kind": "run", "until": {"cycles": 2}}


def test_a_scenario_needs_a_cluster_without_a_history(api: Api, small: Cluster) -> None:
    text = exported(api, small.pk, "scenario")
    problems = api.post(f"clusters/{small.pk}/import/", {"text": text}, status=409)["problems"]
    assert "new cluster" in problems[0]["hint"]
    assert api.post(f"clusters/{small.pk}/import/", {"text": text, "dry_run": True})["counts"] == {"create": 1}


def test_a_wrong_scenario_says_all_of_it(api: Api, small: Cluster) -> None:
    text = exported(api, small.pk, "scenario").replace('"kind": "create"', '"kind": "dance"')
    text = text.replace('"emulates": "v1.36.3"', '"emulates": "v9"')
    paths = {
        each["path"] for each in api.post(f"clusters/{api.cluster()}/import/", {"text": text}, status=400)["problems"]
    }
    assert paths == {"emulates", "commands[0].kind"}


def test_a_trace_is_evidence(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    trace = exported(api, small.pk, "trace")
    count = trace.count("\n")
    check = imported(api, small.pk, trace)
    assert (check["format"], check["trace"]) == ("trace", {"records": count, "same": True, "differs_at": None})
    changed = trace.replace('"node":"node-', '"node":"other-', 1)
    assert imported(api, small.pk, changed)["trace"]["differs_at"] == 2
    shorter = "".join(trace.splitlines(keepends=True)[:3])
    assert imported(api, small.pk, shorter)["trace"] == {"records": 3, "same": False, "differs_at": 4}


CONFIGURATIONS = [
    # name          text
    ("v1", f"{HEAD}parallelism: 8\n"),
    ("v1beta3", "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\nparallelism: 8\n"),
    ("policy", POLICY),
    (
        "config map",
        yaml.safe_dump(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p"}, "data": {"policy.cfg": POLICY}}
        ),
    ),
    ("flags", "--algorithm-provider=ClusterAutoscalerProvider\n"),
]


@pytest.mark.parametrize(("name", "text"), CONFIGURATIONS, ids=[case[0] for case in CONFIGURATIONS])
def test_configurations_of_any_version(api: Api, small: Cluster, name: str, text: str) -> None:
    assert imported(api, small.pk, text)["format"] == "configuration"
    config = api.get(f"clusters/{small.pk}/config/")
    assert config["version"] == 2
    assert load(config["yaml"]).profiles[0].scheduler_name == "default-scheduler"


@pytest.mark.parametrize("scope", ["minimal", "full"])
def test_the_configuration_there_and_back(api: Api, small: Cluster, scope: str) -> None:
    api.command(small.pk, kind="set_config", yaml=f"{HEAD}percentageOfNodesToScore: 40\n")
    before = api.get(f"clusters/{small.pk}/config/")["effective"]
    copy = api.cluster()
    imported(api, copy, exported(api, small.pk, "config", scope=scope))
    assert api.get(f"clusters/{copy}/config/")["effective"] == before
    second = imported(api, copy, exported(api, small.pk, "second-scheduler"))
    assert second["format"] == "configuration"
    assert list(api.get(f"clusters/{copy}/config/")["effective"]) == ["second-scheduler"]
    assert exported(api, small.pk, "static-pod").startswith("# Lets the control plane")


def test_the_cluster_as_kubectl_applies_it(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    text = exported(api, small.pk, "cluster", target="kubectl")
    items = yaml.safe_load(text)["items"]
    assert not any({"uid", "creationTimestamp"} & item["metadata"].keys() for item in items)
    assert not any("status" in item for item in items if item["kind"] == "Pod")
    copy = api.cluster()
    imported(api, copy, text)
    for column in ("names", "requested", "allocatable", "pods"):
        assert api.get(f"clusters/{copy}/nodes/")[column] == api.get(f"clusters/{small.pk}/nodes/")[column]


# Where things came from


def test_translated_line_by_line(api: Api) -> None:
    found = api.post("past/translate/", {"text": POLICY})
    assert found["problems"] == []
    load(found["yaml"])
    line = next(each for each in found["lines"] if each["path"] == "priorities[0].name")
    assert (line["line"], line["value"], line["removed_in"]) == (1, "MostRequestedPriority", "v1.23")
    assert "NodeResourcesFit" in line["became"]
    wrong = api.post("past/translate/", {"text": POLICY.replace("MostRequestedPriority", "Most")})
    assert wrong["yaml"] == "" and "Most" in wrong["problems"][0]["message"]


def held(text: str) -> str:
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: s}}\ndata:\n  config.yaml: |\n{lines}\n"


OLD = "apiVersion: kubescheduler.config.k8s.io/{}\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 70\n"
PASTED = [POLICY, *(OLD.format(version) for version in ("v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3"))]


@pytest.mark.parametrize("text", [*PASTED, held(OLD.format("v1beta2")), "--algorithm-provider=DefaultProvider\n"])
def test_every_place_tells_the_same_of_an_old_configuration(api: Api, small: Cluster, text: str) -> None:
    told = api.post("past/translate/", {"text": text})
    assert told["what"] and told["lines"] and not told["problems"]
    load(told["yaml"])
    checked = api.post(f"clusters/{small.pk}/config/check/", {"yaml": text})
    assert not checked["ok"] and checked["past"] == told
    found = api.post(f"clusters/{small.pk}/import/", {"text": text, "dry_run": True})["configuration"]
    assert found["taken"] and found["past"] == told


@pytest.mark.parametrize("text", [OLD.format("v1"), "a: [", "kind: Pod\n"])
def test_nothing_else_is_told_as_one(api: Api, small: Cluster, text: str) -> None:
    assert api.post(f"clusters/{small.pk}/config/check/", {"yaml": text}).get("past") is None


def test_words_then_and_now(api: Api) -> None:
    words = {each["then"]: each for each in api.get("past/glossary/")}
    assert words["predicate"]["now"] == "Filter plugin"


@pytest.mark.parametrize("emulates", [version for version, emulation in EMULATIONS.items() if not emulation.rules])
def test_a_cluster_of_an_old_version(api: Api, emulates: str) -> None:
    cluster = api.cluster([node("a"), pod("web")], emulates=emulates)
    assert api.get(f"clusters/{cluster}/")["emulates"] == emulates
    config = api.get(f"clusters/{cluster}/config/")
    scores = dict(config["effective"]["default-scheduler"]["score"])
    assert scores["NodePreferAvoidPods"] == 10000
    assert api.get(f"clusters/{cluster}/config/versions/0/")["effective"] == config["effective"]
    api.command(cluster, kind="run", until="idle")
    record = api.get(f"clusters/{cluster}/cycles/1/")
    assert (record["emulates"], record["cycle"]["outcome"]) == (emulates, "scheduled")
    bad = api.post(f"clusters/{cluster}/config/check/", {"yaml": HEAD})
    assert not bad["ok"] and bad["problems"]
    good = api.post(f"clusters/{cluster}/config/check/", {"yaml": "--algorithm-provider=ClusterAutoscalerProvider\n"})
    assert "NodeResourcesMostAllocated" in dict(good["effective"]["default-scheduler"]["score"])
    assert exported(api, cluster, "config").startswith("--")


def test_a_cluster_of_a_later_version(api: Api) -> None:
    """It is read, shown, checked and exported by that version's own rules."""
    cluster = api.cluster([node("a"), pod("web")], emulates="v1.36.3")
    config = api.get(f"clusters/{cluster}/config/")
    assert dict(config["effective"]["default-scheduler"]["score"])["DynamicResources"] == 2
    assert config["origins"]["profiles"][0]["points"]["filter"]["enabled"][-1]["plugin"] == "NodeDeclaredFeatures"
    assert api.get(f"clusters/{cluster}/config/versions/0/")["effective"] == config["effective"]
    plugins = {plugin["name"]: plugin for plugin in api.get(f"clusters/{cluster}/config/form/")["plugins"]}
    assert plugins["NodeDeclaredFeatures"]["default"] and plugins["DynamicResources"]["weight"] == 2
    args = "pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: RequestedToCapacityRatio}}}]"
    bad = api.post(f"clusters/{cluster}/config/check/", {"yaml": f"{HEAD}profiles:\n- {args}\n"})
    assert [problem["message"].split(": ")[-1] for problem in bad["problems"]] == [
        "must be specified when type is RequestedToCapacityRatio"
    ]
    default = yaml.safe_load(exported(api, cluster, "config"))
    assert default["profiles"][0]["plugins"]["placementScore"] == {}
    second = list(yaml.safe_load_all(exported(api, cluster, "second-scheduler")))
    deployment = next(each for each in second if each["kind"] == "Deployment")
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"].endswith(":v1.36.3")
    api.command(cluster, kind="run", until="idle")
    record = api.get(f"clusters/{cluster}/cycles/1/")
    assert (record["emulates"], record["cycle"]["outcome"]) == ("v1.36.3", "scheduled")


def test_an_old_configuration_as_a_second_scheduler_of_today(api: Api) -> None:
    cluster = api.cluster(emulates="v1.20.2")
    held = next(
        each for each in yaml.safe_load_all(exported(api, cluster, "second-scheduler")) if each["kind"] == "ConfigMap"
    )
    assert load(held["data"]["config.yaml"]).profiles[0].scheduler_name == "second-scheduler"
    fifo = api.cluster(emulates="v1.10-preset")
    problems = api.get(f"clusters/{fifo}/export/second-scheduler/", 409)["problems"]
    assert "FIFOSort" in problems[0]["rule"]


def test_no_such_version(api: Api) -> None:
    problems = api.post("clusters/", {"name": "x", "emulates": "v1.2"}, status=400)["problems"]
    assert problems[0]["path"] == "emulates"


def test_many_commands_are_queued_at_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[int] = []
    monkeypatch.setattr("playground.clusters.commands.trigger_commands", woken.append)
    steps = [{"kind": "advance_clock", "seconds": n} for n in range(1, limits.COMMANDS_WAITING)]
    scenario = Scenario("long", commands=[{"kind": "create", "objects": [node("a")]}, *steps])
    cluster = Cluster.objects.get(pk=api.cluster())
    with CaptureQueriesContext(connection) as asked:
        assert scenario_loading.load_scenario(cluster.pk, scenario, "local") == limits.COMMANDS_WAITING
    assert len(asked) < 40 and woken == [cluster.pk]
    stored = cluster.commands.order_by("number")
    assert [command.payload for command in stored] == scenario.commands
    assert [command.number for command in stored] == list(range(1, limits.COMMANDS_WAITING + 1))
    cluster.refresh_from_db()
    assert cluster.submitted == limits.COMMANDS_WAITING and cluster.stored_bytes > limits.COMMANDS_WAITING * 250
    with pytest.raises(Refused, match="wait already"):
        commands.submit_all(cluster.pk, steps[:1])
    assert commands.submit_all(cluster.pk, []) is None


def test_commands_are_queued_all_or_none(api: Api, small: Cluster) -> None:
    before = small.commands.count()
    with pytest.raises(Refused):
        commands.submit_all(small.pk, [{"kind": "schedule_one"}, {"kind": "explode"}])
    assert small.commands.count() == before
