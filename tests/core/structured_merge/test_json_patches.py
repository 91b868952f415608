"""JSON patch and JSON merge patch: what RFC 6902 and RFC 7396 say, and what is too much."""

from typing import Any

import pytest

from structured_merge.json_patches import JSONPatchError, TooManyOperations, json_patch, merge_patch

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


@pytest.mark.parametrize(
    ("operations", "said"),
    [
        ({"op": "add"}, "a list of operations"),
        ([{"op": "test", "path": "/a", "value": 2}], r"^operations\[0\]: "),
        ([{"op": "add", "path": "/b", "value": 1}, {"op": "remove", "path": "/nope"}], r"^operations\[1\]: "),
        (["x"], r"^operations\[0\]: no JSON patch operation"),
        ([{"op": "copy", "path": "/b"}], r"^operations\[0\]: no JSON patch operation"),
        ([{"op": "fly", "path": "/a"}], r"^operations\[0\]: "),
    ],
)
def test_what_does_not_fit_is_told_by_its_number(operations: Any, said: str) -> None:
    with pytest.raises(JSONPatchError, match=said):
        json_patch({"a": 1}, operations)


def test_a_patch_is_bounded() -> None:
    with pytest.raises(TooManyOperations, match="maximum operations in a JSON patch is 10000, got 10001"):
        json_patch({}, [{"op": "add", "path": "/a", "value": 1}] * 10_001)
    doubling = [{"op": "copy", "from": "", "path": f"/c{number}"} for number in range(60)]
    with pytest.raises(JSONPatchError, match="copies make more than"):
        json_patch({"a": "x" * 1000}, doubling)
