import pytest

from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from scheduler_core.framework.events import ActionType, ClusterEvent, EventResource
from scheduler_core.framework.interface import Plugin
from scheduler_core.queue.event_handlers import EventHandlers, HandledBy
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod
from tests.core.queue.queue_fixture import PROFILE, Nosy, Rig


class Cluster(Rig):
    """A rig with a cache; `put` and `delete` do what the API server tells the scheduler."""

    def __init__(self, *plugins: Plugin) -> None:
        super().__init__(plugins=plugins)
        self.cache = Cache()
        self.waiting: set[str] = set()
        self.store: dict[str, KubeObject] = {}
        self.handlers = EventHandlers(self.cache, self.queue, {PROFILE}, self._reject)

    def _reject(self, uid: str) -> bool:
        return uid in self.waiting

    def put(self, obj: KubeObject) -> HandledBy:
        old = self.store.get(f"{obj.kind}/{obj.key}")
        self.store[f"{obj.kind}/{obj.key}"] = obj
        if isinstance(obj, Pod):
            self.live[obj.key] = obj
        return self.handlers.handle(old, obj)

    def delete(self, obj: KubeObject) -> HandledBy:
        del self.store[f"{obj.kind}/{obj.key}"]
        self.live.pop(obj.key, None)
        return self.handlers.handle(obj, None)


def pod(name: str = "web") -> PodBuilder:
    return make_pod(name).cpu("1")


def bound(name: str = "web", node: str = "n1") -> PodBuilder:
    return pod(name).spec(nodeName=node)


def nominated(node_name: str) -> PodBuilder:
    return pod().status(nominatedNodeName=node_name)


def finished(builder: PodBuilder) -> PodBuilder:
    return builder.status(phase="Succeeded")


POD_CHANGES = [
    # name, versions one after the other (None deletes), want of the last, queued, cached
    ("waits", [pod()], HandledBy.QUEUE, True, False),
    ("of nobody", [pod().spec(schedulerName="other")], HandledBy.UNKNOWN_SCHEDULER, False, False),
    ("runs", [bound()], HandledBy.CACHE, False, True),
    ("runs, placed by another", [bound().spec(schedulerName="other")], HandledBy.CACHE, False, True),
    ("gets a node", [pod(), bound()], HandledBy.CACHE_AND_QUEUE, False, True),
    ("changes while it waits", [pod(), pod().label("a", "b")], HandledBy.QUEUE, True, False),
    ("changes while it runs", [bound(), bound().label("a", "b")], HandledBy.CACHE, False, True),
    ("is deleted while it waits", [pod(), None], HandledBy.QUEUE, False, False),
    ("is deleted while it runs", [bound(), None], HandledBy.CACHE, False, False),
    ("finishes", [bound(), finished(bound())], HandledBy.CACHE, False, False),
    ("had finished before", [finished(bound())], HandledBy.FINISHED_POD, False, False),
    ("changes after it finished", [finished(bound()), finished(bound().label("a", "b"))], HandledBy.FINISHED_POD, 0, 0),
    ("fails before it had a node", [pod(), finished(pod())], HandledBy.QUEUE, False, False),
]


@pytest.mark.parametrize(("name", "versions", "want", "queued", "cached"), POD_CHANGES)
def test_pods(name: str, versions: list[PodBuilder | None], want: HandledBy, queued: bool, cached: bool) -> None:
    cluster = Cluster(Nosy())
    cluster.put(make_node("n1").build())
    handled = None
    last = pod().build()
    for version in versions:
        if version is None:
            handled = cluster.delete(last)
        else:
            last = version.build()
            handled = cluster.put(last)
    assert handled is want
    assert (cluster.queue.find(last.key) is not None) == bool(queued)
    assert (last.uid in cluster.cache) == bool(cached)
    assert cluster.cache.table.pod_count.values.tolist() == [int(cached)]


def _watched(*before: KubeObject) -> Cluster:
    """With a pod in flight since `before` happened, so that events are kept; every event is of interest."""
    cluster = Cluster(Nosy())
    for obj in before:
        cluster.put(obj)
    cluster.put(make_pod("watcher").spec(priority=1000).build())
    assert cluster.queue.pop() is not None
    return cluster


def _heard(cluster: Cluster) -> list[str]:
    """`label: old > new` of the events since."""
    seen = cluster.queue.dump(lambda obj: obj.key)["inFlight"]["events"]
    labels = [ClusterEvent(EventResource(event["resource"]), ActionType[event["action"]]).label for event in seen]
    return [
        f"{label}: {event['old'] or '-'} > {event['new'] or '-'}" for label, event in zip(labels, seen, strict=True)
    ]


def node(name: str = "n1") -> NodeBuilder:
    return make_node(name)


STORAGE_CLASS = parse_object(
    {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "p"}
)
NAMESPACE = parse_object({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "prod"}})
EVENTS = [
    # name, what is there, change (None deletes the last), want
    ("node comes", [], node().build(), ["NodeAdd: - > n1"]),
    (
        "node changes",
        [node().build()],
        node().label("a", "b").cpu("8").build(),
        [
            "NodeUpdateNodeAllocatable: n1 > n1",
            "NodeUpdateNodeLabel: n1 > n1",
        ],
    ),
    ("node is cordoned", [node().build()], node().cordoned().build(), []),
    ("node goes", [node().build()], None, ["NodeDelete: n1 > -"]),
    ("pod runs", [], bound().build(), ["AssignedPodAdd: - > default/web"]),
    (
        "running pod shrinks",
        [bound().build()],
        bound().cpu("500m").label("a", "b").build(),
        [
            "AssignedPodUpdatePodLabel: default/web > default/web",
            "AssignedPodUpdatePodScaleDown: default/web > default/web",
        ],
    ),
    ("running pod goes", [bound().build()], None, ["AssignedPodDelete: default/web > -"]),
    ("running pod finishes", [bound().build()], finished(bound()).build(), ["AssignedPodDelete: default/web > -"]),
    ("waiting pod comes", [], pod().build(), []),
    ("waiting pod is bound", [pod().build()], bound().build(), ["AssignedPodAdd: - > default/web"]),
    (
        "nominated pod is bound",
        [nominated("n1").build()],
        bound().build(),
        [
            "AssignedPodAdd: - > default/web",
            "AssignedPodDelete: default/web > -",
        ],
    ),
    ("nominated pod goes", [nominated("n1").build()], None, ["AssignedPodDelete: default/web > -"]),
    ("nomination is lost", [nominated("n1").build()], pod().build(), ["AssignedPodDelete: default/web > -"]),
    ("nomination moves", [nominated("n1").build()], nominated("n2").build(), ["AssignedPodDelete: default/web > -"]),
    ("nomination stays", [nominated("n1").build()], nominated("n1").label("a", "b").build(), []),
    ("storage comes", [], STORAGE_CLASS, ["storage.k8s.io/StorageClassAdd: - > fast"]),
    ("storage changes", [STORAGE_CLASS], STORAGE_CLASS, ["storage.k8s.io/StorageClassUpdate: fast > fast"]),
    ("storage goes", [STORAGE_CLASS], None, ["storage.k8s.io/StorageClassDelete: fast > -"]),
    ("namespace comes", [], NAMESPACE, []),
]


@pytest.mark.parametrize(("name", "before", "change", "want"), EVENTS)
def test_events(name: str, before: list[KubeObject], change: KubeObject | None, want: list[str]) -> None:
    cluster = _watched(*before)
    if change is None:
        cluster.delete(before[-1])
    else:
        cluster.put(change)
    assert _heard(cluster) == want


def test_a_lost_nomination_wakes_only_pods_that_it_held_back() -> None:
    cluster = Cluster(Nosy())
    for name, priority in (("less", 0), ("same", 10), ("more", 20)):
        cluster.put(pod(name).spec(priority=priority).build())
        queued = cluster.queue.pop()
        assert queued is not None
        cluster.back(queued, "Nosy")
    cluster.put(nominated("n1").spec(priority=10).build())
    cluster.delete(nominated("n1").spec(priority=10).build())
    assert cluster.contents() == {"backoff": ["same", "less"], "unschedulable": ["more"]}


def test_a_deleted_pod_that_waits_in_permit_is_rejected_and_wakes_all() -> None:
    cluster = Cluster(Nosy())
    for name in ("less", "gang"):
        cluster.put(pod(name).spec(priority=10 if name == "less" else 0).build())
    queued = cluster.queue.pop()
    assert queued is not None
    cluster.back(queued, "Nosy")
    assert cluster.queue.pop() is not None
    gang = pod("gang").build()
    cluster.waiting.add(gang.uid)
    cluster.delete(gang)
    assert cluster.contents() == {"backoff": ["less"], "inFlight": ["gang"]}
    assert _heard(cluster) == ["AssignedPodDelete: default/gang > -"]


def test_updates_of_an_assumed_pod_are_left_to_its_binding() -> None:
    cluster = Cluster(Nosy())
    cluster.put(node().build())
    cluster.put(pod().build())
    queued = cluster.queue.pop()
    assert queued is not None
    cluster.cache.assume(queued.pod.with_node("n1"))
    cluster.queue.done(queued.pod.uid)
    assert cluster.put(pod().label("a", "b").build()) is HandledBy.ASSUMED_POD
    assert cluster.contents() == {}
    assert cluster.put(bound().build()) is HandledBy.CACHE_AND_QUEUE
    assert not cluster.cache.is_assumed(queued.pod.uid)
    assert cluster.cache.table.pod_count.values.tolist() == [1]


def test_kinds_that_nobody_reads_do_nothing() -> None:
    cluster = _watched()
    assert cluster.put(NAMESPACE) is HandledBy.NO_EVENT
    assert cluster.put(STORAGE_CLASS) is HandledBy.WAKE
