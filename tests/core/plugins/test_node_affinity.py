from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube_objects.affinity import NodeAffinity as Affinity
from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.selectors import (
    NodeSelector,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    Requirement,
)
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config import core
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.plugins.node_affinity.args import NodeAffinityArgs
from scheduler_core.plugins.node_affinity.plugin import NodeAffinity
from scheduler_core.plugins.node_selector import nodes_selected, preference_weights
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint, normalized, scored

NO_HANDLE: Any = None
NO_MATCH = Status.unresolvable("node(s) didn't match Pod's node affinity/selector")
ENFORCED = Status.unresolvable("node(s) didn't match scheduler-enforced node affinity")


def expressions(*requirements: tuple[str, str, tuple[str, ...]]) -> NodeSelectorTerm:
    return NodeSelectorTerm(expressions=tuple(Requirement(*requirement) for requirement in requirements))


def names(*requirements: tuple[str, str]) -> NodeSelectorTerm:
    return NodeSelectorTerm(fields=tuple(Requirement("metadata.name", op, (name,)) for op, name in requirements))


def requiring(*terms: NodeSelectorTerm, **labels: str) -> Pod:
    pod = make_pod("p").spec(nodeSelector=labels).build()
    pod.node_affinity = Affinity(NodeSelector(terms)) if terms else None
    return pod


def preferring(*terms: tuple[int, NodeSelectorTerm]) -> Pod:
    pod = make_pod("p").build()
    pod.node_affinity = Affinity(preferred=tuple(PreferredSchedulingTerm(*term) for term in terms))
    return pod


def three_nodes() -> Nodes:
    return cluster(
        [
            make_node("a").label("disk", "ssd").label("cores", "8"),
            make_node("b").label("disk", "hdd").label("cores", "16").label("empty", ""),
            make_node("c").label("cores", "many"),
        ]
    )


@pytest.mark.parametrize(
    ("name", "pod", "want"),
    [
        ("In", requiring(expressions(("disk", "In", ("ssd", "nvme")))), "a"),
        ("In, of several", requiring(expressions(("disk", "In", ("ssd", "hdd", "x")))), "ab"),
        ("In, of what no node has", requiring(expressions(("disk", "In", ("x",)))), ""),
        ("In, the empty value is not a missing label", requiring(expressions(("empty", "In", ("",)))), "b"),
        ("NotIn takes nodes without the label", requiring(expressions(("disk", "NotIn", ("ssd",)))), "bc"),
        ("NotIn, of what no node has", requiring(expressions(("disk", "NotIn", ("x",)))), "abc"),
        ("Exists", requiring(expressions(("disk", "Exists", ()))), "ab"),
        ("DoesNotExist", requiring(expressions(("disk", "DoesNotExist", ()))), "c"),
        ("a key that no node has", requiring(expressions(("other", "Exists", ()))), ""),
        ("Gt leaves out what is no number", requiring(expressions(("cores", "Gt", ("8",)))), "b"),
        ("Lt", requiring(expressions(("cores", "Lt", ("9",)))), "a"),
        ("Lt, a sign", requiring(expressions(("cores", "Lt", ("+9",)))), ""),
        ("Gt, more than int64", requiring(expressions(("cores", "Gt", ("-9223372036854775809",)))), ""),
        ("expressions are all to hold", requiring(expressions(("disk", "Exists", ()), ("cores", "In", ("16",)))), "b"),
        (
            "one of the terms is to hold",
            requiring(expressions(("disk", "In", ("ssd",))), expressions(("cores", "In", ("many",)))),
            "ac",
        ),
        ("an empty term matches nothing", requiring(NodeSelectorTerm()), ""),
        ("an empty term beside another", requiring(NodeSelectorTerm(), expressions(("disk", "Exists", ()))), "ab"),
        ("a term that cannot be read beside another",
         requiring(expressions(("disk", "NotIn", ("no value!",))), expressions(("disk", "In", ("hdd",)))), "b"),
        ("a name", requiring(names(("In", "c"))), "c"),
        ("not a name", requiring(names(("NotIn", "c"))), "ab"),
        ("a name that does not exist", requiring(names(("In", "x"))), ""),
        ("nodeSelector", requiring(disk="hdd"), "b"),
        ("nodeSelector of two", requiring(disk="hdd", cores="8"), ""),
        ("nodeSelector and affinity", requiring(expressions(("cores", "Exists", ())), disk="ssd"), "a"),
    ],
)  # fmt: skip
def test_filter(name: str, pod: Pod, want: str) -> None:
    statuses = filtered(NodeAffinity(Affinity()), pod, three_nodes())
    assert statuses == [SUCCESS if node in want else NO_MATCH for node in "abc"]


def test_required_without_terms_matches_nothing() -> None:
    pod = make_pod("p").build()
    pod.node_affinity = Affinity(NodeSelector())
    plugin, nodes = NodeAffinity(Affinity()), three_nodes()
    assert plugin.pre_filter(CycleState(), pod, nodes).status == SUCCESS
    assert filtered(plugin, pod, nodes) == [NO_MATCH] * 3


@pytest.mark.parametrize(
    ("name", "pod", "status", "node_names"),
    [
        ("nothing asked", requiring(), "Skip", None),
        ("preferences only", preferring((1, names(("In", "a")))), "Skip", None),
        ("a nodeSelector", requiring(disk="ssd"), "Success", None),
        ("one name", requiring(names(("In", "a"))), "Success", {"a"}),
        ("names that need not exist", requiring(names(("In", "a")), names(("In", "x"))), "Success", {"a", "x"}),
        (
            "one term without a name",
            requiring(names(("In", "a")), expressions(("disk", "Exists", ()))),
            "Success",
            None,
        ),
        ("one term that excludes a name", requiring(names(("In", "a")), names(("NotIn", "b"))), "Success", None),
        ("an empty term", requiring(names(("In", "a")), NodeSelectorTerm()), "Success", None),
        ("the same name twice", requiring(names(("In", "a"), ("In", "a"))), "Success", {"a"}),
        ("two names at once", requiring(names(("In", "a"), ("In", "b"))), "UnschedulableAndUnresolvable", None),
        (
            "two names at once, or a third",
            requiring(names(("In", "a"), ("In", "b")), names(("In", "c"))),
            "Success",
            {"c"},
        ),
    ],
)
def test_pre_filter(name: str, pod: Pod, status: str, node_names: set[str] | None) -> None:
    result = NodeAffinity(Affinity()).pre_filter(CycleState(), pod, three_nodes())
    assert result.status.code.upstream_name == status
    assert result.status.reasons == (("pod affinity terms conflict",) if result.status.is_rejected else ())
    assert result.node_names == node_names


def added(
    required: NodeSelectorTerm | None = None, preferred: tuple[int, NodeSelectorTerm] | None = None
) -> NodeAffinity:
    """As the args of a configuration say it."""

    def term(compiled: NodeSelectorTerm) -> core.NodeSelectorTerm:
        def as_written(requirements: tuple[Requirement, ...]) -> tuple[core.NodeSelectorRequirement, ...]:
            return tuple(core.NodeSelectorRequirement(r.key, r.operator, r.values or None) for r in requirements)

        return core.NodeSelectorTerm(as_written(compiled.expressions), as_written(compiled.fields))

    affinity = core.V1NodeAffinity(
        core.NodeSelector((term(required),)) if required else None,
        (core.PreferredSchedulingTerm(preferred[0], term(preferred[1])),) if preferred else (),
    )
    return NodeAffinity.create(NodeAffinityArgs(affinity), NO_HANDLE)


SSD = expressions(("disk", "In", ("ssd",)))


def test_added_affinity_is_asked_first_and_of_every_pod() -> None:
    plugin, nodes = added(required=expressions(("disk", "Exists", ()))), three_nodes()
    assert plugin.pre_filter(CycleState(), make_pod("p").build(), nodes).status == SUCCESS
    assert filtered(plugin, make_pod("p").build(), nodes) == [SUCCESS, SUCCESS, ENFORCED]
    assert filtered(plugin, requiring(SSD), nodes) == [SUCCESS, NO_MATCH, ENFORCED]


def test_added_affinity_may_name_fields_that_nodes_do_not_have() -> None:
    field = NodeSelectorTerm(fields=(Requirement("spec.unknown", "NotIn", ("x",)),))
    assert filtered(added(required=field), make_pod("p").build(), three_nodes()) == [SUCCESS] * 3
    field = NodeSelectorTerm(fields=(Requirement("spec.unknown", "In", ("x",)),))
    assert filtered(added(required=field), make_pod("p").build(), three_nodes()) == [ENFORCED] * 3


@pytest.mark.parametrize(
    ("name", "plugin", "pod", "want"),
    [
        ("sum of weights", added(), preferring((5, SSD), (20, expressions(("cores", "Exists", ())))), [25, 20, 20]),
        ("by name", added(), preferring((7, names(("In", "b")))), [0, 7, 0]),
        ("an empty term adds nothing", added(), preferring((7, NodeSelectorTerm()), (1, SSD)), [1, 0, 0]),
        ("added", added(preferred=(3, SSD)), make_pod("p").build(), [3, 0, 0]),
        ("added to its own", added(preferred=(3, SSD)), preferring((4, SSD)), [7, 0, 0]),
        (
            "added without weight",
            added(preferred=(0, expressions(("x", "Gt", ("y",))))),
            preferring((4, SSD)),
            [4, 0, 0],
        ),
    ],
)
def test_score(name: str, plugin: NodeAffinity, pod: Pod, want: list[int]) -> None:
    assert scored(plugin, pod, three_nodes()) == want


def test_score_is_skipped_without_preferences() -> None:
    assert added().pre_score(CycleState(), requiring(SSD), three_nodes()).is_skip


@pytest.mark.parametrize(
    ("raw", "want"), [([0, 0], [0, 0]), ([1, 3], [33, 100]), ([2, 3], [66, 100]), ([5, 5], [100, 100])]
)
def test_normalize(raw: list[int], want: list[int]) -> None:
    assert normalized(added(), requiring(), three_nodes(), raw) == want


INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"
LABEL_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
    "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("name", "terms", "want"),
    [
        ("no integer", [expressions(("cores", "Gt", ("x",)))],
         f'[0].matchExpressions[0].values[0]: Invalid value: "x": {INTEGER}'),
        ("no label value", [SSD, expressions(("a/b", "In", ("ok", "no!")))],
         f'[1].matchExpressions[0].values[1][a/b]: Invalid value: "no!": {LABEL_RULE}'),
        ("both", [expressions(("cores", "Lt", ("x!",)))],
         f'[[0].matchExpressions[0].values[0]: Invalid value: "x!": {INTEGER}, '
         f'[0].matchExpressions[0].values[0][cores]: Invalid value: "x!": {LABEL_RULE}]'),
    ],
)  # fmt: skip
def test_preferences_that_cannot_be_read_fail_the_pod(name: str, terms: list[NodeSelectorTerm], want: str) -> None:
    pod = preferring(*((1, term) for term in terms))
    for step in (added().pre_score, added().score):  # without PreScore, Score says the same
        with pytest.raises(PluginError) as raised:
            step(CycleState(), pod, three_nodes())
        assert str(raised.value) == want


def labelled(**labels: str) -> Node:
    return make_node("n").labels(**labels).build()


@pytest.mark.parametrize(
    ("name", "plugin", "old", "new", "want"),
    [
        ("added, matches", added(), None, labelled(disk="ssd"), QueueingHint.QUEUE),
        ("added, does not", added(), None, labelled(), QueueingHint.SKIP),
        ("matches now", added(), labelled(disk="hdd"), labelled(disk="ssd"), QueueingHint.QUEUE),
        ("matched before", added(), labelled(disk="ssd"), labelled(disk="ssd", x="y"), QueueingHint.SKIP),
        ("matches no more", added(), labelled(disk="ssd"), labelled(), QueueingHint.SKIP),
        (
            "not what is enforced",
            added(expressions(("x", "Exists", ()))),
            None,
            labelled(disk="ssd"),
            QueueingHint.SKIP,
        ),
        (
            "what is enforced only now: not looked at",
            added(expressions(("x", "Exists", ()))),
            labelled(disk="ssd"),
            labelled(disk="ssd", x=""),
            QueueingHint.SKIP,
        ),
    ],
)  # fmt: skip
def test_hint(name: str, plugin: NodeAffinity, old: Node | None, new: Node, want: QueueingHint) -> None:
    action = ActionType.ADD if old is None else ActionType.UPDATE_NODE_LABEL
    assert hint(plugin, EventResource.NODE, action, requiring(SSD), old, new) == want


@pytest.mark.parametrize(("labels", "want"), [({}, QueueingHint.SKIP), ({"disk": "hdd"}, QueueingHint.QUEUE)])
def test_a_term_that_cannot_be_read_queues_the_pod(labels: dict[str, str], want: QueueingHint) -> None:
    """The nodeSelector is looked at first."""
    pod = requiring(expressions(("cores", "Gt", ("x",))), disk="hdd")
    assert hint(added(), EventResource.NODE, ActionType.ADD, pod, None, labelled(**labels)) == want


VALUE = st.sampled_from(["", "1", "7", "20", "x", "y!"])
REQUIREMENT = st.one_of(
    st.builds(
        Requirement, st.sampled_from("kl"), st.sampled_from(["In", "NotIn"]), st.lists(VALUE, min_size=1).map(tuple)
    ),
    st.builds(Requirement, st.sampled_from("kl"), st.sampled_from(["Exists", "DoesNotExist"])),
    st.builds(Requirement, st.sampled_from("kl"), st.sampled_from(["Gt", "Lt"]), st.tuples(VALUE)),
)
NAME = st.sampled_from(["n0", "n1", "x"])
FIELD = st.builds(Requirement, st.just("metadata.name"), st.sampled_from(["In", "NotIn"]), st.tuples(NAME))
TERM = st.builds(NodeSelectorTerm, st.lists(REQUIREMENT, max_size=2).map(tuple), st.lists(FIELD, max_size=1).map(tuple))


@given(
    st.lists(st.dictionaries(st.sampled_from("kl"), VALUE.filter(lambda v: v != "y!")), min_size=1, max_size=4),
    st.lists(TERM, max_size=3),
)
def test_columns_agree_with_single_nodes(labels: list[dict[str, str]], terms: list[NodeSelectorTerm]) -> None:
    nodes = cluster(make_node(f"n{i}").labels(**of_node) for i, of_node in enumerate(labels))
    selector = NodeSelector(tuple(terms))
    assert nodes_selected(selector, nodes).tolist() == [selector.matches(node.labels, node.name) for node in nodes]
    readable = [term for term in terms if not _unreadable(term)]
    weights = [PreferredSchedulingTerm(10**i, term) for i, term in enumerate(readable)]
    want = [sum(w.weight for w in weights if w.term.matches(node.labels, node.name)) for node in nodes]
    assert preference_weights(weights, nodes).tolist() == want


def _unreadable(term: NodeSelectorTerm) -> bool:
    return any(
        value == "y!" or (requirement.operator in ("Gt", "Lt") and not value.isdigit())
        for requirement in term.expressions
        for value in requirement.values
    )
