"""Where the order of events shows in upstream's cache, ours shows the same, also after a checkpoint."""

import json

from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from tests.conformance.testing import make_node, make_pod
from tests.core.cache.table_dump import picture


def _pod(name: str, *ports: int) -> Pod:
    builder = make_pod(name).uid(name).spec(nodeName="n1")
    for port in ports:
        builder.host_port(port)
    return builder.build()


def _reloaded(cache: Cache, *pods: Pod) -> Cache:
    copy = Cache()
    nodes = {node.name: node for node in cache.table.nodes}
    copy.load(json.loads(json.dumps(cache.dump())), nodes, {pod.uid: pod for pod in pods})
    assert copy.dump() == cache.dump()
    assert picture(copy.table) == picture(cache.table)
    return copy


def test_a_shared_host_port_is_free_once_one_of_its_pods_has_left() -> None:
    cache = Cache()
    cache.add_node(make_node("n1").build())
    for pod in (_pod("a", 80), _pod("b", 80, 81), _pod("c", 82)):
        cache.add_pod(pod)
    cache.remove_pod(_pod("a", 80))
    ports = sorted(port for _, port in _reloaded(cache, _pod("b", 80, 81), _pod("c", 82)).table.ports)
    assert ports == [81, 82]


def test_an_image_keeps_the_size_of_the_first_node_that_had_it() -> None:
    cache = Cache()
    for name, size in (("n1", 100), ("n2", 200), ("n3", 300)):
        cache.add_node(make_node(name).image(size, "app:v1").build())
    assert set(cache.table.images["app:v1"].values()) == {100}
    cache.remove_node(make_node("n1").image(100, "app:v1").build())
    assert _reloaded(cache).table.images == {"app:v1": {"n2": 100, "n3": 100}}
    cache.remove_node(make_node("n2").image(200, "app:v1").build())
    cache.remove_node(make_node("n3").image(300, "app:v1").build())
    cache.add_node(make_node("n4").image(400, "app:v1").build())
    assert _reloaded(cache).table.images == {"app:v1": {"n4": 400}}


def test_nothing_to_remember() -> None:
    cache = Cache()
    cache.add_node(make_node("n1").image(100, "app:v1").build())
    cache.add_pod(_pod("a", 80))
    assert cache.dump()["history"] == {"imageSizes": [], "freedPorts": []}
