"""A fixed series of commands of every kind, simulated crashes at commits, and all stored data afterwards."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from playground.accounts.services import get_local_user
from playground.clusters import commands, lifecycle
from playground.engine import cluster_states, commits
from playground.models import FOREVER, Cluster, ClusterObject, Command, Cycle, PodState
from playground.objects import node_reads, queue_reads
from playground.store.batched_rows import RECORDS
from tests.web import node, pod

GANG = (
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
    "- plugins:\n    multiPoint:\n      enabled:\n      - name: Gang\n"
)


def member(gang: str, name: str, **options: Any) -> dict[str, Any]:
    made = pod(name, **options)
    made["metadata"]["labels"] = {"gang.example.com/name": gang, "gang.example.com/size": "3"}
    return made


OBJECTS = [node(f"node-{i}", zone=f"z{i % 2}") for i in range(4)]
OBJECTS += [pod(f"low-{i}", cpu="900m") for i in range(14)]
OBJECTS += [pod(f"high-{i}", cpu="2", priority=1000) for i in range(3)] + [pod("large", cpu="64")]
OBJECTS += [member("first", f"first-{i}", cpu="100m", priority=2000) for i in range(3)]
OBJECTS += [member("lonely", "lonely-0", cpu="100m", priority=3000)]
STORY: list[dict[str, Any]] = [
    {"kind": "create", "objects": OBJECTS},
    {"kind": "schedule_one"},
    {"kind": "run", "until": {"cycles": 5}},
    {"kind": "fail_binding", "message": "no luck"},
    {"kind": "run", "until": {"pod": "default/low-3"}},
    {"kind": "create", "objects": [node("node-4")]},
    {"kind": "create", "objects": [node("node-4")]},  # fails: it exists
    {"kind": "run", "until": "idle"},
    {"kind": "advance_clock", "seconds": 12},
    {"kind": "run", "until": "idle"},
    {"kind": "advance_clock", "seconds": 40},  # the lonely gang gives up
    {"kind": "seed", "seed": 3},
    {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "low-1"}]},
    {"kind": "set_config", "yaml": GANG + "podInitialBackoffSeconds: 3\n"},
    {"kind": "run", "until": {"cycles": 4}},
    {"kind": "reset"},
    {"kind": "run", "until": {"cycles": 9}},
]


class Killed(BaseException):
    """Raised where the process would be killed."""


def begin(story: Sequence[Mapping[str, Any]] = STORY, config: str = GANG) -> int:
    """Create a cluster with all commands of the series queued."""
    cluster = lifecycle.create_cluster(get_local_user(), "story", seed=11, config=config, numbered=False)
    for command in story:
        commands.submit(cluster.pk, command)
    return cluster.pk


def bodies(cluster_id: int) -> list[str]:
    return [text for _, text in RECORDS.iterate_range(cluster_id, 1, FOREVER)]


def everything(cluster_id: int) -> dict[str, Any]:
    """Return all data that can be read of a cluster."""
    state = cluster_states.read_state(cluster_id)
    assert state is not None
    commands_given = Command.objects.filter(cluster_id=cluster_id).order_by("number")
    cycles = Cycle.objects.filter(cluster_id=cluster_id).order_by("number")
    versions = PodState.objects.filter(cluster_id=cluster_id).order_by("pod", "since")
    return {
        "records": bodies(cluster_id),
        "state": {name: value for name, value in state.items() if name not in ("id", "created")},
        "nodes": node_reads.read_nodes(cluster_id),
        "queue": queue_reads.read_lanes(Cluster.objects.get(pk=cluster_id), 1000),
        "commands": list(commands_given.values("number", "state", "records", "cycles", "problems")),
        "cycles": list(cycles.values("number", "seq", "pod", "outcome", "node")),
        "versions": list(versions.values("pod", "since", "until", "lane", "node", "requests")),
        "objects": {
            (found.kind, found.key): found.manifest for found in ClusterObject.objects.filter(cluster_id=cluster_id)
        },
    }


def kill_at(monkeypatch: pytest.MonkeyPatch, number: int, *, after: bool) -> None:
    """Raise Killed just before or just after the commit of this number."""
    commit, seen = commits.commit_records, iter(range(1, 10**9))

    def deadly(*arguments: Any) -> Any:
        if next(seen) < number:
            return commit(*arguments)
        if after:
            commit(*arguments)
        raise Killed

    monkeypatch.setattr(commits, "commit_records", deadly)
