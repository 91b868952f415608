"""The estimated cost of expressions is upstream's, to the unit."""

from typing import Any

import pytest

from kube_apiserver.custom import declared
from kube_objects import expression_limits
from kube_objects.cel import costs, declarations, types
from kube_objects.cel.checking import Environment
from kube_objects.cel.ranges import MOST, Range
from tests.core.cel.rows import read


def estimate(rule: str, schema: Any) -> int:
    found = declared.declare(schema, is_root=False)
    assert found is not None
    root = declarations.with_names(found, "selfType")
    environment = Environment({"self": root.type, "oldSelf": root.type}, declarations.structures(root))
    cost = costs.estimated(rule, environment, declarations.sizes_in(root))
    assert cost is not None, "the rule isn't valid"
    return cost.most


@pytest.mark.parametrize("row", read("estimates_of_schemas"), ids=lambda row: row["name"])
def test_estimates_of_schemas(row: Any) -> None:
    (rule,) = row["schema"]["x-kubernetes-validations"]
    cost = estimate(rule["rule"], row["schema"])
    if "above" in row:
        assert cost >= row["above"]
    else:
        assert cost == row["cost"]


@pytest.mark.parametrize("row", read("estimated_costs"), ids=lambda row: row["name"])
def test_estimates_of_rules(row: Any) -> None:
    assert {rule: estimate(rule, row["schema"]) for rule in row["costs"]} == row["costs"]


LIBRARY_ROWS = read("library_costs")


@pytest.mark.parametrize("test", sorted({row["test"] for row in LIBRARY_ROWS}))
def test_estimates_of_functions(test: str) -> None:
    rows = [row for row in LIBRARY_ROWS if row["test"] == test]
    environment = Environment({"authorizer": types.named("kubernetes.authorization.Authorizer")}, {})

    def size_of(_: tuple[str, ...], type_: types.Type) -> Range | None:
        """Source: testCostEstimator."""
        return Range(0, 12) if type_.kind in ("string", "bytes") else None

    costs_of_rows = {row["expression"]: costs.estimated(row["expression"], environment, size_of) for row in rows}
    assert costs_of_rows == {row["expression"]: (row["least"], row["most"]) for row in rows}


@pytest.mark.parametrize("row", read("device_selectors"), ids=lambda row: row["name"])
def test_estimates_of_device_selectors(row: Any) -> None:
    cost = expression_limits.estimated(row["expression"])
    assert cost is not None
    assert cost.most == row["cost"]


ODD = [
    # Each `optMap` doubles what is before it.
    ("self.?a" + ".optMap(x, x)" * 40 + ".hasValue()", MOST),
    ("!" * 100_000 + "true", MOST),
    ("self.unknown == 1", None),
    ("self.a + 1 == 2", None),
    ("nothing(self)", None),
    ("self ==", None),
]


@pytest.mark.parametrize(("expression", "most"), ODD)
def test_expressions_without_an_estimate(expression: str, most: int | None) -> None:
    root = declarations.with_names(declarations.object_of({"a": declarations.STRING}), "selfType")
    environment = Environment({"self": root.type}, declarations.structures(root))
    cost = costs.estimated(expression, environment, declarations.sizes_in(root))
    assert (None if cost is None else cost.most) == most
