"""The estimated cost of the rules in a schema, which a server checks before it accepts a CustomResourceDefinition.

Source: apiextensions-apiserver, pkg/apis/apiextensions/validation/{validation,cel_validation}.go,
pkg/apiserver/schema/cel/compilation.go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.custom import declared, embedded
from kube_objects.cel import costs, declarations, narrowing, types
from kube_objects.cel.checking import Environment
from kube_objects.cel.declarations import MOST_BYTES, Declared
from kube_objects.cel.ranges import MOST

Schema = Mapping[str, Any]

RULES = "x-kubernetes-validations"
_MOST_OF_A_RULE, _MOST_OF_ALL = 10_000_000, 100_000_000
# A total that is too high names the rules that cost most, if they cost at least 1% of the limit.
_NAMED, _LEAST_NAMED = 4, _MOST_OF_ALL // 100
_ADVICE = (
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
    "declared"
)
_CONTRIBUTED = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
_TOTAL = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"


class Limits(Enum):
    """The cost limits that apply to a schema.

    ALL: a new schema. TOTAL: a schema that an update leaves unchanged. NONE: a schema that is already stored.
    """

    ALL = "all"
    TOTAL = "total"
    NONE = "none"


@dataclass(slots=True)
class Total:
    """The estimated cost of all rules of a schema, and the rules that cost most."""

    cost: int = 0
    expensive: list[tuple[int, str]] = field(default_factory=list)

    def add(self, path: str, cost: int) -> None:
        """Add the cost of a rule. Source: ObserveExpressionCost."""
        self.cost = min(self.cost + cost, MOST)
        if cost >= _LEAST_NAMED:
            self.expensive.append((cost, path))
            self.expensive.sort(key=lambda each: -each[0])
            del self.expensive[_NAMED:]

    def problems(self, path: str) -> Iterator[Cause]:
        """Yield the errors if all rules together cost too much."""
        if self.cost > _MOST_OF_ALL:
            for _, place in self.expensive:
                yield causes.forbidden(place, _CONTRIBUTED)
            yield causes.forbidden(path, _exceeds(_TOTAL, self.cost, _MOST_OF_ALL))


@dataclass(frozen=True, slots=True)
class SchemaContext:
    """A schema within a schema, with what its rules need to know of the schemas above. Source: CELSchemaContext.

    `occurrences`: the most values of this schema in one object, None without a limit. `declared`: its declared type,
    None if no rule sees it so far.

    `structures`: the fields of all object types in `declared`. `uncorrelated`: the path of the outermost schema whose
    values can't be compared with those before an update, or "".
    """

    schema: Schema
    occurrences: int | None = 1
    declared: Declared | None = None
    structures: Mapping[str, Mapping[str, types.Type]] = field(default_factory=dict)
    uncorrelated: str = ""

    @staticmethod
    def of_root(schema: Schema) -> "SchemaContext":
        return SchemaContext(schema)._with_types(is_root=True)

    def below(self, name: str, schema: Schema, path: str = "") -> "SchemaContext":
        """Return the context of a schema below.

        `name` is a property, or "@items" or "@values". `path` is the path of this schema.
        """
        most = _most_elements(self.schema)
        occurrences = None if self.occurrences is None or most is None else min(self.occurrences * most, MOST)
        inner = None
        if self.declared is not None:
            fields = self.declared.fields
            inner = self.declared.element if name[0] == "@" else fields.get(declared.escaped(name))
        uncorrelated = self.uncorrelated or ("" if self._is_correlated(name) else path)
        place = replace(self, schema=schema, occurrences=occurrences, declared=inner, uncorrelated=uncorrelated)
        return place._with_types(is_root=bool(schema.get(embedded.MARK)))

    def _with_types(self, *, is_root: bool) -> "SchemaContext":
        if self.declared is not None or not self.schema.get(RULES):
            return self
        try:
            self_type = declared.declare(self.schema, is_root=is_root)
            if self_type is None:
                return self
            self_type = declarations.with_names(self_type, "selfType")
        except RecursionError:
            return self
        return replace(self, declared=self_type, structures=declarations.structures(self_type))

    def rule_problems(self, rule: Schema, path: str, total: Total, *, limits_each: bool) -> Iterator[Cause]:
        """Yield an error if a rule costs too much, and add its cost to the total."""
        if self.declared is None:
            return
        size_of = declarations.sizes_in(self.declared)
        environment = self._environment(self.declared, is_optional=bool(rule.get("optionalOldSelf")))
        estimate = costs.estimated(str(rule.get("rule") or "").strip(), environment, size_of)
        if estimate is None:
            return
        yield from _counted(
            f"{path}.rule", "rule", self._compute_object_cost(estimate.most), total, limits_each=limits_each
        )
        message = str(rule.get("messageExpression") or "")
        if message and (estimate := costs.estimated(message, environment, size_of)) is not None:
            place, what = f"{path}.messageExpression", "messageExpression"
            yield from _counted(place, what, estimate.most, total, limits_each=limits_each)

    def _is_correlated(self, name: str) -> bool:
        """Return whether values below can be compared with those before an update."""
        if name == "@items":
            return self.schema.get("x-kubernetes-list-type") == "map"
        return name == "@values" or self.schema.get("x-kubernetes-map-type") in (None, "granular", "atomic")

    def transition_problems(self, rule: Schema, path: str) -> Iterator[Cause]:
        """Yield an error if a rule uses `oldSelf` where it can't, or sets optionalOldSelf without using it."""
        text = str(rule.get("rule") or "")
        if narrowing.looks_at(text, "oldSelf"):
            if self.uncorrelated:
                detail = "oldSelf cannot be used on the uncorrelatable portion of the schema within"
                yield causes.invalid(f"{path}.rule", text, f"{detail} {self.uncorrelated}")
        elif rule.get("optionalOldSelf") is not None:
            detail = "may not be set if oldSelf is not used in rule"
            yield causes.invalid(f"{path}.optionalOldSelf", rule["optionalOldSelf"], detail)

    def _environment(self, self_type: Declared, *, is_optional: bool) -> Environment:
        old = types.optional_of(self_type.type) if is_optional else self_type.type
        return Environment({"self": self_type.type, "oldSelf": old}, self.structures)

    def _compute_object_cost(self, cost: int) -> int:
        """Return the cost of a rule for all values of an object. Source: getExpressionCost, maxCardinality."""
        assert self.declared is not None
        occurrences = self.occurrences
        if occurrences is None:
            occurrences = MOST_BYTES // (self.declared.least_bytes + 1)
        return min(cost * occurrences, MOST)


def _counted(path: str, what: str, cost: int, total: Total, *, limits_each: bool) -> Iterator[Cause]:
    if limits_each and cost > _MOST_OF_A_RULE:
        yield causes.forbidden(path, _exceeds(f"estimated {what} cost", cost, _MOST_OF_A_RULE))
    total.add(path, cost)


def _exceeds(what: str, cost: int, limit: int) -> str:
    """Return the error of a cost above its limit. Source: getCostErrorMessage."""
    factor = cost / limit
    if factor > 100:
        shown = "more than 100x"
    else:
        shown = f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    return f"{what} exceeds budget by factor of {shown} ({_ADVICE})"


def _most_elements(schema: Schema) -> int | None:
    """Return how many values can be directly in a value; None without a limit. Source: extractMaxElements."""
    kind = schema.get("type")
    if kind == "array":
        limit = schema.get("maxItems")
    elif kind == "object" and schema.get("additionalProperties") is not None:
        limit = schema.get("maxProperties")
    else:
        return 1
    return None if limit is None else max(int(limit), 0)
