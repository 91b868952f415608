"""Commands: posted once, applied in order, told apart when they fail."""

from typing import Any

import pytest

from playground import limits
from playground.engine import command_runner
from playground.models import Cluster, Command
from tests.web import Api, node, pod

REFUSED = [
    # name                     command                                           path
    ("no kind", {}, "kind"),
    ("an unknown kind", {"kind": "explode"}, "kind"),
    ("a kind that is no text", {"kind": {}}, "kind"),
    ("a missing field", {"kind": "run"}, "until"),
    ("an unknown field", {"kind": "reset", "really": True}, "really"),
    ("a wrong until", {"kind": "run", "until": "noon"}, "until"),
    ("no cycles", {"kind": "run", "until": {"cycles": 0}}, "until"),
    ("back in time", {"kind": "advance_clock", "seconds": -1}, "seconds"),
    ("no objects", {"kind": "create", "objects": []}, "objects"),
    ("a key that is no text", {"kind": "reset", "key": 5}, "key"),
    ("an empty key", {"kind": "reset", "key": ""}, "key"),
    ("a long key", {"kind": "reset", "key": "k" * 201}, "key"),
    ("a list", [], ""),
    ("a number", 5, ""),
    ("nothing", None, "kind"),
]
FAILING = [
    ("a broken object", {"kind": "create", "objects": [pod("web-0", cpu="lots")]}, "objects[0].spec.containers[0]"),
    ("an object that exists", {"kind": "create", "objects": [node("node-0")]}, "objects[0].metadata.name"),
    ("an object that does not", {"kind": "delete", "objects": [{"kind": "Pod", "name": "x"}]}, "objects[0]"),
    ("a pod that does not wait", {"kind": "permit", "pod": "default/web-0", "decision": "allow"}, "pod"),
    ("a broken configuration", {"kind": "set_config", "yaml": "kind: Pod"}, "apiVersion"),
]


@pytest.mark.parametrize(("name", "command", "path"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused_at_once(api: Api, small: Cluster, name: str, command: Any, path: str) -> None:
    problems = api.post(f"clusters/{small.pk}/commands/", command, status=400)["problems"]
    assert [problem["path"] for problem in problems] == [path]
    assert Command.objects.filter(cluster=small).count() == 1


@pytest.mark.parametrize(("name", "command", "path"), FAILING, ids=[case[0] for case in FAILING])
def test_fails_and_changes_nothing(api: Api, small: Cluster, name: str, command: Any, path: str) -> None:
    before = api.get(f"clusters/{small.pk}/")
    answer = api.command(small.pk, **command)
    assert (answer["state"], answer["records"]) == ("failed", 0)
    assert answer["problems"][0]["path"].startswith(path)
    assert api.get(f"clusters/{small.pk}/") == before
    # The next one is not held up.
    assert api.command(small.pk, kind="schedule_one")["state"] == "done"


def test_applied_in_the_order_of_posting(api: Api, small: Cluster) -> None:
    posted = [
        api.post(f"clusters/{small.pk}/commands/", command, status=202)
        for command in ({"kind": "schedule_one"}, {"kind": "advance_clock", "seconds": 5}, {"kind": "schedule_one"})
    ]
    assert posted == [{"number": number, "state": "queued"} for number in (2, 3, 4)]
    assert api.get(f"clusters/{small.pk}/")["state"] == "queued"
    command_runner.apply_commands(small.pk)
    records = api.get(f"clusters/{small.pk}/records/")["records"]
    assert [record["kind"] for record in records] == ["objects", "cycle", "clock", "cycle"]


def test_the_same_key_is_the_same_command(api: Api, small: Cluster) -> None:
    first = api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one", "key": "click-1"})
    again = api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one", "key": "click-1"})
    command_runner.apply_commands(small.pk)
    later = api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one", "key": "click-1"})
    assert (first, again, later) == ({"number": 2, "state": "queued"}, first, {"number": 2, "state": "done"})
    assert api.get(f"clusters/{small.pk}/")["cycle"] == 1


def test_a_key_cannot_be_used_for_another_command(api: Api, small: Cluster) -> None:
    api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one", "key": "click-1"})
    problems = api.post(f"clusters/{small.pk}/commands/", {"kind": "reset", "key": "click-1"}, status=409)["problems"]
    assert problems[0]["path"] == "key"


def test_keys_of_other_clusters_do_not_matter(api: Api, small: Cluster) -> None:
    other = api.cluster()
    numbers = [
        api.post(f"clusters/{cluster}/commands/", {"kind": "reset", "key": "k"})["number"]
        for cluster in (small.pk, other)
    ]
    assert numbers == [2, 1]


def test_too_many_wait(api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COMMANDS_WAITING", 2)
    for _ in range(2):
        api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one"})
    api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one"}, status=429)
    command_runner.apply_commands(small.pk)
    api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one"}, status=202)


def test_progress_of_a_run(api: Api, small: Cluster) -> None:
    answer = api.command(small.pk, kind="run", until={"cycles": 3})
    assert answer == {
        "number": 2,
        "kind": "run",
        "state": "done",
        "records": 3,
        "progress": {"cycles": 3, "total": 3},
    }
    assert api.command(small.pk, kind="run", until="idle")["progress"] == {"cycles": 5, "total": 5}


def test_a_run_until_a_pod(api: Api, small: Cluster) -> None:
    assert api.command(small.pk, kind="run", until={"pod": "default/web-4"})["records"] == 5


def test_a_paused_run_stops_and_a_later_one_goes_on(api: Api, small: Cluster) -> None:
    url = f"clusters/{small.pk}"
    api.post(f"{url}/commands/", {"kind": "run", "until": "idle"})
    api.post(f"{url}/pause/", status=202)
    command_runner.apply_commands(small.pk)
    assert api.get(f"{url}/commands/2/")["state"] == "stopped"
    assert api.get(f"{url}/")["state"] == "paused"
    # A pause is about the runs before it, and about nothing but runs.
    assert api.command(small.pk, kind="schedule_one")["state"] == "done"
    assert api.command(small.pk, kind="run", until="idle")["records"] == 7
    assert api.get(f"{url}/")["state"] == "idle"


@pytest.mark.parametrize("pace", [0, 0.5, 20, 1000])
def test_pace(api: Api, small: Cluster, pace: float) -> None:
    assert api.post(f"clusters/{small.pk}/pace/", {"cycles_per_second": pace})["pace"] == pace


@pytest.mark.parametrize("pace", [-1, 1001, "fast", "5", None, True])
def test_no_pace(api: Api, small: Cluster, pace: Any) -> None:
    problems = api.post(f"clusters/{small.pk}/pace/", {"cycles_per_second": pace}, status=400)["problems"]
    assert problems[0]["path"] == "cycles_per_second"


def test_a_configuration_is_a_version(api: Api, small: Cluster) -> None:
    yaml = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 4\n"
    assert api.command(small.pk, kind="set_config", yaml=yaml)["state"] == "done"
    config = api.get(f"clusters/{small.pk}/config/")
    assert (config["version"], config["yaml"]) == (2, yaml)
    assert api.get(f"clusters/{small.pk}/")["config_version"] == 2


def test_unknown_commands_are_not_there(api: Api, small: Cluster) -> None:
    api.get(f"clusters/{small.pk}/commands/99/", 404)
    api.get(f"clusters/{small.pk}/commands/0/", 404)
