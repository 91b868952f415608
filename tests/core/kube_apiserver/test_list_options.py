"""Which options of a list or a watch go together. Measured from kube-apiserver v1.36.2."""

from collections.abc import Callable

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.reads import list_options
from kube_objects.go_numbers import GoNumberError, parse_int, parse_uint

MATCH = "resourceVersionMatch"
SYNTAX, RANGE = "invalid syntax", "value out of range"
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


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        (parse_int, "0", 0),
        (parse_int, "+5", 5),
        (parse_int, "-007", -7),
        (parse_int, "9223372036854775807", 2**63 - 1),
        (parse_int, "-9223372036854775808", -(2**63)),
        (parse_int, "9223372036854775808", RANGE),
        (parse_int, "9" * 5000, RANGE),
        (parse_int, "", SYNTAX),
        (parse_int, "1_0", SYNTAX),
        (parse_int, "1e3", SYNTAX),
        (parse_int, " 1", SYNTAX),
        (parse_int, "1\n", SYNTAX),
        # Digits of another script, which Python reads.
        (parse_int, "\uff11\uff12", SYNTAX),
        (parse_uint, "18446744073709551615", 2**64 - 1),
        (parse_uint, "18446744073709551616", RANGE),
        (parse_uint, "+1", SYNTAX),
        (parse_uint, "-1", SYNTAX),
        (parse_uint, "\u0661", SYNTAX),
    ],
)
def test_numbers_as_go_reads_them(parse: Callable[[str], int], text: str, expected: int | str) -> None:
    if isinstance(expected, int):
        assert parse(text) == expected
        return
    with pytest.raises(GoNumberError, match=expected) as wrong:
        parse(text)
    assert str(wrong.value).startswith(f'strconv.{"ParseInt" if parse is parse_int else "ParseUint"}: parsing "')
