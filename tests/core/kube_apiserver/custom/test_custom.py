"""Kinds that clients register: what their schemas keep, fill in and refuse, and what their tables show."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from kube_apiserver import conversion
from kube_apiserver.admission.attributes import AdmissionRequest
from kube_apiserver.custom import checking, columns, definitions, schemas
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import Resource
from kube_apiserver.writes import handlers, scales
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH

Object = dict[str, Any]
BY = WriteOptions("kubectl", "2026-11-22T12:00:00Z")
SPEC = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1},
        "colour": {"type": "string", "enum": ["red", "green"], "default": "red"},
        "port": {"x-kubernetes-int-or-string": True},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "parts": {
            "type": "array",
            "maxItems": 2,
            "items": {"type": "object", "properties": {"n": {"type": "integer", "default": 7}}},
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"spec": SPEC, "status": {"type": "object", "properties": {"at": {"type": "string"}}}},
}


def definition(**versions: Object) -> Object:
    versions = versions or {"v1": {"storage": True, "subresources": {"status": {}}}}
    columns_ = [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "shortNames": ["wd"]},
            "versions": [
                {"name": name, "served": True, "storage": False, "additionalPrinterColumns": columns_}
                | {"schema": {"openAPIV3Schema": deepcopy(SCHEMA)}}
                | more
                for name, more in versions.items()
            ],
        },
    }


def widgets(**versions: Object) -> Resource:
    return definitions.resources([definition(**versions)])[0]


def widget(**spec: Any) -> Object:
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 3, **spec}}


def made(**spec: Any) -> Object:
    value = handlers.create(widgets(), "shop", widget(**spec), BY).value
    assert value is not None
    return value


def test_defaults_are_filled_in_and_an_object_has_its_identity() -> None:
    value = made(parts=[{}])
    assert value["spec"] == {"size": 3, "colour": "red", "parts": [{"n": 7}]}
    assert (value["metadata"]["namespace"], value["metadata"]["generation"]) == ("shop", 1)


REFUSED = [
    (widget(size=0), "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"),
    (widget(size="3"), 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'),
    (widget(colour="blue"), 'spec.colour: Unsupported value: "blue": supported values: "red", "green"'),
    (widget(parts=[{}, {}, {}]), "spec.parts: Too many: 3: must have at most 2 items"),
    (widget(labels={"a": 1}), 'spec.labels.a: Invalid value: "integer"'),
    ({**widget(), "spec": {}}, "spec.size: Required value"),
    (widget(port=[]), 'spec.port in body must be of type integer,string: "array"'),
]


@pytest.mark.parametrize(("sent", "message"), REFUSED)
def test_what_does_not_fit_is_refused(sent: Object, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        handlers.create(widgets(), "shop", sent, BY)
    assert caught.value.code == 422
    assert message in str(caught.value)


def test_unknown_fields_are_told_and_left_out() -> None:
    sent = widget(color="red", free={"any": [1]}, parts=[{"m": 1}])
    with pytest.raises(ApiError) as caught:
        handlers.create(widgets(), "shop", sent, BY)
    assert 'strict decoding error: unknown field "spec.color", unknown field "spec.parts[0].m"' in str(caught.value)
    warned = handlers.create(widgets(), "shop", sent, WriteOptions("kubectl", BY.time, "Warn"))
    assert warned.warnings == ['unknown field "spec.color"', 'unknown field "spec.parts[0].m"']
    assert warned.value is not None
    assert warned.value["spec"] == {"size": 3, "free": {"any": [1]}, "parts": [{"n": 7}], "colour": "red"}


def test_status_has_a_door_of_its_own_where_the_definition_says_so() -> None:
    resource, live = widgets(), made()
    patch = {"status": {"at": "work"}, "spec": {"size": 9}}
    of_spec = handlers.patch(resource, live, MERGE_PATCH, patch, BY).value
    of_status = handlers.patch(
        resource, live, MERGE_PATCH, patch, WriteOptions("op", BY.time, subresource="status")
    ).value
    assert of_spec is not None
    assert of_status is not None
    assert (of_spec["spec"]["size"], of_spec.get("status"), of_spec["metadata"]["generation"]) == (9, None, 2)
    assert (of_status["spec"]["size"], of_status["status"]["at"]) == (3, "work")
    assert of_status["metadata"]["generation"] == 1
    plain = widgets(v1={"storage": True})
    both = handlers.patch(plain, live, MERGE_PATCH, patch, BY).value
    assert both is not None
    assert (both["spec"]["size"], both["status"]["at"]) == (9, "work")


def test_it_is_patched_by_json_and_not_by_strategic_merge() -> None:
    live = made()
    patch = [{"op": "replace", "path": "/spec/size", "value": 4}]
    changed = handlers.patch(widgets(), live, JSON_PATCH, patch, BY).value
    assert changed is not None
    assert changed["spec"]["size"] == 4
    with pytest.raises(ApiError) as caught:
        handlers.patch(widgets(), live, STRATEGIC_PATCH, {"spec": {"size": 4}}, BY)
    assert caught.value.code == 415


def test_versions_share_their_objects() -> None:
    new, old = definitions.resources([definition(v1beta1={}, v1={"storage": True})])
    assert (old.version, new.version, new.custom and new.custom.stored) == ("v1beta1", "v1", None)
    assert old.custom is not None
    assert old.custom.stored == new


def test_what_is_written_is_held_to_the_version_that_it_is_written_in() -> None:
    loose = {"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
    _, old = definitions.resources([definition(v1beta1=loose, v1={"storage": True})])
    sent = {**widget(size=0), "apiVersion": "example.com/v1"}
    made = handlers.create(conversion.stored(old), "shop", sent, BY).value
    assert made is not None
    assert (made["apiVersion"], made["spec"]) == ("example.com/v1", {"size": 0})


class WithPolicy:
    """A cluster with a policy that warns of every object whose size is 3."""

    def get(self, kind: str, name: str, namespace: str = "") -> Object:
        return {"metadata": {"name": name}}

    def list(self, kind: str, namespace: str = "") -> Sequence[Object]:
        rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["*"]}
        validation = {"expression": "object.spec.size != 3", "message": "three is too many"}
        policy = {"matchConstraints": {"resourceRules": [rule]}, "validations": [validation]}
        binding = {"policyName": "size", "validationActions": ["Warn"]}
        return {
            "ValidatingAdmissionPolicy": [{"metadata": {"name": "size"}, "spec": policy}],
            "ValidatingAdmissionPolicyBinding": [{"metadata": {"name": "warn"}, "spec": binding}],
        }.get(kind, [])


def test_policies_have_their_say_of_what_changes_nothing() -> None:
    by = replace(BY, request=AdmissionRequest("", widgets(), "shop", ""))
    written = handlers.patch(widgets(), made(), MERGE_PATCH, {"spec": {"size": 3}}, by, WithPolicy())
    warning = "Validation failed for ValidatingAdmissionPolicy 'size' with binding 'warn': three is too many"
    assert (written.value, written.warnings) == (None, [warning])


WRONG = [
    ({"metadata": {"name": "x"}}, 'must be spec.names.plural+"."+spec.group'),
    ({"spec": {**definition()["spec"], "scope": "Some"}}, 'spec.scope: Unsupported value: "Some"'),
    ({"spec": {**definition()["spec"], "versions": []}}, "must have exactly one version marked as storage version"),
    ({"spec": {**definition()["spec"], "group": "example"}}, "should be a domain with at least one dot"),
]


@pytest.mark.parametrize(("part", "message"), WRONG)
def test_a_wrong_definition_is_told(part: Object, message: str) -> None:
    told = [f"{each['field']}: {each['message']}" for each in checking.problems({**definition(), **part})]
    assert message in " ".join(told)
    assert not definitions.resources([{**definition(), **part}])


def test_a_kind_of_a_built_in_name_is_kept_with_its_group() -> None:
    given = definition()
    given["spec"]["names"]["kind"] = "Job"
    (resource,) = definitions.resources([given])
    assert (resource.kind, resource.manifest_kind) == ("Job.example.com", "Job")
    assert [each["status"] for each in definitions.with_status(given)["status"]["conditions"]] == ["True", "True"]


@pytest.mark.parametrize("kind", ["Widget", "Ingress", "Event", "Job"])
def test_a_kind_may_have_the_name_of_a_built_in_one(kind: str) -> None:
    given = definition()
    given["spec"]["names"]["kind"] = kind
    conditions = definitions.with_status(given)["status"]["conditions"]
    assert [(each["type"], each["status"]) for each in conditions] == [
        ("NamesAccepted", "True"),
        ("Established", "True"),
    ]
    (resource,) = definitions.resources([given])
    assert (resource.kind, resource.manifest_kind) == (f"{kind}.example.com", kind)


PATHS = [
    (".spec.size", 3),
    (".spec.parts[0].n", 7),
    (".metadata.labels['app.kubernetes.io/name']", "web"),
    (r".metadata.labels.app\.kubernetes\.io/name", "web"),
    ('.status.conditions[?(@.type=="Ready")].status', "True"),
    (".spec.parts[4].n", None),
    (".spec.nothing.here", None),
    ("{..}", None),
]


@pytest.mark.parametrize(("path", "want"), PATHS)
def test_where_a_column_looks(path: str, want: Any) -> None:
    value = {
        "metadata": {"labels": {"app.kubernetes.io/name": "web"}},
        "spec": {"size": 3, "parts": [{"n": 7}]},
        "status": {"conditions": [{"type": "Old", "status": "False"}, {"type": "Ready", "status": "True"}]},
    }
    assert columns.value_at(value, path) == want


def test_the_columns_stand_behind_the_name() -> None:
    resource = widgets()
    assert [each["name"] for each in resource.columns] == ["Name", "Size"]
    assert columns.cells(resource, made(), datetime(2026, 11, 22, 12, 1, tzinfo=UTC)) == [3]


# Measured from kube-apiserver v1.36.2.
@pytest.mark.parametrize(
    ("value", "want"),
    [
        ({"tags": ["a", "a"], "named": [{"n": 1}, {"n": 2}]}, [("tags[1]", 'Duplicate value: "a"')]),
        ({"named": [{"n": 1}, {"n": 1, "more": True}]}, [("named[1]", 'Duplicate value: {"n":1}')]),
    ],
)
def test_items_that_are_equal_where_none_may_be(value: Object, want: list[tuple[str, str]]) -> None:
    items = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"], "items": {}}
    sets = {"type": "array", "x-kubernetes-list-type": "set"}
    schema = schemas.Structural({"type": "object", "properties": {"tags": sets, "named": items}})
    assert [(each["field"], each["message"]) for each in schemas.problems(value, schema)] == want


def test_rules_that_were_not_tried_are_told() -> None:
    rules = {"x-kubernetes-validations": [{"rule": "self.size > 2"}]}
    schema = schemas.Structural({**SCHEMA, "properties": {"spec": {**SPEC, **rules}}})
    told = [each["field"] for each in schemas.problems({"spec": {"size": 1, "colour": "blue"}}, schema)]
    assert told == ["spec.colour", "<nil>"]
    (broken,) = schemas.problems({"spec": {"size": 1}}, schema)
    assert (broken["field"], broken["message"]) == ("spec", "Invalid value: failed rule: self.size > 2")


def test_a_kind_has_the_scale_that_its_definition_names() -> None:
    paths = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.at", "labelSelectorPath": ".status.by"}
    kind = widgets(v1={"storage": True, "subresources": {"scale": paths}, "deprecated": True})
    live = {**widget(), "status": {"at": 2, "by": "a=b"}}
    shown = scales.scale(kind, live)
    assert (shown["spec"], shown["status"]) == ({"replicas": 3}, {"replicas": 2, "selector": "a=b"})
    assert scales.scaled(kind, live, MERGE_PATCH, {"spec": {"replicas": 5}}, "Strict")[0]["spec"] == {"size": 5}
    assert [each["name"] for each in kind.subresources] == ["scale"]
    assert kind.deprecation == "example.com/v1 Widget is deprecated"


def test_a_scale_without_a_selector_has_none() -> None:
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    resource = widgets(v1={"storage": True, "subresources": {"status": {}, "scale": scale}})
    live = {"metadata": {"name": "a"}, "spec": {"size": 3}, "status": {"size": 2}}
    found = scales.scale(resource, live)
    assert (found["spec"], found["status"]) == ({"replicas": 3}, {"replicas": 2})


# Measured from kube-apiserver v1.36.2.
EMBEDDED: list[tuple[Object, list[str]]] = [
    ({"apiVersion": "v1", "kind": "Pod", "spec": {}}, []),
    ({"a": "b"}, ["spec.tmpl.apiVersion: Required value", "spec.tmpl.kind: Required value"]),
    (
        {"apiVersion": "a/b/c", "kind": ""},
        [
            'spec.tmpl.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
            'spec.tmpl.kind: Invalid value: "": must not be empty',
        ],
    ),
]


@pytest.mark.parametrize(("given", "want"), EMBEDDED)
def test_an_object_within_says_what_it_is(given: Object, want: list[str]) -> None:
    tmpl = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"tmpl": tmpl}}}}
    found = schemas.problems({"spec": {"tmpl": given}}, schemas.Structural(schema))
    assert [f"{each['field']}: {each['message']}" for each in found] == want


def test_what_objects_are_stored_by_stays() -> None:
    other = definition()
    other["spec"] = {**other["spec"], "scope": "Cluster", "names": {**other["spec"]["names"], "kind": "Other"}}
    was = definition()
    for each in (was, other):
        definitions.fill_in(each)
    told = [(each["field"], each["message"]) for each in checking.changed(was, other)]
    assert told == [
        ("spec.scope", 'Invalid value: "Cluster": field is immutable'),
        ("spec.names.kind", 'Invalid value: "Other": field is immutable'),
    ]
