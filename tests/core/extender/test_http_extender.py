"""One extender: what it is sent, how its answers are taken, and what is said when they are wrong."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from kube_objects.pod import Pod
from scheduler_core.cache.node_table import NodeTable
from scheduler_core.cache.nodes import Nodes
from scheduler_core.extender import Response, TransportError, build_extenders, post_error
from scheduler_core.framework.extender import ExtenderError, Victims
from tests.config_v1_34 import load
from tests.conformance.testing import make_node, make_pod
from tests.core.extender.scripted_transport import URL, Answers, configuration, extender

WEB = make_pod("web").uid("u-web").cpu("1").priority(5).build()
EMPTY_FILTER = {"Nodes": None, "NodeNames": None, "FailedNodes": None, "FailedAndUnresolvableNodes": None, "Error": ""}


def nodes_of(*names: str) -> Nodes:
    table = NodeTable()
    for name in names:
        table.add_node(make_node(name).uid(f"u-{name}").label("zone", name).build())
    return Nodes(table)


def as_json(name: str, **status: Any) -> Mapping[str, Any]:
    return {"metadata": {"name": name}, "status": status}


# ── what is sent ──


def test_filter_sends_names_to_an_extender_that_knows_the_nodes() -> None:
    ext, transport = extender("filterVerb: f, nodeCacheCapable: true", {"f": EMPTY_FILTER})
    ext.filter(WEB, nodes_of("a", "b").take(np.array([1, 0])))
    url, request, seconds, tls = transport.requests[0]
    assert (url, seconds, tls) == (f"{URL}/f", 5.0, None)
    assert list(request) == ["Pod", "Nodes", "NodeNames"]
    assert (request["Nodes"], request["NodeNames"]) == (None, ["b", "a"])
    assert request["Pod"]["metadata"] == {"name": "web", "namespace": "default", "uid": "u-web"}
    assert request["Pod"]["spec"]["priority"] == 5
    assert not request["Pod"].keys() & {"kind", "apiVersion"}


def test_prioritize_sends_whole_nodes_to_others() -> None:
    ext, transport = extender("prioritizeVerb: p, weight: 3, httpTimeout: 250ms", {"p": None})
    assert ext.prioritize(WEB, nodes_of("a", "b")) == []
    _, request, seconds, _ = transport.requests[0]
    assert seconds == 0.25
    assert (request["NodeNames"], request["Nodes"]["metadata"]) == (None, {})
    assert [node["metadata"]["uid"] for node in request["Nodes"]["items"]] == ["u-a", "u-b"]


def test_bind_sends_identities_only() -> None:
    ext, transport = extender("bindVerb: b", {"b": {}})
    ext.bind(WEB, "a")
    assert transport.requests[0][1] == {"PodName": "web", "PodNamespace": "default", "PodUID": "u-web", "Node": "a"}


@pytest.mark.parametrize("knows", [True, False])
def test_preempt_sends_victims_by_uid_or_whole(knows: bool) -> None:
    victim = make_pod("low").uid("u-low").node("b").build()
    ext, transport = extender(f"preemptVerb: p, nodeCacheCapable: {str(knows).lower()}", {"p": {}})
    assert ext.process_preemption(WEB, {"b": Victims([victim], 2), "a": Victims([], 0)}, nodes_of("a", "b")) == {}
    request = transport.requests[0][1]
    given, none = ("NodeNameToMetaVictims", "NodeNameToVictims")[:: 1 if knows else -1]
    assert request[none] is None
    assert list(request[given]) == ["a", "b"]  # as Go writes maps
    sent = request[given]["b"]
    assert sent["NumPDBViolations"] == 2
    assert sent["Pods"] == [{"UID": "u-low"}] if knows else sent["Pods"][0]["metadata"]["uid"] == "u-low"


FILLED = [
    # name                     builder                                             path, and what stands there
    ("requests from limits", make_pod("x").limit("cpu", "2").request("memory", "1Gi"),
     {"limits": {"cpu": "2"}, "requests": {"cpu": "2", "memory": "1Gi"}}),
    ("requests as given", make_pod("x").limit("cpu", "2").cpu("1"), {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}),
    ("nothing asked for", make_pod("x"), None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "builder", "want"), FILLED, ids=[case[0] for case in FILLED])
def test_pods_are_sent_as_the_api_server_has_them(name: str, builder: Any, want: Any) -> None:
    ext, transport = extender("filterVerb: f", {"f": EMPTY_FILTER})
    ext.filter(builder.build(), nodes_of("a"))
    spec = transport.requests[0][1]["Pod"]["spec"]
    assert spec["containers"][0].get("resources") == want
    assert (spec["schedulerName"], spec["priority"]) == ("default-scheduler", 0)


def test_a_node_is_sent_with_allocatable() -> None:
    table = NodeTable()
    table.add_node(make_node("a").status(allocatable=None, capacity={"cpu": "2"}).build())
    ext, transport = extender("filterVerb: f", {"f": EMPTY_FILTER})
    ext.filter(WEB, Nodes(table))
    assert transport.requests[0][1]["Nodes"]["items"][0]["status"]["allocatable"] == {"cpu": "2"}


# ── what comes back ──

LEFT = [
    # name                        extender          answer                                                     want
    ("names, in their order", True, {"NodeNames": ["c", "a"]}, ["c", "a"]),
    ("a name twice", True, {"NodeNames": ["a", "a"]}, ["a", "a"]),
    ("no names", True, {"NodeNames": []}, []),
    ("nothing", True, {}, []),
    ("nodes from one that knows them", True, {"Nodes": {"items": [as_json("b")]}}, ["b"]),
    ("both, names count", True, {"NodeNames": ["a"], "Nodes": {"items": [as_json("b")]}}, ["a"]),
    ("nodes", False, {"Nodes": {"items": [as_json("c"), as_json("a")]}}, ["c", "a"]),
    ("names from one that does not know them", False, {"NodeNames": ["a"]}, []),
    ("both, nodes count", False, {"NodeNames": ["a"], "Nodes": {"items": [as_json("b")]}}, ["b"]),
    ("no items", False, {"Nodes": {}}, []),
    ("null items", False, {"Nodes": {"items": None}}, []),
    ("a node that does not exist", False, {"Nodes": {"items": [as_json("ghost")]}}, ["ghost"]),
    ("a null node", False, {"Nodes": {"items": [None]}}, [""]),
    ("a nameless node", False, {"Nodes": {"items": [{}]}}, [""]),
]


@pytest.mark.parametrize(("name", "knows", "answer", "want"), LEFT, ids=[case[0] for case in LEFT])
def test_nodes_left(name: str, knows: bool, answer: Any, want: list[str]) -> None:
    ext, _ = extender(f"filterVerb: f, nodeCacheCapable: {str(knows).lower()}", {"f": answer})
    assert ext.filter(WEB, nodes_of("a", "b", "c")).nodes.names == want


def test_failed_nodes() -> None:
    answer = {"NodeNames": [], "FailedNodes": {"a": "hot", "x": ""}, "FailedAndUnresolvableNodes": {"b": "old"}}
    ext, _ = extender("filterVerb: f, nodeCacheCapable: true", {"f": answer})
    result = ext.filter(WEB, nodes_of("a", "b"))
    assert (result.failed, result.failed_and_unresolvable) == ({"a": "hot", "x": ""}, {"b": "old"})


def echo(request: dict[str, Any]) -> dict[str, Any]:
    return {"Nodes": request["Nodes"]}


def test_returned_nodes_hold_no_pods_and_no_images() -> None:
    table = NodeTable()
    table.add_node(make_node("a").image(10**6, "app:v1").label("zone", "z").build())
    table.add_pod(make_pod("old").cpu("1").build(), "a")
    nodes = Nodes(table)
    nodes.label("zone")
    ext, _ = extender("filterVerb: f", {"f": echo})
    left = ext.filter(WEB, nodes).nodes
    assert left.table is not table
    assert (left.allocatable("cpu").tolist(), left.requested("cpu").tolist()) == ([4000], [0])
    assert (left.pod_count.tolist(), left.with_image("app:v1").tolist()) == ([0], [False])
    assert left.label("zone").tolist() == nodes.label("zone").tolist()
    assert nodes.requested("cpu").tolist() == [1000]


def test_changed_nodes_count_as_they_came_back() -> None:
    changed = as_json("a", allocatable={"cpu": "8"}, capacity={"cpu": "16"})
    ext, _ = extender("filterVerb: f", {"f": {"Nodes": {"items": [changed, as_json("b", capacity={"cpu": "1"})]}}})
    for _ in range(2):  # the second time it is recognised
        left = ext.filter(WEB, nodes_of("a", "b")).nodes
        # Nothing is defaulted: a node without allocatable has none.
        assert left.allocatable("cpu").tolist() == [8000, 0]


def test_scores_are_handed_on_as_they_are() -> None:
    answer = [{"Host": "a", "Score": 2}, {"Host": "ghost", "Score": -9}, {}]
    ext, _ = extender("prioritizeVerb: p, weight: 7", {"p": answer})
    assert ext.prioritize(WEB, nodes_of("a")) == [("a", 2), ("ghost", -9), ("", 0)]


def test_one_that_does_not_prioritize_gives_nothing_to_all() -> None:
    ext, transport = extender("filterVerb: f")
    assert ext.prioritize(WEB, nodes_of("a", "b")) == [("a", 0), ("b", 0)]
    assert not transport.requests


def test_victims_are_the_pods_of_the_node() -> None:
    nodes, low = nodes_of("a"), make_pod("low").uid("u-low").build()
    nodes.table.add_pod(low, "a")
    answer = {"NodeNameToMetaVictims": {"a": {"Pods": [{"UID": "u-low"}], "NumPDBViolations": 3}}}
    ext, _ = extender("preemptVerb: p", {"p": answer})
    assert ext.process_preemption(WEB, {}, nodes) == {"a": Victims([low], 3)}


# ── what is said when it goes wrong ──

FILTER, PREEMPT = "filterVerb: f, nodeCacheCapable: true", "preemptVerb: f, nodeCacheCapable: true"
MISSING = '"ghost" which is not found in the input node list'
FAILURES = [
    # name                    extender  answer                                   text
    ("no connection", FILTER, post_error(f"{URL}/f", "EOF"), f'Post "{URL}/f": EOF'),
    ("another status", FILTER, Response(500, b""), f"failed f with extender at URL {URL}/f, code 500"),
    ("created", FILTER, Response(201, b"{}"), f"failed f with extender at URL {URL}/f, code 201"),
    ("an error of its own", FILTER, {"Error": "no licence", "NodeNames": ["a"]}, "no licence"),
    ("an unknown name", FILTER, {"NodeNames": ["a", "ghost"]}, f'extender "{URL}" claims a filtered node {MISSING}'),
    ("broken JSON", FILTER, b"{", "unexpected EOF"),
    ("a body that breaks off", FILTER, Response(200, b"{", "read tcp: reset"), "read tcp: reset"),
    ("a wrong type", FILTER, [], "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult"),
    ("victims of an unknown node", PREEMPT, {"NodeNameToMetaVictims": {"ghost": {}}},
     'nodeinfo not found for node name "ghost"'),
    ("a victim from elsewhere", PREEMPT, {"NodeNameToMetaVictims": {"a": {"Pods": [{"UID": "u-x"}]}}},
     f"extender: {URL} claims to preempt pod (UID: &{{u-x}}) on node: a, but the pod is not found on that node"),
    ("no victims object", PREEMPT, {"NodeNameToMetaVictims": {"a": None}},
     'NodeNameToMetaVictims["a"] is null in the extender\'s answer, on which kube-scheduler v1.34.1 crashes'),
    ("no victim object", PREEMPT, {"NodeNameToMetaVictims": {"a": {"Pods": [None]}}},
     'a pod of NodeNameToMetaVictims["a"] is null in the extender\'s answer, on which kube-scheduler v1.34.1 crashes'),
    ("the first node's error of several", PREEMPT, {"NodeNameToMetaVictims": {"z": {}, "b": {}}},
     'nodeinfo not found for node name "b"'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fields", "answer", "want"), FAILURES, ids=[case[0] for case in FAILURES])
def test_failures(name: str, fields: str, answer: Any, want: str) -> None:
    ext, _ = extender(fields, {"f": answer})
    with pytest.raises(ExtenderError) as failed:
        if ext.is_filter:
            ext.filter(WEB, nodes_of("a"))
        else:
            ext.process_preemption(WEB, {}, nodes_of("a"))
    assert str(failed.value) == want


def test_a_binding_that_the_extender_refuses() -> None:
    ext, _ = extender("bindVerb: b", {"b": {"error": "not today"}})
    with pytest.raises(ExtenderError, match=r"^not today$"):
        ext.bind(WEB, "a")


# ── how it is built ──

INTEREST = [
    # name                      managedResources    pod                                               want
    ("manages nothing", "", make_pod("x"), True),
    ("not asked for", "[{name: example.com/a}]", make_pod("x").cpu("1"), False),
    ("asked for", "[{name: example.com/a}]", make_pod("x").limit("example.com/a", "1"), True),
    ("one of two", "[{name: example.com/a}, {name: example.com/b}]", make_pod("x").limit("example.com/b", "1"), True),
    ("by an init container", "[{name: example.com/a}]",
     make_pod("x").spec(initContainers=[{"name": "i", "image": "i", "resources": {"limits": {"example.com/a": "1"}}}]),
     True),
]  # fmt: skip


@pytest.mark.parametrize(("name", "managed", "builder", "want"), INTEREST, ids=[case[0] for case in INTEREST])
def test_interest(name: str, managed: str, builder: Any, want: bool) -> None:
    ext, _ = extender(f"filterVerb: f{', managedResources: ' + managed if managed else ''}")
    pod: Pod = builder.build()
    assert ext.is_interested(pod) is want


def test_ignorable_ones_come_last() -> None:
    config = load(
        configuration(
            "filterVerb: a, ignorable: true", "filterVerb: b", "filterVerb: c, ignorable: true", "filterVerb: d"
        )
    )
    transport = Answers(dict.fromkeys("abcd", EMPTY_FILTER))
    for ext in build_extenders(config, transport):
        ext.filter(WEB, nodes_of("n"))
    assert transport.called == ["b", "d", "a", "c"]


TLS = [
    # name                       fields                                                           insecure
    ("plain", "", None),
    ("HTTPS without an authority trusts all", "enableHTTPS: true", True),
    ("HTTPS with one does not", "enableHTTPS: true, tlsConfig: {caData: Y2E=}", False),
    ("options without enableHTTPS", "tlsConfig: {serverName: ext.example.org}", False),
]


@pytest.mark.parametrize(("name", "fields", "insecure"), TLS, ids=[case[0] for case in TLS])
def test_tls_options(name: str, fields: str, insecure: bool | None) -> None:
    ext, transport = extender(f"bindVerb: b{', ' + fields if fields else ''}", {"b": {}})
    ext.bind(WEB, "a")
    tls = transport.requests[0][3]
    assert (None if tls is None else tls.insecure) is insecure


@pytest.mark.parametrize("prefix", ["http://ext:8888/v1", "http://ext:8888/v1/", "http://ext:8888/v1//"])
def test_one_slash_before_the_verb(prefix: str) -> None:
    config = load(configuration("bindVerb: bind").replace(URL, prefix))
    transport = Answers({"bind": {}})
    build_extenders(config, transport)[0].bind(WEB, "a")
    assert transport.requests[0][0] == "http://ext:8888/v1/bind"


def test_post_errors_are_worded_as_go_words_them() -> None:
    assert str(post_error('http://a/"x"', "EOF")) == 'Post "http://a/\\"x\\"": EOF'
    assert isinstance(post_error("", ""), TransportError)
