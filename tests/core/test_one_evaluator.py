"""Selectors and tolerations: scheduler, controllers and API server give the answer of upstream's code."""

from typing import Any

import pytest

from kube_apiserver.reads import selectors
from kube_controllers.daemon_set import nodes as daemon_nodes
from kube_objects.selectors import NodeSelector, NodeSelectorTerm, Requirement, required_node_affinity, selects
from kube_objects.taints import as_taint, as_tolerations, patience
from scheduler_core.plugins.helper import untolerated_taint
from scheduler_core.plugins.node_selector import nodes_selected
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.plugin_calls import cluster

# Source: labels.NewRequirement and Requirement.Matches, which call strconv.ParseInt(value, 10, 64).
NUMBERS = [
    # operator, value of the selector, label of the node, selected
    ("Gt", "19", "20", True),
    ("Gt", "1_0", "20", False),
    ("Gt", "10", "2_0", False),
    ("Gt", "5", "9223372036854775808", False),
    ("Lt", "9223372036854775808", "5", False),
    ("Gt", "9223372036854775806", "9223372036854775807", True),
    ("Gt", " 5", "20", False),
    ("Gt", "005", "20", True),
    ("Lt", "5", None, False),
]


def affine(operator: str, value: str) -> dict[str, Any]:
    term = {"matchExpressions": [{"key": "size", "operator": operator, "values": [value]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"affinity": {"nodeAffinity": required}}


def daemon_set(pod_spec: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": "agent"}, "spec": {"template": {"spec": pod_spec}}}


@pytest.mark.parametrize(("operator", "value", "label", "want"), NUMBERS)
def test_node_selectors_read_numbers_as_go_does(operator: str, value: str, label: str | None, want: bool) -> None:
    labels = {} if label is None else {"size": label}
    selector = NodeSelector((NodeSelectorTerm((Requirement("size", operator, (value,)),)),))
    answers = {
        "one node": selector.matches(labels, "n1"),
        "many nodes": nodes_selected(selector, cluster([make_node("n1").labels(**labels)])).tolist()[0],
        "a pod's manifest": required_node_affinity(affine(operator, value)).matches(labels, "n1"),
        "a DaemonSet": daemon_nodes.fits_node(
            daemon_nodes.daemon_pod(daemon_set(affine(operator, value))), {"metadata": {"name": "n1", "labels": labels}}
        )[0],
    }
    assert answers == dict.fromkeys(answers, want)


@pytest.mark.parametrize(("operator", "value", "label", "want"), [row for row in NUMBERS if " " not in row[1]])
def test_lists_read_numbers_as_go_does(operator: str, value: str, label: str | None, want: bool) -> None:
    obj = {"metadata": {"labels": {} if label is None else {"size": label}}}
    try:
        is_selected = selectors.labels(f"size {'>' if operator == 'Gt' else '<'} {value}")(obj)
    except selectors.SelectorError as error:
        assert "the value must be an integer" in str(error)
        is_selected = False
    assert is_selected is want


# Source: ToleratesTaint; Gt and Lt are behind a feature gate that is off.
TOLERATIONS = [
    # name, toleration, tolerated
    ("an empty key with Equal and the same value", {"operator": "Equal", "value": "20"}, True),
    ("an empty key with no operator and the same value", {"value": "20"}, True),
    ("an empty key with Equal and another value", {"operator": "Equal", "value": "21"}, False),
    ("an empty key with Exists", {"operator": "Exists"}, True),
    ("Gt", {"key": "size", "operator": "Gt", "value": "5"}, False),
    ("Lt", {"key": "size", "operator": "Lt", "value": "50"}, False),
    ("an unknown operator", {"key": "size", "operator": "Like", "value": "20"}, False),
]


@pytest.mark.parametrize(("toleration", "want"), [row[1:] for row in TOLERATIONS], ids=[row[0] for row in TOLERATIONS])
def test_tolerations(toleration: dict[str, Any], want: bool) -> None:
    taint = {"key": "size", "value": "20", "effect": "NoExecute"}
    node = make_node("n1").taint("size", "20", "NoExecute").build()
    pod = make_pod("p").build()
    pod.tolerations = tuple(as_tolerations([toleration]))
    answers = {
        "the scheduler": untolerated_taint(pod, node.taints) is None,
        "a DaemonSet": daemon_nodes.fits_node(
            daemon_nodes.daemon_pod(daemon_set({"tolerations": [toleration]})),
            {"metadata": {"name": "n1"}, "spec": {"taints": [taint]}},
        )[0],
        "taint eviction": patience([as_taint(taint)], as_tolerations([toleration])) is None,
    }
    assert answers == dict.fromkeys(answers, want)


ABSENT, NOT_IN = {"key": "app", "operator": "DoesNotExist"}, {"key": "x", "operator": "NotIn", "values": ["1"]}
GREATER = {"key": "n", "operator": "Gt", "values": ["4"]}
SELECTORS = [
    # name, selector, selected
    ("no selector", None, False),
    ("an empty selector", {}, True),
    ("labels", {"matchLabels": {"app": "web"}}, True),
    ("labels and expressions", {"matchLabels": {"app": "web"}, "matchExpressions": [ABSENT]}, False),
    ("an operator of node selectors", {"matchExpressions": [GREATER]}, False),
    ("a missing label is in no list", {"matchExpressions": [NOT_IN]}, True),
]


@pytest.mark.parametrize(("selector", "want"), [row[1:] for row in SELECTORS], ids=[row[0] for row in SELECTORS])
def test_label_selectors_of_manifests(selector: Any, want: bool) -> None:
    assert selects(selector, {"app": "web", "n": "5"}) is want
