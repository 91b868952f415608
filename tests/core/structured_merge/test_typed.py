"""Typed values against upstream's cases: validated, merged, compared, taken apart."""

from typing import Any

import pytest

from kube_apiserver.structured_merge.typed import TypeMismatch, compare, extract, merge, remove, to_field_set
from kube_apiserver.structured_merge.updating import reconcile
from kube_apiserver.structured_merge.values import are_equal
from tests.core.structured_merge.cases import Cases, fields, name_of

CASES = Cases("typed.json")
Case = dict[str, Any]


def each(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", CASES.of(kind), ids=name_of)


@each("validate")
def test_fits_its_type_or_does_not(case: Case) -> None:
    if case["duplicates"]:
        CASES.typed(case, "object", duplicates=True)
    if case["valid"]:
        CASES.typed(case, "object")
    else:
        with pytest.raises(TypeMismatch) as caught:
            CASES.typed(case, "object")
        assert "invalid atom" not in str(caught.value)


@each("fieldset")
def test_fields_that_are_set(case: Case) -> None:
    assert to_field_set(CASES.typed(case, "object", duplicates=True)) == fields(case["set"])


@each("merge")
def test_merged(case: Case) -> None:
    live, applied = CASES.typed(case, "lhs", duplicates=True), CASES.typed(case, "rhs")
    want = CASES.typed(case, "out", duplicates=True)
    assert are_equal(merge(live, applied).value, want.value)


@each("compare")
def test_compared_both_ways(case: Case) -> None:
    old, new = CASES.typed(case, "lhs", duplicates=True), CASES.typed(case, "rhs", duplicates=True)
    there, back = compare(old, new), compare(new, old)
    want = [fields(case[name]) for name in ("removed", "modified", "added")]
    assert [there.removed, there.modified, there.added] == want
    assert [back.added, back.modified, back.removed] == want


@each("remove")
def test_removed_and_extracted(case: Case) -> None:
    live, chosen = CASES.typed(case, "object"), fields(case["set"])
    if case["removed"] != "unparseable":
        assert are_equal(remove(live, chosen).value, case["removed"])
    if case["extracted"] != "unparseable":
        assert are_equal(extract(live, chosen).value, case["extracted"])


@each("reversible")
def test_what_was_applied_can_be_extracted_again(case: Case) -> None:
    applied = CASES.typed(case, "applied")
    merged = merge(CASES.typed(case, "object"), applied)
    assert are_equal(extract(merged, to_field_set(applied).leaves()).value, applied.value)


@each("extract with keys")
def test_extracted_with_the_keys_of_items(case: Case) -> None:
    live = CASES.typed(case, "object")
    assert are_equal(extract(live, fields(case["set"]), with_keys=True).value, case["extracted"])


@each("reconcile")
def test_reconciled_with_a_new_schema(case: Case) -> None:
    fixed = reconcile(fields(case["old"]), CASES.typed(case, "object"))
    assert fixed == (None if case["fixed"] is None else fields(case["fixed"]))
