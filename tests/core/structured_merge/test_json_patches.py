"""JSON patch and JSON merge patch: what RFC 7396 and upstream's library say, and what is too much."""

from typing import Any

import pytest

from kube_apiserver.structured_merge.json_patches import JSONPatchError, TooManyOperations, json_patch, merge_patch

# Source: RFC 7396, appendix A: (original, patch, result).
MERGES: list[tuple[Any, Any, Any]] = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ({"a": [{"b": "c"}]}, {"a": [{"z": 1, "b": None, "c": [{"d": None}]}, None]}, {"a": [{"c": [{}], "z": 1}, None]}),
    ({"a": {"b": "c"}}, {"a": [{"b": None}]}, {"a": [{"b": None}]}),
    ({"a": "c"}, {"a": [{"b": None}]}, {"a": [{}]}),
]


@pytest.mark.parametrize(("original", "patch", "want"), MERGES)
def test_merge_patch(original: Any, patch: Any, want: Any) -> None:
    assert merge_patch(original, patch) == want


def test_operations_in_their_order() -> None:
    document = {"spec": {"replicas": 1, "list": ["a", "b"]}}
    operations = [
        {"op": "test", "path": "/spec/replicas", "value": 1},
        {"op": "replace", "path": "/spec/replicas", "value": 2},
        {"op": "add", "path": "/spec/list/-", "value": "c"},
        {"op": "remove", "path": "/spec/list/0"},
        {"op": "copy", "from": "/spec/list", "path": "/spec/copied"},
        {"op": "move", "from": "/spec/copied", "path": "/moved"},
    ]
    assert json_patch(document, operations) == {"spec": {"replicas": 2, "list": ["b", "c"]}, "moved": ["b", "c"]}
    assert document == {"spec": {"replicas": 1, "list": ["a", "b"]}}


# What RFC 6902 does not have; measured from kube-apiserver v1.36.2. (operation on {"a": 1, "l": ["x", "y"]}, result).
LENIENT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"op": "test", "path": "/nope", "value": None}, {"a": 1, "l": ["x", "y"]}),
    ({"op": "test", "path": "/nope"}, {"a": 1, "l": ["x", "y"]}),
    ({"op": "replace", "path": "/nope", "value": 2}, {"a": 1, "l": ["x", "y"], "nope": 2}),
    ({"op": "copy", "from": "/nope", "path": "/b"}, {"a": 1, "l": ["x", "y"], "b": None}),
    ({"op": "add", "path": "/b"}, {"a": 1, "l": ["x", "y"], "b": None}),
    ({"op": "remove", "path": "/l/-1"}, {"a": 1, "l": ["x"]}),
    ({"op": "replace", "path": "/l/-2", "value": "z"}, {"a": 1, "l": ["z", "y"]}),
    ({"op": "add", "path": "/l/-1", "value": "z"}, {"a": 1, "l": ["x", "y", "z"]}),
    ({"op": "add", "path": "/l/-3", "value": "z"}, {"a": 1, "l": ["z", "x", "y"]}),
    ({"op": "replace", "path": "", "value": {"b": 2}}, {"b": 2}),
    ({"op": "add", "path": "/a~1b~0", "value": 2}, {"a": 1, "l": ["x", "y"], "a/b~": 2}),
]


@pytest.mark.parametrize(("operation", "want"), LENIENT)
def test_a_field_that_is_not_there_is_null_and_lists_count_from_their_end(
    operation: dict[str, Any], want: dict[str, Any]
) -> None:
    assert json_patch({"a": 1, "l": ["x", "y"]}, [operation]) == want


def test_what_was_added_twice_is_changed_once() -> None:
    value: dict[str, Any] = {"b": []}
    operations = [
        {"op": "add", "path": "/one", "value": value},
        {"op": "copy", "from": "/one", "path": "/two"},
        {"op": "add", "path": "/two/b/-", "value": 1},
    ]
    assert json_patch({}, operations) == {"one": {"b": []}, "two": {"b": [1]}}
    assert value == {"b": []}


NOWHERE = "^add operation does not apply: doc is missing path: .*: missing value$"


@pytest.mark.parametrize(
    ("operations", "said"),
    [
        ({"op": "add"}, "a list of operations"),
        ([{"op": "test", "path": "/a", "value": 2}], "^testing value /a failed: test failed$"),
        (
            [{"op": "add", "path": "/b", "value": 1}, {"op": "remove", "path": "/nope"}],
            "^error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value$",
        ),
        (["x"], "^Unexpected kind: None"),
        ([{"op": "copy", "path": "/b"}], "^copy operation failed to decode from: missing value$"),
        ([{"op": "fly", "path": "/a"}], "^Unexpected kind: fly"),
        ([{"op": "add", "path": "", "value": {}}], NOWHERE),
        ([{"op": "add", "path": "b", "value": 1}], NOWHERE),
        ([{"op": "add", "path": "/a/b", "value": 1}], NOWHERE),
        ([{"op": "add", "path": 5, "value": 1}], "^add operation failed to decode path: missing value$"),
        ([{"op": "test", "path": "/a", "value": True}], "^testing value /a failed: test failed$"),
        ([{"op": "test", "path": "/a"}], "^testing value /a failed: test failed$"),
        ([{"op": "replace", "path": "", "value": 7}], "^replace operation value must be object or array$"),
        (
            [{"op": "move", "from": "/nope", "path": "/b"}],
            "^error in move for path: 'nope': Unable to remove nonexistent key: nope: missing value$",
        ),
        (
            [{"op": "add", "path": "/l", "value": [1]}, {"op": "add", "path": "/l/2", "value": 1}],
            "^error in add for path: '/l/2': Unable to access invalid index: 2: invalid index referenced$",
        ),
        (
            [{"op": "add", "path": "/l", "value": [1]}, {"op": "remove", "path": "/l/-2"}],
            "^error in remove for path: '/l/-2': Unable to access invalid index: -2: invalid index referenced$",
        ),
        (
            [{"op": "add", "path": "/l", "value": [1]}, {"op": "replace", "path": "/l/x", "value": 1}],
            "^replace operation does not apply: doc is missing key: /l/x: missing value$",
        ),
    ],
)
def test_what_does_not_fit_is_told_as_upstream_tells_it(operations: Any, said: str) -> None:
    with pytest.raises(JSONPatchError, match=said):
        json_patch({"a": 1}, operations)


def test_a_patch_is_bounded() -> None:
    with pytest.raises(TooManyOperations, match="maximum operations in a JSON patch is 10000, got 10001"):
        json_patch({}, [{"op": "add", "path": "/a", "value": 1}] * 10_001)
    doubling = [{"op": "copy", "from": "/a", "path": f"/a/c{number}"} for number in range(60)]
    with pytest.raises(JSONPatchError, match="copies make more than"):
        json_patch({"a": {"b": "x" * 1000}}, doubling)
