"""Extenders from the database's side: a cluster that calls one, the door that is shut, a replay that calls nobody."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from django.utils import timezone

from playground import limits
from playground.clusters import deletion
from playground.engine import loaded_clusters
from playground.models import FOREVER, Checkpoint, Cluster, ExtenderAnswers
from playground.settings.environment import read
from playground.store.batched_rows import RECORDS
from tests.outbound.loopback_servers import Server, answers, serve
from tests.services import spawn
from tests.web import Api, Manifest, node, pod

ROOT = Path(__file__).resolve().parents[2]


def config(url: str, fields: str = "filterVerb: filter, prioritizeVerb: prioritize, weight: 5") -> str:
    return (
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        f"extenders: [{{urlPrefix: '{url}', httpTimeout: 5s, {fields}}}]\n"
    )


def warm(name: str, temperature: str) -> Manifest:
    made = node(name)
    made["metadata"]["labels"]["example.com/temperature"] = temperature
    return made


OBJECTS = [warm("node-0", "hot"), warm("node-1", "mild"), warm("node-2", "cold"), *(pod(f"web-{i}") for i in range(3))]


@pytest.fixture
def temperature() -> Iterator[str]:
    """The example extender, running; its address."""
    command = [sys.executable, str(ROOT / "examples/extenders/temperature.py"), "0"]
    process = spawn(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline().decode())
        assert found
        yield found[0]
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def steps(api: Api, cluster: int, number: int) -> list[dict[str, Any]]:
    cycle = api.get(f"clusters/{cluster}/cycles/{number}/")["cycle"]
    return [step for step in cycle["steps"] if "extender" in step]


def bodies(cluster: int) -> list[str]:
    return [text for _, text in RECORDS.iterate_range(cluster, 1, FOREVER)]


def test_the_example_of_the_documentation(api: Api, temperature: str) -> None:
    with override_settings(EXTENDER_ALLOWED_HOSTS=["127.0.0.1"]):
        cluster = api.cluster(OBJECTS, config=config(temperature))
        api.command(cluster, kind="run", until="idle")
    assert {entry["node"] for entry in placed(cluster)} == {"node-2"}
    filtering, scoring = steps(api, cluster, 1)
    assert (filtering["in"], filtering["out"]) == (3, 2)
    assert filtering["data"] == {"rejected": [["Unschedulable", ["too hot"], 1]]}
    assert scoring["data"] == {"min": 0, "max": 10, "weight": 5}


def placed(cluster: int) -> list[dict[str, Any]]:
    cycles = [json.loads(body)["cycle"] for body in bodies(cluster) if '"kind":"cycle"' in body]
    return [{"pod": cycle["pod"], "node": cycle["node"], "message": cycle["message"]} for cycle in cycles]


def test_nobody_is_called_by_default(api: Api) -> None:
    # The list that no setting gives, as test_the_setting shows.
    with serve(answers(b"{}")) as server, override_settings(EXTENDER_ALLOWED_HOSTS=[]):
        cluster = api.cluster(OBJECTS, config=config(server.url("")))
        api.command(cluster, kind="schedule_one")
    assert server.requests == []
    assert placed(cluster)[0]["message"] == (
        f'Post "{server.url("/filter")}": 127.0.0.1:{server.port} may not be called: '
        "EXTENDER_ALLOWED_HOSTS does not list it"
    )


def lets_pass() -> Callable[[socket.socket], None]:
    """Says yes to every pod's binding, and errs on the second one."""
    said = []

    def script(connection: socket.socket) -> None:
        said.append(1)
        answers(b"{}" if len(said) != 2 else b'{"Error":"out of licences"}')(connection)

    return script


@pytest.fixture
def scheduled(api: Api) -> Iterator[tuple[int, Server]]:
    """A cluster whose pods an extender has bound, one of them at the second try; the extender is still there."""
    with serve(lets_pass()) as server, override_settings(EXTENDER_ALLOWED_HOSTS=["127.0.0.1"]):
        cluster = api.cluster(OBJECTS, config=config(server.url(""), "bindVerb: bind"))
        for _ in range(3):
            api.command(cluster, kind="schedule_one")
        api.command(cluster, kind="advance_clock", seconds=5)
        api.command(cluster, kind="run", until="idle")
        assert [entry["message"] for entry in placed(cluster)] == ["", "out of licences", "", ""]
        assert len(server.requests) == 4
        yield cluster, server


def test_a_replay_calls_nobody(api: Api, scheduled: tuple[int, Server]) -> None:
    """As another worker, or one that was started anew, would do it."""
    cluster, server = scheduled
    assert ExtenderAnswers.objects.filter(cluster_id=cluster).count() == 4
    row = Cluster.objects.get(pk=cluster)
    before = bodies(cluster)
    loaded_clusters.forget_all()
    Checkpoint.objects.filter(cluster_id=cluster).delete()
    assert (
        loaded_clusters.load_at(row, len(before)).simulation.checkpoint()
        == loaded_clusters.load(row).simulation.checkpoint()
    )
    assert len(server.requests) == 4
    # And it goes on from there, calling again.
    api.command(cluster, kind="create", objects=[pod("more")])
    api.command(cluster, kind="schedule_one")
    assert len(server.requests) == 5
    assert bodies(cluster)[: len(before)] == before


def test_a_replay_without_the_answers_stops(api: Api, scheduled: tuple[int, Server]) -> None:
    cluster, server = scheduled
    ExtenderAnswers.objects.filter(cluster_id=cluster).delete()
    Checkpoint.objects.filter(cluster_id=cluster).delete()
    loaded_clusters.forget_all()
    with pytest.raises(loaded_clusters.ReplayError, match="was not asked before"):
        loaded_clusters.load(Cluster.objects.get(pk=cluster))
    assert len(server.requests) == 4


def test_the_answers_go_with_the_cluster(api: Api, scheduled: tuple[int, Server]) -> None:
    api.delete(f"clusters/{scheduled[0]}/")
    Cluster.everything.update(deleted=timezone.now() - timedelta(seconds=limits.DELETED_SECONDS + 1))
    deletion.purge_deleted()
    assert not ExtenderAnswers.objects.exists()


def test_the_setting(tmp_path: Path) -> None:
    given = {"DATA_DIR": str(tmp_path), "EXTENDER_ALLOWED_HOSTS": "127.0.0.1:8888, extender.example.org"}
    assert read(given, tmp_path).extender_allowed_hosts == ["127.0.0.1:8888", "extender.example.org"]
    assert read({"DATA_DIR": str(tmp_path)}, tmp_path).extender_allowed_hosts == []
    with pytest.raises(ImproperlyConfigured, match=r"EXTENDER_ALLOWED_HOSTS: '\*'"):
        read({**given, "EXTENDER_ALLOWED_HOSTS": "*"}, tmp_path)
