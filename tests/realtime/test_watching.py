"""Watches of a cluster's Kubernetes API: every change once, from where the client was."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.test import AsyncClient

from playground import limits
from playground.clusters import commands, deletion
from playground.engine import command_runner
from playground.kubernetes import watch_events
from playground.kubernetes import watch_streams as watching_of_clients
from playground.kubernetes.rooms import Watcher
from playground.kubernetes.watch_events import WatchView
from playground.models import Cluster, ObjectChange
from playground.store import watch_changes

drain = database_sync_to_async(command_runner.apply_commands)
submit = database_sync_to_async(commands.submit)
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PODS = "api/v1/namespaces/default/pods"


def configmap(name: str, namespace: str = "default", **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


class Watch:
    """The events of a watch, as they come."""

    def __init__(self, response: Any) -> None:
        self.response = response
        self._lines = self._read()

    async def _read(self) -> AsyncIterator[dict[str, Any]]:
        rest = b""
        async for chunk in self.response.streaming_content:
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield json.loads(line)

    async def event(self) -> dict[str, Any]:
        return await anext(self._lines)

    async def said(self) -> tuple[str, str]:
        """The type and the name of the next event."""
        found = await self.event()
        return found["type"], found["object"]["metadata"].get("name", "")

    async def close(self) -> None:
        await self._lines.aclose()  # type: ignore[attr-defined]
        await self.response.streaming_content.aclose()


async def get(cluster: Cluster, path: str, accept: str = "application/json") -> Any:
    return await AsyncClient().get(f"/k8s/{cluster.pk}/{path}", headers={"Accept": accept})


@asynccontextmanager
async def watching(cluster: Cluster, path: str, accept: str = "application/json") -> AsyncIterator[Watch]:
    response = await get(cluster, f"{path}{'&' if '?' in path else '?'}watch=1", accept)
    assert response.status_code == 200, response.content
    watch = Watch(response)
    try:
        yield watch
    finally:
        await watch.close()


async def version(cluster: Cluster, path: str) -> str:
    return str((await get(cluster, path)).json()["metadata"]["resourceVersion"])


async def play(cluster: Cluster, kind: str, *objects: dict[str, Any], **fields: Any) -> None:
    await submit(cluster.pk, {"kind": kind, **({"objects": list(objects)} if objects else {}), **fields})
    await drain(cluster.pk)


async def hear_two(cluster: Cluster, *watches: Watch) -> None:
    """From here on they hear what their room says: what was there is read first, then what came meanwhile."""
    for name in ("a", "b"):
        await play(cluster, "create", configmap(name))
        for each in watches:
            assert await each.said() == ("ADDED", name)


async def test_what_is_there_comes_first_then_what_changes(small: Cluster) -> None:
    async with watching(small, "api/v1/configmaps") as watch:
        await play(small, "create", configmap("a"))
        assert await watch.said() == ("ADDED", "a")
        async with watching(small, "api/v1/configmaps") as later:
            assert await later.said() == ("ADDED", "a")
            await play(small, "update", configmap("a", tier="front"))
            assert await watch.said() == await later.said() == ("MODIFIED", "a")
            await play(small, "delete", {"kind": "ConfigMap", "namespace": "default", "name": "a"})
            gone = await watch.event()
            assert (gone["type"], gone["object"]["metadata"]["labels"]) == ("DELETED", {"tier": "front"})
            assert await later.event() == gone


async def test_it_goes_on_from_a_version_and_tells_each_change_once(small: Cluster) -> None:
    seen = await version(small, "api/v1/configmaps")
    for name in ("a", "b"):
        await play(small, "create", configmap(name))
    async with watching(small, f"api/v1/configmaps?resourceVersion={seen}") as watch:
        first = await watch.event()
        assert (first["type"], first["object"]["metadata"]["name"]) == ("ADDED", "a")
        assert await watch.said() == ("ADDED", "b")
    seen = first["object"]["metadata"]["resourceVersion"]
    async with watching(small, f"api/v1/configmaps?resourceVersion={seen}") as watch:
        assert await watch.said() == ("ADDED", "b")
        await play(small, "create", configmap("c"))
        assert await watch.said() == ("ADDED", "c")


async def test_what_comes_into_the_selection_is_added_and_what_leaves_it_deleted(small: Cluster) -> None:
    path = "api/v1/namespaces/default/configmaps?labelSelector=tier=front&resourceVersion="
    async with watching(small, path + await version(small, "api/v1/configmaps")) as watch:
        await play(small, "create", configmap("a", tier="back"), configmap("x", "kube-public", tier="front"))
        await play(small, "update", configmap("a", tier="front"))
        assert await watch.said() == ("ADDED", "a")
        await play(small, "update", configmap("a", tier="back"))
        left = await watch.event()
        assert (left["type"], left["object"]["metadata"]["labels"]) == ("DELETED", {"tier": "front"})


async def test_what_breaks_off_for_some_goes_on_for_others(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    written = WatchView.written

    def break_for_some(view: WatchView, *arguments: Any, **options: Any) -> bytes:
        if view.namespace == "default":
            raise RuntimeError("nobody thought of this")
        return written(view, *arguments, **options)

    path = "api/v1/namespaces/{}/configmaps"
    async with watching(small, path.format("default")) as broken, watching(small, "api/v1/configmaps") as whole:
        await hear_two(small, broken, whole)
        monkeypatch.setattr(WatchView, "written", break_for_some)
        await play(small, "create", configmap("c"))
        with pytest.raises(StopAsyncIteration):
            await broken.event()
        assert await whole.said() == ("ADDED", "c")


async def test_who_would_hear_nothing_any_more_is_let_go(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    since, path = watch_events.changes_since, "api/v1/configmaps"
    async with watching(small, path) as watch:
        await hear_two(small, watch)

        def broken(*_: Any) -> None:
            raise RuntimeError("nobody thought of this")

        monkeypatch.setattr(watch_events, "changes_since", broken)
        await play(small, "create", configmap("c"))
        with pytest.raises(StopAsyncIteration):
            await watch.event()
    monkeypatch.setattr(watch_events, "changes_since", since)
    async with watching(small, path) as watch:
        assert [await watch.said() for _ in range(3)] == [("ADDED", name) for name in "abc"]


async def test_what_waits_for_a_client_is_told_in_one_piece(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    watcher = Watcher()
    monkeypatch.setattr(watching_of_clients, "Watcher", lambda: watcher)
    async with watching(small, "api/v1/configmaps") as watch:
        await hear_two(small, watch)
        for name in "cde":
            await play(small, "create", configmap(name))
            # What it read by itself the room tells it, too, and maybe only now.
            while not any(f'"name":"{name}"'.encode() in batch.written for batch in watcher.waiting):
                await asyncio.sleep(0.001)
        chunk = await anext(watch.response.streaming_content)
        assert [json.loads(line)["object"]["metadata"]["name"] for line in chunk.splitlines()] == ["c", "d", "e"]


async def test_what_waits_is_sent_in_pieces(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching_of_clients, "PIECE_BYTES", 1)
    for name in "ab":
        await play(small, "create", configmap(name))
    async with watching(small, "api/v1/configmaps") as watch:
        chunks = [await anext(watch.response.streaming_content) for _ in "ab"]
        assert [json.loads(chunk)["object"]["metadata"]["name"] for chunk in chunks] == ["a", "b"]


async def test_watches_share_a_few_threads(small: Cluster) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(20):
            watch = await stack.enter_async_context(watching(small, PODS))
            await watch.event()
        reading = {thread.name for thread in threading.enumerate() if thread.name.startswith("watch_")}
        assert 1 <= len(reading) <= limits.WATCH_THREADS


async def test_a_binding_is_seen_as_it_happens(small: Cluster) -> None:
    seen = await version(small, PODS)
    async with watching(small, f"{PODS}?fieldSelector=spec.nodeName!=&resourceVersion={seen}") as watch:
        await submit(small.pk, {"kind": "schedule_one"})
        await drain(small.pk)
        bound = await watch.event()
        assert (bound["type"], bool(bound["object"]["spec"]["nodeName"])) == ("ADDED", True)


async def test_a_pod_that_goes_is_seen_terminating_first(small: Cluster) -> None:
    """A server writes the end of its grace before it takes a pod away: who hears only that comes back to the rest."""
    path = f"{PODS}?resourceVersion="
    seen = await version(small, PODS)
    name = (await get(small, PODS)).json()["items"][0]["metadata"]["name"]
    async with watching(small, path + seen) as watch:
        await play(small, "delete", {"kind": "Pod", "namespace": "default", "name": name})
        last, gone = await watch.event(), await watch.event()
    assert [each["type"] for each in (last, gone)] == ["MODIFIED", "DELETED"]
    said = [each["object"]["metadata"] for each in (last, gone)]
    assert [each["deletionGracePeriodSeconds"] for each in said] == [0, 0]
    assert said[0]["deletionTimestamp"] == said[1]["deletionTimestamp"]
    async with watching(small, path + said[0]["resourceVersion"]) as watch:
        assert await watch.said() == ("DELETED", name)
    async with watching(small, path + said[1]["resourceVersion"]) as watch:
        await play(small, "create", {"apiVersion": "v1", **_pod("later")})
        assert await watch.said() == ("ADDED", "later")


def _pod(name: str) -> dict[str, Any]:
    spec = {"containers": [{"name": "main", "image": "nginx:1.27"}]}
    return {"kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


async def test_rows_of_a_table_name_their_columns_once(small: Cluster) -> None:
    async with watching(small, "api/v1/configmaps", TABLE) as watch:
        await play(small, "create", configmap("a"))
        await play(small, "create", configmap("b"))
        first, second = await watch.event(), await watch.event()
        assert [each["name"] for each in first["object"]["columnDefinitions"]] == ["Name", "Data", "Age"]
        assert second["object"]["columnDefinitions"] is None
        assert second["object"]["rows"][0]["cells"][:2] == ["b", 0]


async def test_the_end_of_the_initial_events_is_marked(small: Cluster) -> None:
    path = "api/v1/configmaps?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    await play(small, "create", configmap("a"))
    async with watching(small, path) as watch:
        assert await watch.said() == ("ADDED", "a")
        mark = await watch.event()
        assert mark["type"] == "BOOKMARK"
        assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    async with watching(
        small, f"api/v1/configmaps?resourceVersion={mark['object']['metadata']['resourceVersion']}"
    ) as watch:
        await play(small, "create", configmap("b"))
        assert await watch.said() == ("ADDED", "b")


async def test_a_connection_may_break_between_any_two_changes_of_a_record(small: Cluster) -> None:
    path = "api/v1/configmaps?resourceVersion="
    seen = await version(small, "api/v1/configmaps")
    names = [f"m-{number}" for number in range(20)]
    await play(small, "create", *(configmap(name) for name in names))
    told = []
    for _ in names:
        async with watching(small, path + seen) as watch:
            event = await watch.event()
        seen = event["object"]["metadata"]["resourceVersion"]
        told.append(event["object"]["metadata"]["name"])
        assert (await get(small, f"api/v1/namespaces/default/configmaps/{told[-1]}")).json()["metadata"] == event[
            "object"
        ]["metadata"]
    assert sorted(told) == sorted(names)
    async with watching(small, path + seen) as watch:
        await play(small, "create", configmap("later"))
        assert await watch.said() == ("ADDED", "later")


async def test_a_list_at_the_version_of_an_object_has_what_was_written_before_it(small: Cluster) -> None:
    seen = await version(small, "api/v1/configmaps")
    await play(small, "create", *(configmap(name) for name in "abc"))
    async with watching(small, f"api/v1/configmaps?resourceVersion={seen}") as watch:
        first = (await watch.event())["object"]["metadata"]
    exact = f"resourceVersion={first['resourceVersion']}&resourceVersionMatch=Exact"
    found = (await get(small, f"api/v1/configmaps?{exact}")).json()
    assert [each["metadata"]["name"] for each in found["items"]] == [first["name"]]
    assert found["metadata"]["resourceVersion"] == first["resourceVersion"]


async def test_what_is_forgotten_is_told_to_be_gone(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching(small, "api/v1/configmaps?resourceVersion=1") as watch:
        told = await watch.event()
        assert (told["type"], told["object"]["code"], told["object"]["reason"]) == ("ERROR", 410, "Expired")
    monkeypatch.setattr(watch_changes, "MOST_CHANGES", 2)
    monkeypatch.setattr(watch_changes, "SLACK", 1)
    monkeypatch.setattr(watch_changes, "THINNED_EVERY", 1)
    seen = await version(small, "api/v1/configmaps")
    for name in "abcd":
        await play(small, "create", configmap(name))
    assert await database_sync_to_async(ObjectChange.objects.filter(cluster=small).count)() == 2
    async with watching(small, f"api/v1/configmaps?resourceVersion={seen}") as watch:
        assert (await watch.event())["object"]["code"] == 410
    # More at once than are kept: whoever watches lists anew.
    await play(small, "create", *(configmap(f"many-{number}") for number in range(3)))
    await database_sync_to_async(small.refresh_from_db)()
    assert small.watched_since is None


async def test_a_list_goes_on_as_it_began(small: Cluster) -> None:
    for name in "abc":
        await play(small, "create", configmap(name))
    first = (await get(small, "api/v1/configmaps?limit=1")).json()
    await play(small, "update", configmap("b", tier="front"))
    await play(small, "delete", {"kind": "ConfigMap", "namespace": "default", "name": "c"})
    rest = (await get(small, f"api/v1/configmaps?continue={first['metadata']['continue']}")).json()
    assert [each["metadata"]["name"] for each in rest["items"]] == ["b", "c"]
    assert not rest["items"][0]["metadata"]["labels"]
    assert rest["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]


async def test_a_watch_that_is_over_says_so(small: Cluster) -> None:
    async with watching(small, "api/v1/configmaps") as watch:
        for name in "ab":
            await play(small, "create", configmap(name))
            assert await watch.said() == ("ADDED", name)
        await database_sync_to_async(deletion.hide_cluster)(small)
        with pytest.raises(StopAsyncIteration):
            await watch.event()


REFUSED = [
    ("resourceVersion=abc", 500, 'resourceVersion: Invalid value: "abc": strconv.ParseUint'),
    ("sendInitialEvents=true", 422, "sendInitialEvents requires setting resourceVersionMatch"),
    ("resourceVersionMatch=NotOlderThan", 422, "resourceVersionMatch is forbidden for watch"),
    ("sendInitialEvents=true&resourceVersionMatch=Exact", 422, '"Exact": supported values: "NotOlderThan"]'),
    ("fieldSelector=a=b", 400, '"a" is not a known field selector'),
]


@pytest.mark.parametrize(("query", "code", "message"), REFUSED)
async def test_a_watch_that_cannot_begin_is_refused(small: Cluster, query: str, code: int, message: str) -> None:
    told = (await get(small, f"api/v1/configmaps?watch=1&{query}")).json()
    assert told["code"] == code
    assert message in told["message"]
