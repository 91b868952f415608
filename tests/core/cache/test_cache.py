import json
from collections.abc import Callable

import pytest

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache, CacheError
from tests.conformance.testing import make_node, make_pod
from tests.core.cache.table_dump import picture


def pod(name: str = "web", node: str = "n1", cpu: str = "1") -> Pod:
    return make_pod(name).uid(f"uid-{name}").cpu(cpu).spec(nodeName=node).build()


def cache_with(*nodes: str, ttl: float = 0.0) -> Cache:
    cache = Cache(ttl)
    for name in nodes:
        cache.add_node(make_node(name).build())
    return cache


def requested(cache: Cache) -> dict[str, int]:
    return dict(zip(cache.table.rows, cache.table.requested("cpu").values.tolist(), strict=True))


def order(cache: Cache) -> list[str]:
    return [cache.table.nodes[row].name for row in cache.order.tolist()]


def test_assume_forget_is_the_identity() -> None:
    cache = cache_with("n1")
    before = picture(cache.table), cache.dump()
    cache.assume(pod())
    assert requested(cache) == {"n1": 1000}
    assert cache.is_assumed("uid-web")
    cache.forget(pod())
    assert (picture(cache.table), cache.dump()) == before


def test_the_binding_seen_replaces_what_was_assumed() -> None:
    cache = cache_with("n1", "n2")
    cache.assume(pod())
    cache.add_pod(pod(cpu="2"))
    assert requested(cache) == {"n1": 2000, "n2": 0}
    assert not cache.is_assumed("uid-web")
    cache.assume(pod("other"))
    cache.add_pod(pod("other", node="n2"))  # it was bound elsewhere
    assert requested(cache) == {"n1": 2000, "n2": 1000}


@pytest.mark.parametrize(
    ("name", "ttl", "finished", "now", "expires"),
    [
        ("for ever by default", 0.0, True, 1e9, False),
        ("binding not finished", 30.0, False, 1e9, False),
        ("at its deadline", 30.0, True, 40.0, False),
        ("after it", 30.0, True, 40.001, True),
    ],
)
def test_expiry(name: str, ttl: float, finished: bool, now: float, expires: bool) -> None:
    cache = cache_with("n1", ttl=ttl)
    cache.assume(pod())
    if finished:
        cache.finish_binding(pod(), now=10.0)
    assert [gone.key for gone in cache.expire(now)] == (["default/web"] if expires else [])
    assert requested(cache) == {"n1": 0 if expires else 1000}
    assert cache.is_assumed("uid-web") is not expires


def test_added_pods_do_not_expire() -> None:
    cache = cache_with("n1", ttl=1.0)
    cache.assume(pod())
    cache.finish_binding(pod(), now=0.0)
    cache.add_pod(pod())
    assert cache.expire(100.0) == []


def test_pods_are_remembered_without_their_node() -> None:
    cache = cache_with()
    cache.add_pod(pod())
    cache.add_pod(pod("other", node="n2"))
    cache.add_node(make_node("n1").build())
    assert requested(cache) == {"n1": 1000}
    cache.remove_node(make_node("n1").build())
    cache.update_pod(pod(), pod(cpu="3"))
    assert cache.get("uid-web") is not None
    cache.add_node(make_node("n1").build())
    assert requested(cache) == {"n1": 3000}
    cache.remove_node(make_node("n1").build())
    cache.remove_pod(pod(cpu="3"))
    cache.add_node(make_node("n1").build())
    assert requested(cache) == {"n1": 0}
    assert "uid-web" not in cache


WRONG: list[tuple[str, Callable[[Cache], object], str]] = [
    ("assume twice", lambda cache: cache.assume(pod("assumed")), "is in the cache, so can't be assumed"),
    ("assume what runs", lambda cache: cache.assume(pod("running")), "is in the cache, so can't be assumed"),
    ("add twice", lambda cache: cache.add_pod(pod("running")), "was already in added state"),
    ("forget what runs", lambda cache: cache.forget(pod("running")), "wasn't assumed so cannot be forgotten"),
    ("forget the unknown", lambda cache: cache.forget(pod("no")), "wasn't assumed so cannot be forgotten"),
    ("forget elsewhere", lambda cache: cache.forget(pod("assumed", node="n2")), "was assumed on n2 but assigned to n1"),
    ("update the unknown", lambda cache: cache.update_pod(pod("no"), pod("no")), "is not added to scheduler cache"),
    ("update what is assumed", lambda cache: cache.update_pod(pod("assumed"), pod("assumed")), "should not be updated"),
    (
        "update across nodes",
        lambda cache: cache.update_pod(pod("running"), pod("running", node="n2")),
        "updated on a different node",
    ),
    ("remove the unknown", lambda cache: cache.remove_pod(pod("no")), "is not found in scheduler cache"),
    ("remove elsewhere", lambda cache: cache.remove_pod(pod("running", node="n2")), "added to a different node"),
    ("remove a node twice", lambda cache: cache.remove_node(make_node("n9").build()), "node n9 is not found"),
]


@pytest.mark.parametrize(("name", "act", "want"), WRONG)
def test_contradictions_change_nothing(name: str, act: Callable[[Cache], object], want: str) -> None:
    cache = cache_with("n1", "n2")
    cache.add_pod(pod("running"))
    cache.assume(pod("assumed"))
    before = picture(cache.table), cache.dump()
    with pytest.raises(CacheError, match=want):
        act(cache)
    assert (picture(cache.table), cache.dump()) == before


def zoned(name: str, zone: str = "") -> Node:
    return make_node(name).zone(zone or name[0]).build()


def test_order_interleaves_zones_whatever_the_rows() -> None:
    cache = Cache()
    for name in ("a1", "a2", "b1", "b2"):
        cache.add_node(zoned(name))
    assert order(cache) == ["a1", "b1", "a2", "b2"]
    cache.remove_node(zoned("a1"))
    assert order(cache) == ["a2", "b1", "b2"]


def test_order_is_taken_anew_only_when_other_nodes_exist() -> None:
    cache = Cache()
    for name in ("a1", "a2", "b1"):
        cache.add_node(zoned(name))
    cache.update_snapshot()
    cache.update_node(zoned("a1"), zoned("a1", zone="c"))
    assert order(cache) == ["a1", "b1", "a2"]
    cache.remove_node(zoned("b1"))
    cache.add_node(zoned("b1"))  # back before the next attempt
    cache.update_snapshot()
    assert order(cache) == ["a1", "b1", "a2"]
    cache.add_node(zoned("c1"))
    assert order(cache) == ["a2", "a1", "b1", "c1"]
    cache.update_snapshot()
    assert order(cache) == ["a2", "a1", "b1", "c1"]


def test_reading_the_order_between_attempts_does_not_settle_it() -> None:
    seen = []
    for look in (True, False):
        cache = Cache()
        for name in ("a1", "a2", "b1"):
            cache.add_node(zoned(name))
        if look:
            order(cache)
        cache.update_node(zoned("a1"), zoned("a1", zone="c"))
        cache.update_snapshot()
        seen.append(order(cache))
    assert seen[0] == seen[1] == ["a2", "b1", "a1"]


def test_dump_and_load() -> None:
    cache = cache_with("n1", "n2", ttl=30.0)
    cache.update_snapshot()
    for added in (pod("b"), pod("a"), pod("c", node="gone")):
        cache.add_pod(added)
    cache.assume(pod("assumed", node="n2"))
    cache.assume(pod("binding", node="n2"))
    cache.finish_binding(pod("binding", node="n2"), now=5.0)
    pods = {known.uid: known for known in (pod("b"), pod("a"), pod("c", node="gone"))}
    pods |= {f"uid-{name}": make_pod(name).uid(f"uid-{name}").cpu("1").build() for name in ("assumed", "binding")}
    copy = Cache(ttl=30.0)
    copy.load(json.loads(json.dumps(cache.dump())), {node.name: node for node in cache.table.nodes}, pods)
    assert copy.dump() == cache.dump()
    assert requested(copy) == requested(cache) == {"n1": 2000, "n2": 2000}
    assert [expired.key for expired in copy.expire(100.0)] == ["default/binding"]
    assert list(copy.table.pods[0]) == ["uid-b", "uid-a"]
