"""Label selectors, node selectors, tolerations: what they match, and upstream's words for those that are none."""

import pytest

from kube_objects.go_numbers import parse_int64
from kube_objects.selectors import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    Requirement,
    aggregate,
    term_errors,
)
from kube_objects.taints import Taint, Toleration, tolerates
from tests.conformance.testing import make_node

LABELS = {"app": "web", "cores": "16", "empty": "", "word": "x"}

REQUIREMENTS = [
    # key, operator, values, matches
    ("app", "In", ("api", "web"), True),
    ("app", "In", ("api",), False),
    ("none", "In", ("web",), False),
    ("empty", "In", ("",), True),
    ("app", "NotIn", ("api",), True),
    ("app", "NotIn", ("web",), False),
    ("none", "NotIn", ("web",), True),
    ("app", "Exists", (), True),
    ("empty", "Exists", (), True),
    ("none", "Exists", (), False),
    ("app", "DoesNotExist", (), False),
    ("none", "DoesNotExist", (), True),
    ("cores", "Gt", ("15",), True),
    ("cores", "Gt", ("16",), False),
    ("cores", "Lt", ("+17",), True),
    ("cores", "Lt", ("16",), False),
    ("cores", "Gt", ("-1",), True),
    ("word", "Gt", ("1",), False),
    ("none", "Lt", ("1",), False),
    ("cores", "Gt", ("x",), False),
    ("cores", "Gt", ("1", "2"), False),
    ("app", "Like", ("web",), False),
]


@pytest.mark.parametrize(("key", "operator", "values", "want"), REQUIREMENTS)
def test_requirements(key: str, operator: str, values: tuple[str, ...], want: bool) -> None:
    requirement = Requirement(key, operator, values)
    assert requirement.matches(LABELS) is want
    assert LabelSelector((requirement,)).matches(LABELS) is want


def test_a_selector_without_requirements_matches_everything() -> None:
    assert LabelSelector().matches({})


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("0", 0),
        ("-0", 0),
        ("+7", 7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", None),
        ("-9223372036854775808", -(2**63)),
        ("0" * 5000 + "1", 1),
        ("1" * 5000, None),
        ("", None),
        ("+", None),
        ("1_0", None),
        (" 1", None),
        ("1.0", None),
        ("\u0661", None),
    ],
)
def test_integers_as_go_reads_them(text: str, want: int | None) -> None:
    assert parse_int64(text) == want


NODE = make_node("n1").labels(**LABELS).build()
WEB = Requirement("app", "In", ("web",))
API = Requirement("app", "In", ("api",))
NOT_A_NUMBER = Requirement("cores", "Gt", ("many",))


def named(operator: str, *names: str) -> Requirement:
    return Requirement("metadata.name", operator, names)


NODE_SELECTORS = [
    # name, terms, matches
    ("no terms", (), False),
    ("an empty term matches nothing", (NodeSelectorTerm(),), False),
    ("expressions", (NodeSelectorTerm((WEB,)),), True),
    ("all expressions", (NodeSelectorTerm((WEB, API)),), False),
    ("one of the terms", (NodeSelectorTerm((API,)), NodeSelectorTerm((WEB,))), True),
    ("by name", (NodeSelectorTerm((), (named("In", "n1"),)),), True),
    ("another name", (NodeSelectorTerm((), (named("In", "n2"),)),), False),
    ("not by name", (NodeSelectorTerm((), (named("NotIn", "n2"),)),), True),
    ("expressions and name", (NodeSelectorTerm((API,), (named("In", "n1"),)),), False),
    ("two names make no selector", (NodeSelectorTerm((), (named("NotIn", "n2", "n3"),)),), False),
    ("a term that does not parse matches nothing", (NodeSelectorTerm((NOT_A_NUMBER,)),), False),
    ("and spoils no other", (NodeSelectorTerm((NOT_A_NUMBER,)), NodeSelectorTerm((WEB,))), True),
    ("an invalid value spoils its term", (NodeSelectorTerm((Requirement("none", "NotIn", ("a b",)),)),), False),
]


@pytest.mark.parametrize(("terms", "want"), [c[1:] for c in NODE_SELECTORS], ids=[c[0] for c in NODE_SELECTORS])
def test_node_selectors(terms: tuple[NodeSelectorTerm, ...], want: bool) -> None:
    assert NodeSelector(terms).matches(NODE.labels, NODE.name) is want
    assert any(term.matches(NODE.labels, NODE.name) for term in terms) is want


OPERATORS = '"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"'
LABEL_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
ERRORS = [
    (Requirement("a", "In", ("b",)), []),
    (
        Requirement("a", "Gt", ("x",)),
        [
            '[0].matchExpressions[0].values[0]: Invalid value: "x": '
            "for 'Gt', 'Lt' operators, the value must be an integer"
        ],
    ),
    (
        Requirement("a", "In", ()),
        ["[0].matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"],
    ),
    (
        Requirement("a", "Exists", ("b", "c")),
        [
            '[0].matchExpressions[0].values: Invalid value: ["b","c"]: '
            "values set must be empty for exists and does not exist"
        ],
    ),
    (Requirement("a", "In", ("b c",)), [f'[0].matchExpressions[0].values[0][a]: Invalid value: "b c": {LABEL_RULE}']),
    (
        Requirement("a", "Is", ("b",)),
        [f'[0].matchExpressions[0].operator: Unsupported value: "Is": supported values: {OPERATORS}'],
    ),
]


@pytest.mark.parametrize(("requirement", "want"), ERRORS)
def test_what_makes_no_selector(requirement: Requirement, want: list[str]) -> None:
    assert list(term_errors(NodeSelectorTerm((requirement,)), "[0]")) == want


def test_what_makes_no_field_selector() -> None:
    term = NodeSelectorTerm((), (named("In"), named("Exists")))
    assert term_errors(term, "[1]") == (
        "[1].matchFields[0].values: Invalid value: null: must have one element",
        '[1].matchFields[1].operator: Unsupported value: "Exists": supported values: "In", "NotIn"',
    )


@pytest.mark.parametrize(
    ("errors", "want"), [(["a"], "a"), (["a", "b"], "[a, b]"), (["a", "a"], "a"), (["b", "a", "b"], "[b, a]")]
)
def test_several_errors_as_one(errors: list[str], want: str) -> None:
    assert aggregate(errors) == want


GPU = Taint("gpu", "a100", "NoSchedule")
TOLERATIONS = [
    (Toleration("gpu", "Equal", "a100", "NoSchedule"), True),
    (Toleration("gpu", "", "a100", "NoSchedule"), True),
    (Toleration("gpu", "Equal", "a100"), True),
    (Toleration("gpu", "Equal", "t4"), False),
    (Toleration("gpu", "Exists"), True),
    (Toleration("gpu", "Exists", "", "NoExecute"), False),
    (Toleration("", "Exists"), True),
    (Toleration("disk", "Exists"), False),
]


@pytest.mark.parametrize(("toleration", "want"), TOLERATIONS)
def test_tolerations(toleration: Toleration, want: bool) -> None:
    assert tolerates(toleration, GPU) is want


NUMBERS = [
    # operator, value of the toleration, value of the taint, tolerated while the feature gate is on
    ("Gt", "5", "20", True),
    ("Gt", "20", "20", False),
    ("Lt", "21", "20", True),
    ("Lt", "-5", "-6", True),
    ("Gt", "9223372036854775806", "9223372036854775807", True),
    ("Gt", "5", "9223372036854775808", False),
    ("Lt", "9223372036854775808", "5", False),
    ("Gt", "05", "20", False),
    ("Gt", "+5", "20", False),
    ("Gt", "-0", "20", False),
    ("Gt", "5", "1_0", False),
    ("Gt", "", "20", False),
    ("Ge", "5", "20", False),
]


@pytest.mark.parametrize(("operator", "value", "taint", "want"), NUMBERS)
def test_tolerations_that_compare_numbers(operator: str, value: str, taint: str, want: bool) -> None:
    toleration, tainted = Toleration("size", operator, value), Taint("size", taint)
    assert tolerates(toleration, tainted, comparison_operators=True) is want
    assert not tolerates(toleration, tainted)
