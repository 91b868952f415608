"""Applies and updates of several managers against upstream's cases."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from kube_apiserver.structured_merge import fieldpath
from kube_apiserver.structured_merge.fieldpath import FieldSet
from kube_apiserver.structured_merge.schema import DEDUCED, DEDUCED_TYPE, Schema, TypeRef
from kube_apiserver.structured_merge.typed import Typed, TypeMismatch, check_type, extract, merge
from kube_apiserver.structured_merge.updating import (
    Conflict,
    Conflicts,
    Filter,
    Managers,
    Owned,
    UnknownVersion,
    Updater,
    exclude_fields,
)
from kube_apiserver.structured_merge.values import are_equal
from tests.core.structured_merge.cases import Cases, fields, name_of

CASES = Cases("merge.json")
Case = dict[str, Any]
Convert = Callable[[Typed, str], Typed]


class World:
    """An object, who owns it, and how versions are converted: what upstream's fixture is."""

    def __init__(self, case: Case) -> None:
        self.types: dict[str, str] = case["types"]
        self.schema: Schema = CASES.schema(case["schema"])
        self.convert = CONVERTERS[case.get("converter", "same")](self)
        filters = {version: _filter(each) for version, each in case.get("filters", {}).items()}
        ignored = {version: exclude_fields(fields(each)) for version, each in case.get("ignored", {}).items()}
        self.updater = Updater(self.convert, {**filters, **ignored})
        self.managers: Managers = {}
        self.live: Typed | None = None

    def typed(self, value: Any, version: str, *, duplicates: bool = False) -> Typed:
        return check_type(value, self.schema, TypeRef(self.types.get(version, version)), allow_duplicates=duplicates)

    def play(self, op: Case) -> None:
        if op["op"] == "schema":
            assert self.live is not None
            self.schema = CASES.schema(op["schema"])
            self.live = check_type(self.live.value, self.schema, self.live.type)
            return
        version, manager = op["version"], op["manager"]
        given = self.typed(op["object"], version, duplicates=op["op"] == "update")
        known = self.live
        live = self.convert(known or self.typed(None, version), version)
        if op["op"] == "update":
            self.managers = self.updater.update(live, given, version, self.managers, manager)
            self.live = given
            return
        if op["op"] == "extract" and known is not None:
            mine = self.managers[manager].fields.leaves() if manager in self.managers else FieldSet()
            given = merge(extract(live, mine), given)
        force = op["op"] != "apply"
        merged, self.managers = self.updater.apply(live, given, version, self.managers, manager, force=force)
        self.live = merged or live


def same(world: World) -> Convert:
    return lambda value, version: value


def renaming(world: World) -> Convert:
    """A field that ends with a version ends with the other one afterwards."""

    def rename(value: Any, old: str, new: str) -> Any:
        if isinstance(value, dict):
            return {
                (key.removesuffix(old) + new if key.endswith(old) else key): rename(item, old, new)
                for key, item in value.items()
            }
        return [rename(item, old, new) for item in value] if isinstance(value, list) else value

    def convert(value: Typed, version: str) -> Typed:
        return world.typed(rename(value.value, str(value.type.named), version), version)

    return convert


def repeating(world: World) -> Convert:
    """Below the first level a field's first letter stands as often as the version's number says."""

    def repeat(value: Any, times: int, top: bool = True) -> Any:
        if not isinstance(value, dict):
            return value
        return {(key if top else key[0] * times): repeat(value[key], times, False) for key in sorted(value)}

    def convert(value: Typed, version: str) -> Typed:
        if not re.fullmatch(r"v\d+", version):
            raise UnknownVersion(version)
        return world.typed(repeat(value.value, int(version[1:])), version)

    return convert


def reliant(world: World) -> Convert:
    """v1 can only be made of a v2 that has its required field."""

    def convert(value: Typed, version: str) -> Typed:
        if value.type.named == version:
            return value
        if version not in ("v1", "v2"):
            raise UnknownVersion(version)
        one, other = "required_field_bar", "field_foo_rely_on_bar"
        source, target = (one, other) if version == "v1" else (other, one)
        assert version != "v1" or source in (value.value or {}), "missing required field bar"
        renamed = {target if key == source else key: item for key, item in (value.value or {}).items()}
        return world.typed(renamed, version)

    return convert


CONVERTERS: dict[str, Callable[[World], Convert]] = {
    "same": same,
    "renaming": renaming,
    "repeating": repeating,
    "reliantFields": reliant,
}


def _filter(written: Case) -> Filter:
    if "exclude" in written:
        return exclude_fields(fields(written["exclude"]))
    return lambda given: _included(given, written["include"])


def _included(given: FieldSet, pattern: Any) -> FieldSet:
    """Only what the pattern names: [[element or "*", pattern below], …]; "*" is everything."""
    if pattern == "*":
        return given

    def below(element: fieldpath.Element) -> Any:
        return next((child for name, child in pattern if name == "*" or fieldpath.parse_element(name) == element), None)

    members = [element for element in given.members if below(element) is not None]
    found = {each: _included(child, below(each)) for each, child in given.children.items() if below(each) is not None}
    return FieldSet(members, {each: child for each, child in found.items() if child})


@pytest.mark.parametrize("case", CASES.all, ids=name_of)
def test_upstream(case: Case) -> None:
    world = World(case)
    if "fails" in case:
        with pytest.raises(TypeMismatch, match=re.escape(case["fails"])):
            world.play(case["ops"][0])
        return
    for op in case["ops"]:
        wanted = op.get("conflicts")
        if wanted:
            with pytest.raises(Conflicts) as caught:
                world.play(op)
            assert sorted(
                [each.manager, fieldpath.format_path(each.path)] for each in caught.value.conflicts
            ) == sorted(wanted)
        else:
            world.play(op)
    if "object" in case:
        assert world.live is not None
        assert are_equal(world.convert(world.live, case["version"]).value, case["object"])
    if "managed" in case:
        found_managers = {name: (owned.fields, owned.version) for name, owned in world.managers.items()}
        assert found_managers == {
            name: (fields(each["set"]), each["version"]) for name, each in case["managed"].items() if each["set"]
        }
    assert all(owned.fields for owned in world.managers.values())


def test_who_wrote_in_a_version_that_is_gone_owns_nothing() -> None:
    """Source: merge/obsolete_versions_test.go TestObsoleteVersions."""
    served = {"v1", "v2"}

    def convert(value: Typed, version: str) -> Typed:
        if version not in served:
            raise UnknownVersion(version)
        return value

    updater = Updater(convert)

    def value(content: Any) -> Typed:
        return check_type(content, DEDUCED, DEDUCED_TYPE)

    managers = updater.update(value({}), value({"v1": 0}), "v1", {}, "v1")
    managers = updater.update(value({"v1": 0}), value({"v1": 0, "v2": 0}), "v2", managers, "v2")
    served ^= {"v1", "v3"}
    managers = updater.update(value({"v1": 0, "v2": 0}), value({"v1": 0, "v2": 0, "v3": 0}), "v3", managers, "v3")
    assert managers == {
        "v2": Owned(fields({"f:v2": {}}), "v2", False),
        "v3": Owned(fields({"f:v3": {}}), "v3", False),
    }


def test_an_apply_in_a_new_version_prunes_nothing_of_an_obsolete_one() -> None:
    """Source: merge/obsolete_versions_test.go TestApplyObsoleteVersion."""
    served = {"v1"}

    def convert(value: Typed, version: str) -> Typed:
        if version not in served:
            raise UnknownVersion(version)
        return value

    updater = Updater(convert)
    schema = CASES.schema(next(case["schema"] for case in CASES.all if case["name"].startswith("TestUpdateSet/")))
    ref = TypeRef("sets")
    four = check_type({"list": ["a", "b", "c", "d"]}, schema, ref)
    live, managers = updater.apply(check_type({}, schema, ref), four, "v1", {}, "apply", force=False)
    assert live is not None
    served.clear()
    served.add("v2")
    merged, _ = updater.apply(live, check_type({"list": ["a"]}, schema, ref), "v2", managers, "apply", force=False)
    assert merged is None


def test_conflicts_are_told_as_upstream_tells_them() -> None:
    """Source: merge/conflict_test.go."""

    def path(*names: str) -> tuple[fieldpath.Element, ...]:
        return tuple(fieldpath.field(name) for name in names)

    assert str(Conflicts([Conflict("Bob", path("key"))])) == 'conflict with "Bob": .key'
    several = Conflicts(
        [
            Conflict("Bob", path("key")),
            Conflict("Alice", path("value")),
            Conflict("Bob", (fieldpath.field("list"), fieldpath.key([("a", 1), ("b", "c")]), fieldpath.field("id"))),
        ]
    )
    assert str(several) == ('conflicts with "Alice":\n- .value\nconflicts with "Bob":\n- .key\n- .list[a=1,b="c"].id')
