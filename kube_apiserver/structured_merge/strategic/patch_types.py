"""Patch strategies and merge keys from an OpenAPI document. Source: strategicpatch/meta.go."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kube_apiserver.structured_merge.strategic.directives import RETAIN_KEYS, PatchError

_REFERENCES = ("#/components/schemas/", "#/definitions/")


@dataclass(frozen=True, slots=True)
class Strategy:
    """The patch strategy of a field: `merge`, `replace` or "" for its type's default, and the merge key of a list."""

    name: str = ""
    retains_keys: bool = False
    merge_key: str = ""


@dataclass(frozen=True, slots=True)
class PatchType:
    """A schema of an OpenAPI document, with the document's other schemas by name."""

    schemas: Mapping[str, Any]
    schema: Mapping[str, Any]

    @classmethod
    def named(cls, schemas: Mapping[str, Any], name: str) -> "PatchType":
        return cls(schemas, schemas[name])

    def field(self, name: str) -> tuple["PatchType", Strategy]:
        found = self._property(name)
        return self._resolved(found), _parse_strategy(found)

    def items(self, name: str) -> tuple["PatchType", Strategy]:
        found = self._property(name)
        return self._resolved(found.get("items", found)), _parse_strategy(found)

    def _property(self, name: str) -> Mapping[str, Any]:
        found = (self.schema.get("properties") or {}).get(name)
        if found is None:
            raise PatchError(f'unable to find api field "{name}"')
        return found  # type: ignore[no-any-return]

    def _resolved(self, schema: Mapping[str, Any]) -> "PatchType":
        all_of = schema.get("allOf")
        target = all_of[0] if all_of else schema
        if reference := target.get("$ref"):
            name = str(reference)
            for prefix in _REFERENCES:
                name = name.removeprefix(prefix)
            if name not in self.schemas:
                raise PatchError(f"unable to resolve {reference} in OpenAPI V3")
            target = self.schemas[name]
        return PatchType(self.schemas, target)

    @property
    def kind(self) -> str:
        return str(self.schema.get("type") or "Struct")


def _parse_strategy(schema: Mapping[str, Any]) -> Strategy:
    written = schema.get("x-kubernetes-patch-strategy")
    strategies = str(written).split(",") if written else []
    retains = RETAIN_KEYS[1:] in strategies
    others = [each for each in strategies if each != RETAIN_KEYS[1:]]
    if len(others) > 1:
        raise PatchError(f"unexpected patch strategy: [{' '.join(strategies)}]")
    return Strategy(others[0] if others else "", retains, str(schema.get("x-kubernetes-patch-merge-key") or ""))
