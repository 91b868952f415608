"""managedFields over the writes of several clients, as a v1.36 API server answered them to kubectl."""

from typing import Any

import pytest

from kube_apiserver.structured_merge import fieldpath
from kube_apiserver.structured_merge.fieldpath import FieldSet
from kube_apiserver.structured_merge.managed_fields import ApplyConflict, BadManagedFields, FieldManager, Writer
from kube_apiserver.structured_merge.openapi import from_definitions
from kube_apiserver.structured_merge.schema import TypeRef
from kube_apiserver.structured_merge.typed import TypeMismatch

_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
_META = {
    "properties": {
        "name": {"type": "string"},
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "resourceVersion": {"type": "string"},
    }
}
_PORT = {
    "type": "object",
    "properties": {
        "containerPort": {"type": "integer"},
        "name": {"type": "string"},
        "protocol": {"type": "string", "default": "TCP"},
    },
}
_KIND = {
    "type": "object",
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"allOf": [{"$ref": "#/components/schemas/meta"}], "default": {}},
        "data": _TEXTS,
        "replicas": {"type": "integer"},
        "selector": {**_TEXTS, "x-kubernetes-map-type": "atomic"},
        "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "taints": {"type": "array", "items": {"type": "string"}},
        "cpu": {"$ref": "#/components/schemas/api.resource.Quantity"},
        "port": {"type": "string", "format": "int-or-string"},
        "extra": {},
        "ports": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/port"},
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    },
}
SCHEMA = from_definitions(
    {"kind": _KIND, "meta": {"type": "object", **_META}, "port": _PORT, "api.resource.Quantity": {"type": "string"}}
)
MANAGER = FieldManager(SCHEMA, TypeRef("kind"))
Object = dict[str, Any]


def thing(**fields: Any) -> Object:
    return {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "settings"}, **fields}


def by(manager: str, minute: int = 0, subresource: str = "") -> Writer:
    return Writer(manager, "v1", f"2026-11-22T12:{minute:02}:00Z", subresource)


def owners(value: Object) -> dict[str, Any]:
    return {f"{each['manager']} {each['operation']}": each["fieldsV1"] for each in value["metadata"]["managedFields"]}


def test_two_appliers_of_one_object() -> None:
    """The steps of `kubectl apply --server-side` by alpha, beta and beta again."""
    live = MANAGER.apply(None, thing(data={"x": "1", "y": "1"}), by("alpha"), force=False)
    assert live is not None
    assert owners(live) == {"alpha Apply": {"f:data": {"f:x": {}, "f:y": {}}}}
    assert MANAGER.apply(live, thing(data={"x": "1", "y": "1"}), by("alpha", 1), force=False) is None
    theirs = thing(data={"x": "2", "z": "2"})
    with pytest.raises(ApplyConflict) as caught:
        MANAGER.apply(live, theirs, by("beta", 2), force=False)
    assert caught.value.message == 'Apply failed with 1 conflict: conflict with "alpha": .data.x'
    assert caught.value.causes == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "alpha"', "field": ".data.x"}
    ]
    live = MANAGER.apply(live, theirs, by("beta", 2), force=True)
    assert live is not None
    assert live["data"] == {"x": "2", "y": "1", "z": "2"}
    assert owners(live) == {"alpha Apply": {"f:data": {"f:y": {}}}, "beta Apply": {"f:data": {"f:x": {}, "f:z": {}}}}
    live = MANAGER.apply(live, thing(data={"z": "2"}), by("beta", 3), force=False)
    assert live is not None
    assert live["data"] == {"y": "1", "z": "2"}
    live = MANAGER.update(live, {**live, "data": {"y": "7", "z": "2"}}, by("gamma", 4))
    with pytest.raises(ApplyConflict, match=r'conflict with "gamma" using v1: \.data\.y'):
        MANAGER.apply(live, thing(data={"y": "1"}), by("alpha", 5), force=False)


def test_a_scale_takes_replicas_from_who_applied_them() -> None:
    live = MANAGER.apply(None, thing(replicas=2, selector={"app": "web"}), by("kubectl"), force=False)
    assert live is not None
    live = MANAGER.update(live, {**live, "replicas": 3}, by("kubectl", 1, "scale"))
    assert [
        (each["manager"], each["operation"], each.get("subresource"), each["time"])
        for each in live["metadata"]["managedFields"]
    ] == [
        ("kubectl", "Apply", None, "2026-11-22T12:00:00Z"),
        ("kubectl", "Update", "scale", "2026-11-22T12:01:00Z"),
    ]
    with pytest.raises(ApplyConflict, match=r'conflict with "kubectl" with subresource "scale" using v1: \.replicas'):
        MANAGER.apply(live, thing(replicas=2, selector={"app": "web"}), by("kubectl", 2), force=False)


def test_what_was_there_before_the_first_apply_has_an_owner() -> None:
    live = thing(data={"x": "1"}, status={"phase": "Running"})
    with pytest.raises(ApplyConflict, match=r'conflict with "before-first-apply" using v1: \.data\.x'):
        MANAGER.apply(live, thing(data={"x": "2"}), by("kubectl"), force=False)


def test_an_object_without_managed_fields_gets_none_from_an_update() -> None:
    live = thing(data={"x": "1"})
    assert "managedFields" not in MANAGER.update(live, thing(data={"x": "2"}), by("kubectl"))["metadata"]
    made = MANAGER.update(None, thing(data={"x": "1"}), by("kubectl-create"))
    assert owners(made) == {"kubectl-create Update": {"f:data": {".": {}, "f:x": {}}}}
    emptied = {**made, "metadata": {**made["metadata"], "managedFields": [{}]}}
    assert "managedFields" not in MANAGER.update(made, emptied, by("someone", 1))["metadata"]


def test_an_update_that_changes_nothing_keeps_the_times() -> None:
    made = MANAGER.update(None, thing(data={"x": "1"}), by("kubectl"))
    assert MANAGER.update(made, made, by("kubectl", 5)) == made


def test_fields_that_an_endpoint_resets_are_nobodys() -> None:
    manager = FieldManager(SCHEMA, TypeRef("kind"), FieldSet.from_paths((fieldpath.field("status"),)))
    live = manager.apply(None, thing(data={"x": "1"}, status={"phase": "Running"}), by("alpha"), force=False)
    assert live is not None
    assert owners(live) == {"alpha Apply": {"f:data": {"f:x": {}}}}


def test_lists_maps_and_what_is_atomic() -> None:
    live = MANAGER.apply(
        None,
        thing(
            ports=[{"containerPort": 80, "name": "web"}],
            finalizers=["a"],
            taints=["t"],
            selector={"app": "web"},
            cpu=2,
            port="http",
            extra={"any": {"thing": 1}},
        ),
        by("alpha"),
        force=False,
    )
    assert live is not None
    assert owners(live)["alpha Apply"] == {
        "f:cpu": {},
        "f:extra": {"f:any": {".": {}, "f:thing": {}}},
        "f:finalizers": {'v:"a"': {}},
        "f:port": {},
        "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}, "f:name": {}}},
        "f:selector": {},
        "f:taints": {},
    }
    live = MANAGER.apply(live, thing(ports=[{"containerPort": 81}], finalizers=["b"]), by("beta", 1), force=False)
    assert live is not None
    assert ([port["containerPort"] for port in live["ports"]], live["finalizers"]) == ([80, 81], ["a", "b"])


def test_ten_that_update_and_one_entry_for_those_before() -> None:
    live = MANAGER.update(None, thing(data={}), by("m0"))
    for number in range(1, 15):
        data = {**live["data"], f"k{number}": "1"}
        live = MANAGER.update(live, {**live, "data": data}, by(f"m{number}", number))
    names = [each["manager"] for each in live["metadata"]["managedFields"]]
    assert (len(names), names[0], names[-1]) == (10, "ancient-changes", "m14")


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("x", "must be a list"),
        ([{"manager": "m", "operation": "Guess"}], "operation must be `Apply` or `Update`"),
        ([{"manager": "m", "operation": "Update", "fieldsV1": {"x": {}}}], "key must be 2 characters long"),
        ([{"manager": "m", "operation": "Update", "fieldsV1": {"k:[1]": {}}}], "parsing key as path element"),
        ([None], "managedFields"),
    ],
)
def test_entries_that_cannot_be_read_are_told(entries: Any, said: str) -> None:
    sent = thing(data={})
    sent["metadata"]["managedFields"] = entries
    with pytest.raises(BadManagedFields, match=said):
        MANAGER.update(None, sent, by("kubectl"))


def test_a_field_that_no_schema_has_is_no_apply() -> None:
    with pytest.raises(TypeMismatch, match=r"^\.foo: field not declared in schema$"):
        MANAGER.apply(None, thing(foo="bar"), by("kubectl"), force=False)


def test_entries_that_cannot_be_read_are_as_if_none_was_sent() -> None:
    """Measured from kube-apiserver v1.36.2: a merge patch with them changes nothing."""
    live = MANAGER.update(None, thing(data={"a": "1"}), by("one"))
    sent = {**live, "metadata": {**live["metadata"], "managedFields": [{"manager": "m", "operation": "Guess"}]}}
    assert MANAGER.update(live, sent, by("two")) == live
