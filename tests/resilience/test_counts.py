"""The state that a worker tells counts from what it stored, not from all rows: it is what counting them gives."""

from typing import Any

import pytest

from playground.accounts.services import get_local_user
from playground.clusters import commands, lifecycle
from playground.engine import cluster_states, command_runner, loaded_clusters, worker_session
from playground.engine.cluster_states import Counts
from tests.web import node, pod

IDLE = {"kind": "run", "until": "idle"}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web", "resources": {"requests": {"cpu": "1"}}}]},
        },
    },
}
STORIES: list[tuple[str, list[dict[str, Any]]]] = [
    # name, commands after three nodes and eight pods were made, some of which find no room
    ("a run", [IDLE]),
    ("pods go", [IDLE, {"kind": "delete", "objects": [{"kind": "Pod", "name": "pod-1"}]}, IDLE]),
    (
        "a node goes, and another comes",
        [IDLE, {"kind": "delete", "objects": [{"kind": "Node", "name": "node-0"}]}, IDLE],
    ),
    ("all begins again", [IDLE, {"kind": "reset"}, IDLE]),
    ("made and given again", [{"kind": "create", "objects": [pod("late")]}, IDLE, {"kind": "reset"}]),
    (
        "controllers make pods",
        [{"kind": "set_actors", "actors": "all"}, {"kind": "create", "objects": [DEPLOYMENT]}, IDLE],
    ),
]


@pytest.mark.parametrize("story", [case[1] for case in STORIES], ids=[case[0] for case in STORIES])
@pytest.mark.django_db(transaction=True)
def test_a_state_from_what_was_stored_is_as_if_counted(
    story: list[dict[str, Any]], commit_every_record: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared_states = 0
    tell = cluster_states.read_state

    def compared(cluster_id: int, known: Counts | None = None) -> Any:
        nonlocal compared_states
        found = tell(cluster_id, known)
        compared_states += known is not None and known.revision > 0
        counted = tell(cluster_id)
        assert found is not None and counted is not None
        assert (found["counts"], found["lanes"]) == (counted["counts"], counted["lanes"])
        return found

    monkeypatch.setattr(cluster_states, "read_state", compared)
    monkeypatch.setattr(worker_session.Publisher, "state_is_due", lambda publisher: True)
    cluster = lifecycle.create_cluster(get_local_user(), "counted", seed=7)
    objects = [node(f"node-{i}", cpu="2") for i in range(3)] + [pod(f"pod-{i}", cpu="1") for i in range(8)]
    for command in ({"kind": "create", "objects": objects}, *story):
        commands.submit(cluster.pk, command)
        command_runner.apply_commands(cluster.pk)
    loaded_clusters.forget_all()
    assert compared_states > len(story)
