"""A server refuses definitions whose rules can cost too much, in upstream's words."""

import copy
from typing import Any

import pytest

from kube_apiserver.custom import checking, definitions, rule_costs, structural
from kube_apiserver.custom.rule_costs import Limits, SchemaContext, Total
from kube_objects.cel.ranges import MOST
from tests.core.cel.rows import read

Object = dict[str, Any]
# Other errors of the rows are about types, which aren't checked.
COMPARED = ("cost", "oldSelf cannot be used", "if oldSelf is not used")
ROOT = "spec.validation.openAPIV3Schema"


@pytest.mark.parametrize("row", read("definitions"), ids=lambda row: row["name"])
def test_rows_of_upstream(row: Any) -> None:
    limits = Limits.TOTAL if row.get("unchanged") else Limits.ALL
    found = structural.problems(row["schema"], ROOT, limits)
    errors = [[cause["field"], cause["message"]] for cause in found]
    assert sorted(each for each in errors if any(part in each[1] for part in COMPARED)) == sorted(row["errors"])


def array(most: int | None = None) -> Object:
    return {"type": "array", "items": {"type": "string"}, **({} if most is None else {"maxItems": most})}


def map_of_texts(most: int | None = None) -> Object:
    return {"type": "object", "additionalProperties": {}, **({} if most is None else {"maxProperties": most})}


OBJECT: Object = {"type": "object"}
# Source: TestCostInfo.
OCCURRENCES = [
    ([OBJECT], 1),
    ([array(5)], 5),
    ([array()], None),
    ([map_of_texts(10)], 10),
    ([map_of_texts()], None),
    ([map_of_texts(5), array(5)], 25),
    ([map_of_texts(5), array()], None),
    ([array(3), OBJECT], 3),
    ([array(2), OBJECT, map_of_texts(4)], 8),
    ([array(2**63 - 1), array(100)], MOST),
]


@pytest.mark.parametrize(("schemas", "occurrences"), OCCURRENCES)
def test_how_often_a_value_can_occur(schemas: list[Object], occurrences: int | None) -> None:
    place = SchemaContext.of_root(schemas[0])
    for schema in (*schemas[1:], {"type": "string"}):
        place = place.below("@items", schema)
    assert place.occurrences == occurrences


# Source: TestPerCRDEstimatedCost.
TOTALS = [
    ([], [], 0),
    ([1000000], [1000000], 1000000),
    ([900000], [], 900000),
    ([5000000, 25000000], [25000000, 5000000], 30000000),
    ([5000000, 25000000, 900000], [25000000, 5000000], 30900000),
    ([16000000, 50000000, 34000000, 50000000], [50000000, 50000000, 34000000, 16000000], 150000000),
    (
        [16000000, 50000000, 900000, 34000000, 50000000, 50000001],
        [50000001, 50000000, 50000000, 34000000],
        200900001,
    ),
    ([MOST // 2, MOST // 2, 1, 10, 100, 1000], [MOST // 2, MOST // 2], MOST),
]


@pytest.mark.parametrize(("costs", "expensive", "whole"), TOTALS)
def test_totals(costs: list[int], expensive: list[int], whole: int) -> None:
    total = Total()
    for cost in costs:
        total.add("", cost)
    assert [cost for cost, _ in total.expensive] == expensive
    assert total.cost == whole


def definition(rule: str, items: Object) -> Object:
    schema = {"type": "object", "properties": {"list": {"type": "array", "items": items, **rules(rule)}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "tests", "singular": "test", "kind": "Test", "listKind": "TestList"}
    conversion = {"strategy": "None"}
    spec = {"group": "x.io", "scope": "Namespaced", "names": names, "versions": [version], "conversion": conversion}
    return {"metadata": {"name": "tests.x.io"}, "spec": spec}


def rules(rule: str) -> Object:
    return {"x-kubernetes-validations": [{"rule": rule}]}


SLOW = definition("self.all(x, self.all(y, x == y))", {"type": "string"})
AT = f"{ROOT}.properties[list].x-kubernetes-validations[0].rule"
TOO_MUCH = (
    "exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and "
    "maxLength where arrays, maps, and strings are declared)"
)


def test_a_new_definition_keeps_both_limits() -> None:
    assert [(cause["field"], cause["message"]) for cause in checking.problems(SLOW)] == [
        (AT, f"Forbidden: estimated rule cost {TOO_MUCH}"),
        (AT, "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"),
        (
            ROOT,
            f"Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema {TOO_MUCH}",
        ),
    ]


def test_a_factor_has_few_digits() -> None:
    """Source: getCostErrorMessage."""
    rule = "self.all(x, true)"
    costly = definition(rule, {"type": "integer"})
    costly["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["list"]["x-kubernetes-validations"] = [
        {"rule": f"{rule} && {rule} && {rule}"},
        {"rule": " && ".join([rule] * 6)},
    ]
    factors = [cause["message"].partition("factor of ")[2].split(" ")[0] for cause in checking.problems(costly)]
    assert factors == ["1.415577x", "2.8x"]


def test_an_update_keeps_the_limit_of_a_rule_only_where_the_schema_changes() -> None:
    live = definition("self.all(x, self.all(y, true))", {"type": "object", "maxProperties": 3})
    schema = live["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["list"]["maxItems"] = 4000
    changed = copy.deepcopy(live)
    changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = "changed"
    renamed = copy.deepcopy(live)
    renamed["spec"]["names"]["shortNames"] = ["t"]
    assert [cause["field"] for cause in checking.changed(live, changed)] == [AT]
    assert not list(checking.changed(live, renamed))


def test_a_stored_definition_is_served_whatever_it_costs() -> None:
    stored = definitions.with_status({**SLOW, "metadata": {"name": "tests.x.io", "creationTimestamp": None}})
    assert [resource.name for resource in definitions.resources([stored])] == ["tests"]


def test_a_schema_that_is_nested_too_deeply_has_no_estimate() -> None:
    schema: Object = {"type": "string"}
    for _ in range(400):
        schema = {"type": "array", "items": schema}
    place = rule_costs.SchemaContext.of_root({**schema, **rules("true")})
    assert place.declared is None
