"""Strategic merge patches against upstream's cases: made of two and of three objects, and applied."""

import copy
from typing import Any

import pytest

from kube_apiserver.structured_merge.strategic import (
    PatchConflict,
    PatchError,
    PatchType,
    apply_patch,
    three_way_patch,
    two_way_patch,
)
from kube_apiserver.structured_merge.strategic.directives import (
    DELETE_FROM_LIST,
    MARKER,
    RETAIN_KEYS,
    SET_ORDER,
    format_value,
)
from kube_apiserver.structured_merge.strategic.ordering import drop_duplicates
from kube_apiserver.structured_merge.values import are_equal
from tests.core.structured_merge.cases import load, name_of

CASES = load("strategic.json")
Case = dict[str, Any]

_TEXT = {"type": "string"}
_NUMBERS = {"type": "array", "items": {"type": "integer"}}
_ITEMS = {"type": "array", "items": {"$ref": "#/components/schemas/item"}}
_MERGES = {"x-kubernetes-patch-strategy": "merge"}
_BY_NAME = {**_MERGES, "x-kubernetes-patch-merge-key": "name"}
SCHEMAS: dict[str, Any] = {
    "item": {
        "properties": {
            **dict.fromkeys(("name", "value", "other"), _TEXT),
            "mergingList": {**_ITEMS, **_BY_NAME},
            "nonMergingList": _ITEMS,
            "mergingIntList": {**_NUMBERS, **_MERGES},
            "nonMergingIntList": _NUMBERS,
            "mergeItemPtr": {"allOf": [{"$ref": "#/components/schemas/item"}], **_BY_NAME},
            "simpleMap": {"type": "object", "additionalProperties": _TEXT},
            "replacingItem": {"$ref": "#/components/schemas/raw", "x-kubernetes-patch-strategy": "replace"},
            "retainKeysMap": {
                "allOf": [{"$ref": "#/components/schemas/retained"}],
                "x-kubernetes-patch-strategy": "retainKeys",
            },
            "retainKeysMergingList": {**_ITEMS, **_BY_NAME, "x-kubernetes-patch-strategy": "merge,retainKeys"},
            "jsonItem": {"description": "Anything."},
        }
    },
    "retained": {
        "properties": {
            **dict.fromkeys(("name", "value", "other"), _TEXT),
            "simpleMap": {"type": "object", "additionalProperties": _TEXT},
            "mergingList": {**_ITEMS, **_BY_NAME},
            "nonMergingList": _ITEMS,
            "mergingIntList": {**_NUMBERS, **_MERGES},
        }
    },
    "raw": {"properties": {"Raw": _TEXT}},
    "precise": {
        "properties": {name: {"type": "number"} for name in ("int32", "int64", "float32", "float64")} | {"name": _TEXT}
    },
}
ITEM = PatchType.named(SCHEMAS, "item")


def normal(value: Any, kind: PatchType = ITEM) -> Any:
    """With merging lists in order of their keys: what upstream's test does to the cases first."""
    if not isinstance(value, dict):
        return value
    found = {}
    for name, item in value.items():
        if name == RETAIN_KEYS or name.startswith(DELETE_FROM_LIST):
            item = sorted(item, key=format_value)
        elif isinstance(item, dict) and name != MARKER:
            item = normal(item, kind.field(name)[0])
        elif isinstance(item, list) and not name.startswith(SET_ORDER):
            inner, strategy = kind.items(name)
            if strategy.name == "merge":
                item = _sorted(item, inner, strategy.merge_key)
        found[name] = item
    return found


def _sorted(items: list[Any], kind: PatchType, merge_key: str) -> list[Any]:
    if items and isinstance(items[0], dict):
        return sorted((normal(item, kind) for item in items), key=lambda item: format_value(item.get(merge_key)))
    return sorted(drop_duplicates(items), key=format_value)


def check_two_way(case: Case) -> None:
    original, modified = case.get("original") or {}, case.get("modified") or {}
    patch = two_way_patch(original, modified, ITEM)
    assert are_equal(patch, case.get("twoWay") or {})
    check_applied(original, patch, case.get("twoWayResult") or modified, case.get("expectedError"))


def check_three_way(case: Case) -> None:
    original, modified, current = (case.get(name) or {} for name in ("original", "modified", "current"))
    conflicts = "conflict" in case["description"] or not case.get("result")
    try:
        patch = three_way_patch(original, modified, current, ITEM, overwrite=False)
        assert not conflicts
    except PatchConflict:
        assert "conflict" in case["description"]
        if not case.get("result"):
            return
        patch = three_way_patch(original, modified, current, ITEM, overwrite=True)
    assert are_equal(patch, case.get("threeWay") or {})
    check_applied(current, patch, case["result"], case.get("expectedError"))


def check_applied(original: Case, patch: Case, want: Case, error: str | None, kind: PatchType = ITEM) -> None:
    before = copy.deepcopy((original, patch))
    if error:
        with pytest.raises(PatchError, match=error):
            apply_patch(original, patch, kind)
    else:
        assert are_equal(apply_patch(original, patch, kind), want)
    assert are_equal([original, patch], list(before))


def normalised(case: Case) -> Case:
    return {name: normal(value) if isinstance(value, dict) else value for name, value in case.items()}


@pytest.mark.parametrize("case", CASES["sort"], ids=name_of)
def test_cases_are_made_normal_as_upstream_makes_them(case: Case) -> None:
    kind = dict(SCHEMAS["item"]["properties"])
    kind["mergeItemPtr"] = kind["mergingList"]
    schemas = {**SCHEMAS, "item": {"properties": kind}}
    assert normal(case["original"], PatchType.named(schemas, "item")) == case["sorted"]


@pytest.mark.parametrize("case", CASES["custom"], ids=name_of)
def test_patches_written_by_hand(case: Case) -> None:
    case = normalised(case)
    check_applied(
        case.get("original") or {}, case["twoWay"], case.get("twoWayResult") or case.get("modified") or {}, None
    )


@pytest.mark.parametrize("case", CASES["customRaw"], ids=name_of)
def test_patches_written_by_hand_in_their_order(case: Case) -> None:
    want = case.get("twoWayResult") or case.get("modified") or {}
    check_applied(case.get("original") or {}, case["twoWay"], want, case.get("expectedError"))


@pytest.mark.parametrize("case", CASES["create"], ids=name_of)
def test_patches_made_of_two_and_of_three(case: Case) -> None:
    check_two_way(normalised(case))
    check_three_way(normalised(case))


@pytest.mark.parametrize("case", CASES["createRaw"] + CASES["replaceRaw"], ids=name_of)
def test_patches_made_in_their_order(case: Case) -> None:
    check_two_way(case)
    check_three_way(case)


@pytest.mark.parametrize("case", CASES["unknownFields"], ids=name_of)
def test_fields_that_the_schema_does_not_know(case: Case) -> None:
    original, current, modified = case["original"], case["current"], case["modified"]
    if error := case.get("expectedTwoWayErr"):
        with pytest.raises(PatchError, match=error):
            two_way_patch(original, modified, ITEM)
    else:
        patch = two_way_patch(original, modified, ITEM)
        assert are_equal(patch, case["expectedTwoWay"])
        check_applied(original, patch, case["expectedTwoWayResult"], None)
    if error := case.get("expectedThreeWayErr"):
        with pytest.raises(PatchError, match=error):
            three_way_patch(original, modified, current, ITEM, overwrite=False)
    else:
        patch = three_way_patch(original, modified, current, ITEM, overwrite=False)
        assert are_equal(patch, case["expectedThreeWay"])
        check_applied(current, patch, case["expectedThreeWayResult"], None)


@pytest.mark.parametrize("case", CASES["numbers"], ids=name_of)
def test_numbers_stay_as_they_are(case: Case) -> None:
    kind = PatchType.named(SCHEMAS, "precise")
    patch = two_way_patch(case["old"], case["new"], kind)
    assert patch == case["expectedPatch"]
    check_applied(case["old"], patch, case["expectedResult"], None, kind)
