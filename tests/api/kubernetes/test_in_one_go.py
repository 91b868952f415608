"""What a client changes in one go, as a command of kubectl does, is told as one, to be undone and made again as one."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from playground.clusters import commands
from playground.engine import runner
from playground.models import Command
from playground.store.changes import TOGETHER_SECONDS
from tests.api.kubernetes.credentials.test_kubernetes_tokens import kubectl
from tests.web import Api, node

MAPS = "api/v1/namespaces/default/configmaps"


@pytest.fixture
def owner(make_user: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Api:
    monkeypatch.setattr(commands, "wake", runner.drain)
    return Api(make_user("ada"))


def test_changes_one_after_the_other_are_one(owner: Api) -> None:
    cluster = owner.cluster([node("node-1")])
    client = kubectl(owner, cluster, "edit")
    began = timezone.now()

    def create(name: str, after: float) -> None:
        """`after` so many seconds from the beginning."""
        client("POST", MAPS, 201, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
        made = Command.objects.filter(cluster=cluster).latest("number")
        Command.objects.filter(pk=made.pk).update(created=began + timedelta(seconds=after))

    def told() -> tuple[list[list[str]], int, int]:
        """Names by what was made in one go, the newest first; how many an undo takes back, a redo makes again."""
        answer = owner.get(f"clusters/{cluster}/clients/")
        goes: dict[int, list[str]] = {}
        for write in answer["writes"]:
            goes.setdefault(write["go"], []).append(write["key"].removeprefix("default/"))
        return list(goes.values()), answer["undo"], answer["redo"]

    create("a", 0)
    create("b", TOGETHER_SECONDS)
    create("c", 2 * TOGETHER_SECONDS + 1)
    create("d", 2 * TOGETHER_SECONDS + 1)
    assert told() == ([["d", "c"], ["b", "a"]], 2, 0)
    for _ in range(3):
        owner.post(f"clusters/{cluster}/undo/", {}, 202)
    # What was undone in part is in two parts.
    assert told() == ([["d", "c"], ["b"], ["a"]], 1, 1)
    owner.post(f"clusters/{cluster}/redo/", {}, 202)
    assert told() == ([["d", "c"], ["b", "a"]], 2, 2)
    forth = {
        write["key"]: (write["back"], write["forth"]) for write in owner.get(f"clusters/{cluster}/clients/")["writes"]
    }
    assert forth == {"default/a": (2, 0), "default/b": (1, 0), "default/c": (0, 1), "default/d": (0, 2)}
    owner.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": [node("node-2")]}, 202)
    # The page's own changes are one each.
    assert told()[1:] == (1, 0)
