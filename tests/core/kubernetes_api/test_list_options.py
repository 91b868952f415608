"""Which options of a list or a watch go together. Measured from kube-apiserver v1.36.2."""

import pytest

from kubernetes_api.errors import ApiError
from kubernetes_api.reads import list_options

MATCH = "resourceVersionMatch"
NO_VERSION = f"{MATCH}: Forbidden: {MATCH} is forbidden unless resourceVersion is provided"
NO_TOKEN = f"{MATCH}: Forbidden: {MATCH} is forbidden when continue is provided"
CASES: list[tuple[str, bool, dict[str, str], list[str]]] = [
    ("nothing", False, {}, []),
    ("a match and a version", False, {MATCH: "Exact", "resourceVersion": "5"}, []),
    ("a match alone", False, {MATCH: "NotOlderThan"}, [NO_VERSION]),
    ("a match beside a token", False, {MATCH: "Exact", "resourceVersion": "5", "continue": "x"}, [NO_TOKEN]),
    (
        "an unknown match",
        False,
        {MATCH: "Odd", "resourceVersion": "1"},
        [f'{MATCH}: Unsupported value: "Odd": supported values: "Exact", "NotOlderThan", ""'],
    ),
    (
        "exactly any",
        False,
        {MATCH: "Exact", "resourceVersion": "0"},
        [f'{MATCH}: Forbidden: {MATCH} "exact" is forbidden for resourceVersion "0"'],
    ),
    (
        "a list with first events",
        False,
        {"sendInitialEvents": "false"},
        ["sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
    ),
    ("a watch", True, {"resourceVersion": "5", "sendInitialEvents": ""}, []),
    ("a watch with first events", True, {"sendInitialEvents": "true", MATCH: "NotOlderThan"}, []),
    (
        "a watch with first events at a version",
        True,
        {"sendInitialEvents": "true", MATCH: "Exact", "resourceVersion": "5"},
        [
            f"{MATCH}: Forbidden: sendInitialEvents requires setting {MATCH} to NotOlderThan",
            f'{MATCH}: Unsupported value: "Exact": supported values: "NotOlderThan"',
        ],
    ),
    (
        "a watch with a match alone",
        True,
        {MATCH: "NotOlderThan"},
        [f"{MATCH}: Forbidden: {MATCH} is forbidden for watch unless sendInitialEvents is provided"],
    ),
]


@pytest.mark.parametrize(
    ("name", "is_watch", "given", "want"), CASES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_options_of_a_list(name: str, is_watch: bool, given: dict[str, str], want: list[str]) -> None:
    told = []
    try:
        list_options.check(given, is_watch=is_watch)
    except ApiError as refused:
        told = [f"{each['field']}: {each['message']}" for each in refused.status["details"]["causes"]]
        assert str(refused).startswith('ListOptions.meta.k8s.io "" is invalid: ')
    assert told == want
