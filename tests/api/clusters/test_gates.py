"""Feature gates that are switched on a cluster with a history: a command like any other."""

from typing import Any

import pytest
import yaml

from playground.engine import command_runner, loaded_clusters
from playground.models import Command, Record
from tests.core.cycle.test_group import gang, node, pod
from tests.core.gates.test_in_place import CLUSTER_FILES, GANGS
from tests.web import Api

V1_36 = "v1.36.3"
GATED = f"{V1_36} {GANGS}"


@pytest.fixture
def cluster(api: Api) -> int:
    made = api.cluster([node("a", "2"), gang("pair", 2), pod("x", "pair"), pod("y", "pair")], emulates=V1_36)
    api.command(made, kind="run", until="idle")
    return made


def switched(api: Api, cluster: int, gates: str = GANGS) -> int:
    """The number of the command."""
    done = api.command(cluster, kind="set_gates", gates=gates)
    assert done["state"] == "done", done
    return int(done["number"])


def exported(api: Api, cluster: int, path: str) -> str:
    answer = api.client.get(f"/api/v1/clusters/{cluster}/export/{path}")
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def test_a_switch_keeps_what_was_and_can_be_taken_back(api: Api, cluster: int) -> None:
    before = api.get(f"clusters/{cluster}/")
    bodies = list(Record.objects.filter(cluster_id=cluster).values_list("body", flat=True))
    switched(api, cluster)
    after = api.get(f"clusters/{cluster}/")
    assert (before["emulates"], after["emulates"]) == (V1_36, GATED)
    assert after["can_undo"]["what"] == f"restart kube-scheduler with --feature-gates={GANGS}"
    on = {row["name"] for row in api.get(f"clusters/{cluster}/gates/")["gates"] if row["on"] != row["default"]}
    assert on == set(GANGS.replace("=true", "").split(","))
    assert list(Record.objects.filter(cluster_id=cluster).values_list("body", flat=True))[: len(bodies)] == bodies
    api.post(f"clusters/{cluster}/undo/", {})
    command_runner.apply_commands(cluster)
    assert api.get(f"clusters/{cluster}/")["emulates"] == V1_36
    api.post(f"clusters/{cluster}/redo/", {})
    command_runner.apply_commands(cluster)
    assert api.get(f"clusters/{cluster}/")["emulates"] == GATED


def test_it_is_a_version_of_the_profile(api: Api, cluster: int) -> None:
    switched(api, cluster)
    listed = api.get(f"clusters/{cluster}/config/versions/")
    assert [(row["version"], row["emulates"]) for row in listed["versions"]] == [(2, GATED), (1, V1_36)]
    effective = {
        number: api.get(f"clusters/{cluster}/config/versions/{number}/")["effective"]["default-scheduler"]
        for number in (1, 2)
    }
    assert "GangScheduling" in str(effective[2])
    assert "GangScheduling" not in str(effective[1])


def test_the_same_gates_again_are_no_change(api: Api, cluster: int) -> None:
    switched(api, cluster)
    number = switched(api, cluster)
    assert Command.objects.get(cluster_id=cluster, number=number).what == ""


def test_a_worker_that_begins_anew_gets_there(api: Api, cluster: int) -> None:
    switched(api, cluster)
    api.command(cluster, kind="create", objects=[node("b", "2")])
    api.command(cluster, kind="run", until="idle")
    loaded_clusters.forget_all()
    api.command(cluster, kind="create", objects=[gang("late", 2), pod("late-0", "late")])
    states = api.get(f"clusters/{cluster}/")
    assert (states["emulates"], states["lanes"]["gated"]) == (GATED, 1)


def test_branches_have_the_gates_of_their_moment(api: Api, cluster: int) -> None:
    seq = api.get(f"clusters/{cluster}/")["revision"]
    switched(api, cluster)
    before = api.post(f"clusters/{cluster}/branches/", {"at": {"seq": seq}})
    after = api.post(f"clusters/{cluster}/branches/", {"at": "now"})
    assert (before["emulates"], after["emulates"]) == (V1_36, GATED)
    loaded_clusters.forget_all()
    for branch, kind in ((before, "active"), (after, "gated")):
        api.command(branch["id"], kind="create", objects=[gang("late", 2), pod("late-0", "late")])
        assert api.get(f"clusters/{branch['id']}/")["lanes"][kind] == 1


def test_a_scenario_carries_it(api: Api, cluster: int) -> None:
    switched(api, cluster)
    api.command(cluster, kind="run", until="idle")
    trace = exported(api, cluster, "trace/")
    made = api.cluster()
    api.post(f"clusters/{made}/import/", {"text": exported(api, cluster, "scenario/")})
    command_runner.apply_commands(made)
    assert api.get(f"clusters/{made}/")["emulates"] == GATED
    assert exported(api, made, "trace/") == trace


def test_a_share_names_what_runs_in_it(api: Api, cluster: int) -> None:
    switched(api, cluster)
    share = api.post(f"clusters/{cluster}/shares/", {"cursor": {}, "stored": True}, 201)
    assert share["emulates"] == GATED


def test_exports_write_the_flag(api: Api, cluster: int) -> None:
    switched(api, cluster)
    flag = f"--feature-gates={GANGS}"
    for path in ("config/?format=yaml", "config/?format=yaml&scope=minimal", "static-pod/"):
        assert flag in exported(api, cluster, path)
    documents = list(yaml.safe_load_all(exported(api, cluster, "second-scheduler/")))
    (container,) = documents[-1]["spec"]["template"]["spec"]["containers"]
    assert container["image"].endswith(f":{V1_36}")
    assert flag in container["command"]


@pytest.mark.parametrize(
    ("gates", "why"),
    [
        ("Foo=true", "unrecognized feature gate: Foo"),
        ("SchedulerQueueingHints=false", "feature is locked to true"),
        ("GangScheduling=true", "depends on features that are disabled: [GenericWorkload]"),
    ],
)
def test_such_gates_are_refused(api: Api, cluster: int, gates: str, why: str) -> None:
    done = api.command(cluster, kind="set_gates", gates=gates)
    assert done["state"] == "failed"
    assert why in done["problems"][0]["rule"]
    assert api.get(f"clusters/{cluster}/")["emulates"] == V1_36


@pytest.mark.parametrize("name", CLUSTER_FILES)
def test_those_of_a_file_that_makes_clusters_are_taken(api: Api, cluster: int, name: str) -> None:
    answer = api.post(f"clusters/{cluster}/import/", {"text": CLUSTER_FILES[name]})
    assert f"kube-scheduler is restarted with --feature-gates={GANGS}" in answer["notes"]
    command_runner.apply_commands(cluster)
    assert api.get(f"clusters/{cluster}/")["emulates"] == GATED


def test_a_file_with_gates_that_are_not_known_is_refused(api: Api, cluster: int) -> None:
    text = CLUSTER_FILES["kind"].replace("GangScheduling", "NoSuchGate")
    found: Any = api.post(f"clusters/{cluster}/import/", {"text": text}, 400)
    assert [problem["rule"] for problem in found["problems"]] == ["unrecognized feature gate: NoSuchGate"]
