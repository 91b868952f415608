"""The changes of one kubectl command are listed, undone and redone together."""

from collections.abc import Callable
from typing import Any

import pytest

from playground.clusters import commands
from playground.engine import command_runner
from playground.models import Command
from tests.api.kubernetes.credentials.test_kubernetes_tokens import kubectl
from tests.web import Api, node

MAPS = "api/v1/namespaces/default/configmaps"


@pytest.fixture
def owner(make_user: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Api:
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    return Api(make_user("ada"))


def create_maps(owner: Api, cluster: int, *maps: tuple[str, str | None]) -> None:
    """Create these ConfigMaps: (name, session of kubectl)."""
    client = kubectl(owner, cluster, "edit")
    for name, session in maps:
        client("POST", MAPS, 201, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}, session)


def groups_of(owner: Api, cluster: int) -> list[list[str]]:
    """Return the names of what was written, by what is undone as one, the newest first."""
    groups: dict[int, list[str]] = {}
    for write in owner.get(f"clusters/{cluster}/clients/")["writes"]:
        groups.setdefault(write["go"], []).append(write["key"].removeprefix("default/"))
    return list(groups.values())


def places_of(owner: Api, cluster: int) -> dict[str, tuple[int, int]]:
    """Return which undo and which redo each write is."""
    writes = owner.get(f"clusters/{cluster}/clients/")["writes"]
    return {write["key"].removeprefix("default/"): (write["back"], write["forth"]) for write in writes}


def test_what_one_session_of_kubectl_writes_is_one_undo(owner: Api) -> None:
    cluster = owner.cluster([node("node-1")])
    create_maps(owner, cluster, ("a", "one"), ("b", "one"), ("c", "two"), ("d", "two"), ("e", "two"))
    assert groups_of(owner, cluster) == [["e", "d", "c"], ["b", "a"]]
    taken = owner.post(f"clusters/{cluster}/undo/", {"key": "first"}, 202)
    assert taken["changes"] == 3
    again = owner.post(f"clusters/{cluster}/undo/", {"key": "first"}, 202)
    assert (again["number"], again["changes"]) == (taken["number"], 3)
    assert groups_of(owner, cluster) == [["e", "d", "c"], ["b", "a"]]
    assert places_of(owner, cluster) == {name: (0, 1) if name in "cde" else (1, 0) for name in "abcde"}
    assert owner.post(f"clusters/{cluster}/undo/", {}, 202)["changes"] == 2
    assert places_of(owner, cluster) == {name: (0, 2) if name in "cde" else (0, 1) for name in "abcde"}
    redone = [owner.post(f"clusters/{cluster}/redo/", {"key": f"redo {n}"}, 202) for n in (1, 2, 2)]
    assert [each["changes"] for each in redone] == [2, 3, 3]
    assert places_of(owner, cluster) == {name: (1, 0) if name in "cde" else (2, 0) for name in "abcde"}
    owner.post(f"clusters/{cluster}/redo/", {}, 409)


def test_a_request_without_a_session_is_an_undo_by_itself(owner: Api) -> None:
    cluster = owner.cluster([node("node-1")])
    create_maps(owner, cluster, ("a", None), ("b", ""), ("c", "not an id!"), ("d", "not an id!"), ("e", "x" * 65))
    assert groups_of(owner, cluster) == [["e"], ["d"], ["c"], ["b"], ["a"]]
    assert owner.post(f"clusters/{cluster}/undo/", {}, 202)["changes"] == 1


def test_a_change_of_somebody_else_splits_a_session(owner: Api) -> None:
    cluster = owner.cluster([node("node-1")])
    create_maps(owner, cluster, ("a", "one"))
    owner.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [node("node-2")]}, 202)
    create_maps(owner, cluster, ("b", "one"))
    assert places_of(owner, cluster) == {"a": (3, 0), "b": (1, 0)}
    assert [owner.post(f"clusters/{cluster}/undo/", {}, 202)["changes"] for _ in range(3)] == [1, 1, 1]


def test_a_long_session_is_undone_and_redone_in_parts(owner: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.limits.CHANGES_PER_UNDO", 3)
    cluster = owner.cluster([node("node-1")])
    create_maps(owner, cluster, *((name, "one") for name in "abcde"))
    undone = [owner.post(f"clusters/{cluster}/undo/", {}, 202)["changes"] for _ in range(2)]
    assert undone == [3, 2]
    state = owner.get(f"clusters/{cluster}/")
    assert state["can_undo"]["what"] == "create Node node-1"
    redone = [owner.post(f"clusters/{cluster}/redo/", {}, 202)["changes"] for _ in range(2)]
    assert redone == [3, 2]
    state = owner.get(f"clusters/{cluster}/")
    assert (state["can_undo"]["what"], state["can_redo"]) == ("create ConfigMap default/e", None)
    assert Command.objects.filter(cluster=cluster, state="failed").count() == 0
