"""Whatever happens to a cache, its table is the one that would be built from the same nodes and pods anew.

Ports that pods share and images of several sizes are left out: there, upstream's cache remembers what was (see
test_history).
"""

import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from tests.conformance.testing import make_node, make_pod
from tests.core.cache.table_dump import picture

NODE_NAMES = ("n1", "n2", "n3")
POD_NAMES = ("p1", "p2", "p3", "p4")

cpus = st.sampled_from(["1", "2", "3"])
zones = st.sampled_from(["", "a", "b"])


@st.composite
def nodes(draw: st.DrawFn, name: str) -> Node:
    builder = make_node(name).cpu(draw(cpus))
    if zone := draw(zones):
        builder.zone(zone)
    if draw(st.booleans()):
        builder.label("disk", draw(st.sampled_from(["ssd", "hdd"]))).taint("disk", "x")
    if draw(st.booleans()):
        builder.resource("example.com/gpu", "2").image(7, "app:v1", "tool:v1")
    if draw(st.booleans()):
        builder.cordoned()
    return builder.build()


@st.composite
def pods(draw: st.DrawFn, name: str, node_name: str) -> Pod:
    builder = make_pod(name, draw(st.sampled_from(["default", "prod"]))).uid(name).cpu(draw(cpus))
    builder.spec(nodeName=node_name).priority(draw(st.integers(-1, 1)))
    if draw(st.booleans()):
        builder.label("app", draw(st.sampled_from(["web", "db"])))
    if draw(st.booleans()):
        builder.host_port(8000 + int(name[1:])).extended("example.com/gpu", 1)
    if draw(st.booleans()):
        volume = {"name": "v", "persistentVolumeClaim": {"claimName": draw(st.sampled_from(["c1", "c2"]))}}
        builder.spec(volumes=[volume])
    if draw(st.booleans()):
        term = {"topologyKey": "disk", "labelSelector": {"matchLabels": {"app": draw(st.sampled_from(["web", "db"]))}}}
        key = draw(st.sampled_from(["podAffinity", "podAntiAffinity"]))
        builder.spec(affinity={key: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})
    if draw(st.booleans()):
        builder.terminating()
    return builder.build()


class Machine(RuleBasedStateMachine):
    """Against a model: the live nodes and the pods that the cache was told of, in order."""

    @initialize()
    def start(self) -> None:
        self.cache = Cache(ttl=10.0)
        self.nodes: dict[str, Node] = {}
        self.pods: dict[str, Pod] = {}
        self.assumed: dict[str, Pod] = {}
        self.time = 0.0

    @rule(name=st.sampled_from(NODE_NAMES), data=st.data())
    def put_node(self, name: str, data: st.DataObject) -> None:
        node = data.draw(nodes(name))
        old = self.nodes.get(name)
        self.nodes[name] = node
        if old is None:
            self.cache.add_node(node)
        else:
            self.cache.update_node(old, node)

    @precondition(lambda self: self.nodes)
    @rule(data=st.data())
    def remove_node(self, data: st.DataObject) -> None:
        self.cache.remove_node(self.nodes.pop(data.draw(st.sampled_from(sorted(self.nodes)))))

    @rule(name=st.sampled_from(POD_NAMES), node_name=st.sampled_from(NODE_NAMES), data=st.data())
    def pod_is_seen(self, name: str, node_name: str, data: st.DataObject) -> None:
        """A new pod, a new version, or the binding of an assumed one (perhaps to another node)."""
        old = self.pods.get(name)
        pod = data.draw(pods(name, old.node_name if old else node_name))
        if old is None:
            self.cache.add_pod(pod)
        else:
            self.cache.update_pod(old, pod)
        self.pods[name] = pod
        self.assumed.pop(name, None)

    @precondition(lambda self: self.pods)
    @rule(data=st.data())
    def pod_starts(self, data: st.DataObject) -> None:
        """Only what no column counts is new; some counts are the very same all the same."""
        old = self.pods[data.draw(st.sampled_from(sorted(self.pods)))]
        pod = old.copied()
        pod.phase = "Running"
        self.cache.update_pod(old, pod)
        self.pods[old.name] = pod

    @precondition(lambda self: self.pods)
    @rule(data=st.data())
    def pod_goes(self, data: st.DataObject) -> None:
        self.cache.remove_pod(self.pods.pop(data.draw(st.sampled_from(sorted(self.pods)))))

    @rule(name=st.sampled_from(POD_NAMES), node_name=st.sampled_from(NODE_NAMES), data=st.data())
    def assume(self, name: str, node_name: str, data: st.DataObject) -> None:
        """Forgetting at once is the identity; so it may just as well stay assumed."""
        if name in self.pods or name in self.assumed:
            return
        pod = data.draw(pods(name, node_name))
        before = self.cache.dump(), picture(self.cache.table)
        self.cache.assume(pod)
        self.cache.forget(pod)
        assert (self.cache.dump(), picture(self.cache.table)) == before
        self.cache.assume(pod)
        self.assumed[name] = pod

    @precondition(lambda self: self.assumed)
    @rule(data=st.data(), seconds=st.sampled_from([1.0, 20.0]))
    def binding_ends(self, data: st.DataObject, seconds: float) -> None:
        pod = self.assumed[data.draw(st.sampled_from(sorted(self.assumed)))]
        self.cache.finish_binding(pod, self.time)
        self.time += seconds
        for expired in self.cache.expire(self.time):
            del self.assumed[expired.name]

    @rule()
    def attempt(self) -> None:
        self.cache.update_snapshot()

    @rule()
    def reload(self) -> None:
        """Go on with what a checkpoint brings back."""
        copy = Cache(ttl=10.0)
        unbound = {name: pod.with_node("") for name, pod in self.assumed.items()}
        copy.load(json.loads(json.dumps(self.cache.dump())), self.nodes, {**self.pods, **unbound})
        assert copy.dump() == self.cache.dump()
        assert copy.order.tolist() == self.cache.order.tolist()
        # Assumed pods come back as copies; everything else must be the very same.
        copy_of = {name: copy.get(name) for name in self.assumed}
        self.assumed = {name: pod for name, pod in copy_of.items() if pod is not None}
        self.cache = copy

    @invariant()
    def table_is_as_if_built_anew(self) -> None:
        fresh = Cache()
        for row_node in self.cache.table.nodes:
            fresh.add_node(self.nodes[row_node.name])
        for pod in (*self.pods.values(), *self.assumed.values()):
            fresh.add_pod(pod)
        assert picture(self.cache.table) == picture(fresh.table)

    @invariant()
    def what_if_is_the_same_apart(self) -> None:
        table = self.cache.table
        before = picture(table)
        copy = table.what_if(range(len(table)))
        assert picture(copy) == before
        for name, pods_there in list(zip(copy.rows, copy.pods, strict=True)):
            for pod in list(pods_there.values()):
                copy.remove_pod(pod, name)
        assert picture(table) == before

    @invariant()
    def order_holds_every_node_once(self) -> None:
        assert sorted(self.cache.order.tolist()) == list(range(len(self.nodes)))

    @invariant()
    def known_pods_are_known(self) -> None:
        for name in POD_NAMES:
            assert (name in self.cache) == (name in self.pods or name in self.assumed)
            assert self.cache.is_assumed(name) == (name in self.assumed)


Machine.TestCase.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)
TestCache = Machine.TestCase
