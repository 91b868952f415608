"""Both ways to read a text: they mean the same by it, stop at the same limits, and say the same line."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kube_objects.text.errors import JSONError, LimitError, TextError, YAMLError
from kube_objects.text.limits import Limits
from kube_objects.text.node import compact
from kube_objects.text.paths import child, enclosing
from kube_objects.text.read import documents, is_json, node_or_none, source
from kube_objects.text.yaml_writer import dump_yaml

LIMITS = Limits(bytes=2000, depth=6, values=50)

TEXTS = [
    # name, text
    ("scalars of YAML 1.1", "a: on\nb: 010\nc: 08\nd: 1_000\ne: ~\nf: 0x1F\ng: 2001-01-01\nh: .5\ni: 1e3\nj: 'on'"),
    ("keys of other types", "1: a\ntrue: b\n"),
    ("an anchor, used twice", "a: &x {b: 1}\nc: *x\nd: [*x, 2]"),
    ("merged mappings", "base: &x {a: 1, b: 2}\nmine: {<<: *x, b: 3}"),
    ("several merged at once", "x: &x {a: 1}\ny: &y {a: 2, b: 2}\nz: {<<: [*x, *y]}"),
    ("text blocks", "a: |\n  one\n  two\nb: >-\n  one\n  two\n"),
    ("tags", "a: !!str 1\nb: !!int '2'\nc: !!float 3\nd: !!binary aGk=\n"),
    ("an empty text", ""),
    ("only a comment", "# nothing\n"),
    ("JSON", '{"a": [1, 2.5, null, true, "\\u00e4"], "b": {}}'),
    ("half a surrogate pair", '{"a": "\\ud800"}'),
    ("flow and block", "a: [1, {b: c}]\nd:\n- e\n- f: g"),
]


def by_value(text: str) -> Any:
    return next((document.value for document in documents(text, LIMITS)), None)


def by_node(text: str) -> Any:
    return json.loads(compact(source(text, LIMITS).root))


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_both_readers_mean_the_same(name: str, text: str) -> None:
    assert by_value(text) == by_node(text)


_SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8"), max_size=8)
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc-", min_size=1), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.text("abc"), _VALUES, min_size=1, max_size=3))
def test_what_was_written_is_read_by_both(value: Any) -> None:
    limits = Limits()
    for text in (dump_yaml(value), json.dumps(value)):
        (document,) = documents(text, limits)
        assert document.value == json.loads(compact(source(text, limits).root)) == value


WRONG = [
    # name, text, kind of error, line of the values' reader, line of the tree's reader, our rule
    ("a tab", "a: 1\n\tb: 2\n", YAMLError, 2, "is not valid YAML: found a tab character that violates indentation"),
    ("an unknown anchor", "a: 1\nb: *x\n", YAMLError, 2, "unknown anchor 'x' referenced"),
    ("too deep", "a: [[[[[[1]]]]]]\n", LimitError, 1, "nested more than 6 levels deep"),
    ("too much", "a:\n" + "- 1\n" * 60, LimitError, 49, "more than 50 values"),
    (
        "too much by an anchor",
        "a: &x [1, 2, 3, 4, 5, 6, 7, 8, 9]\nb: [*x, *x, *x, *x, *x]\n",
        LimitError,
        2,
        "more than 50 values",
    ),
    (
        "a merge of no mapping",
        "a: 1\nb: {<<: 2}\n",
        YAMLError,
        2,
        "map merge requires map or sequence of maps as the value",
    ),
]


@pytest.mark.parametrize(("name", "text", "kind", "line", "rule"), WRONG)
def test_both_readers_stop_at_the_same_line(name: str, text: str, kind: type[TextError], line: int, rule: str) -> None:
    for read in (lambda: list(documents(text, LIMITS)), lambda: source(text, LIMITS)):
        with pytest.raises(kind) as raised:
            read()
        assert (raised.value.rule, raised.value.line) == (rule, line)
    assert node_or_none(text, LIMITS) is None


def test_the_tree_speaks_upstreams_words() -> None:
    with pytest.raises(YAMLError) as raised:
        source("a: 1\n\tb: 2\n", LIMITS)
    assert str(raised.value) == "yaml: line 2: found a tab character that violates indentation"
    with pytest.raises(JSONError) as refused:
        source('{"a": tru}', LIMITS)
    assert str(refused.value) == "invalid character '}' in literal true (expecting 'e')"


@pytest.mark.parametrize(
    ("text", "want"),
    [("{}", True), (" \n\t{", True), ("\u00a0\u3000{", True), ("\x1c{", False), ("[]", False), ("", False)],
)
def test_what_upstream_takes_for_json(text: str, want: bool) -> None:
    assert is_json(text) is want


def test_a_text_that_is_too_long_is_not_begun() -> None:
    assert node_or_none("#" * (LIMITS.bytes + 1), LIMITS) is None


def test_paths() -> None:
    assert [child("", "a"), child("a", "b"), child("a", "b.c/d")] == ["a", "a.b", "a[b.c/d]"]
    assert list(enclosing("a.b[2].c")) == ["a.b[2].c", "a.b[2]", "a.b", "a", ""]
