"""The table of kinds: each is what it says, from its example to its form."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from kube_objects.kinds.api_names import API_NAMES
from kube_objects.kinds.form import Input
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.table import BY_TYPE, CHECKED, DESCRIBED, KINDS
from kube_objects.parse import parse_object
from kube_objects.schema import schema
from kube_objects.serialize import manifest_of
from kube_objects.text.problems import ObjectError
from kube_objects.unused import unused_paths
from scheduler_core.framework.events import EventResource
from simulator.exchange.applicable import applicable

every_kind = pytest.mark.parametrize("kind", DESCRIBED.values(), ids=list(DESCRIBED))


def test_each_kind_is_listed_once_with_its_names() -> None:
    assert [kind.names.kind for kind in DESCRIBED.values()] == list(DESCRIBED)
    assert len({(names.api_version, names.plural) for names in API_NAMES.values()}) == len(API_NAMES)
    assert (len(BY_TYPE), len(CHECKED)) == (len(KINDS), len(DESCRIBED))


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_a_namespace_is_refused_where_there_is_none(kind: Kind) -> None:
    manifest = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": "a", "namespace": "b"}}
    rule = f"a {kind.name} belongs to no namespace"
    try:
        parse_object(manifest)
        refused = False
    except ObjectError as error:
        refused = any(problem.rule == rule for problem in error.problems)
    assert refused != kind.names.namespaced


@every_kind
def test_the_example_is_an_object_of_which_everything_is_read(kind: Kind) -> None:
    if not kind.example:
        # Pods and nodes have templates of their own on the page.
        assert kind.name in ("Pod", "Node")
        return
    manifest = yaml.safe_load(kind.example)
    parsed = parse_object(manifest)
    assert type(parsed) is kind.type
    assert (parsed.kind, bool(parsed.namespace)) == (kind.name, kind.names.namespaced)
    assert unused_paths(kind.name, manifest) == set()
    assert manifest_of(parsed) is manifest


@every_kind
def test_the_example_can_be_applied(kind: Kind) -> None:
    if kind.example:
        (item,) = applicable([yaml.safe_load(kind.example)])["items"]
        assert (item["kind"], "status" in item) == (kind.name, False)


def test_what_others_need_is_applied_first_and_pods_last() -> None:
    given = [{"apiVersion": kind.api_version, "kind": name, "metadata": {"name": "x"}} for name, kind in KINDS.items()]
    kinds = [item["kind"] for item in applicable([*given, {"kind": "ConfigMap", "metadata": {"name": "x"}}])["items"]]
    assert kinds[:6] == ["Namespace", "PriorityClass", "StorageClass", "CSIDriver", "Node", "CSINode"]
    assert kinds[-1] == "Pod"
    assert "ConfigMap" in kinds


def inputs(kind: Kind) -> Iterator[tuple[Input, tuple[str | int, ...]]]:
    for section in kind.form:
        for field in section.fields:
            yield field, field.path
            yield from ((column, (*field.path, *column.path)) for column in field.columns)


@every_kind
def test_the_form_writes_what_is_read(kind: Kind) -> None:
    """Each field of it is one that the schema has, of a type that its widget writes."""
    types = {
        "number": {"integer"},
        "check": {"boolean"},
        "map": {"mapping", "any"},
        "labels": {"mapping", "any"},
        "words": {"list", "any"},
        "rows": {"list", "any"},
        "amount": {"integer", "any", "quantity"},
        "curve": {"any", "mapping", "quantity"},
    }
    assert kind.form, "there is nothing to fill in"
    for field, path in inputs(kind):
        found: Mapping[str, Any] = {"fields": schema()[kind.name]["fields"]}
        for name in path:
            if isinstance(name, str) and "fields" in found:
                found = found["fields"].get(name, {"type": "missing"})
        if "fields" in found and field.widget == "text":
            raise AssertionError(f"{path} has fields of its own")
        wanted = types.get(field.widget, {"text", "quantity", "any", "mapping"})
        assert found["type"] in wanted, path
        if field.widget == "choice":
            assert found.get("values"), path


@every_kind
def test_a_change_that_may_help_is_an_event_with_words(kind: Kind) -> None:
    resources = {resource.value for resource in EventResource}
    if kind.wakes_pods:
        assert kind.resource in resources
    if kind.event_words:
        assert kind.resource in resources
        assert all(re.fullmatch("(Add|Update|Delete)[A-Za-z]*", action) for action in kind.event_words)
