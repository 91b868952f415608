"""What a server says of kinds that clients register, and of their objects. Measured from kube-apiserver v1.36.2."""

import copy
from typing import Any

import pytest

from kube_apiserver.custom import checking, definitions, scaling, schemas
from kube_apiserver.validation import table as validation
from kube_objects import formats
from tests.core.kube_apiserver.custom.test_custom import definition

Object = dict[str, Any]
SCHEMA: Object = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "string"},
        "name": {"type": "string", "maxLength": 5},
        "ports": {
            "type": "array",
            "maxItems": 1,
            "items": {"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}},
        },
        "tags": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "string"}},
        "when": {"type": "string", "format": "date-time"},
    },
}

OBJECTS: list[tuple[str, Object, list[str]]] = [
    (
        "fields before what is missing",
        {"name": "toolong"},
        ["name: Too long: may not be more than 5 bytes", "size: Required value"],
    ),
    (
        "items before their list",
        {"size": "s", "ports": [{"port": "a"}, {}]},
        [
            'ports[0].port: Invalid value: "string": ports[0].port in body must be of type integer: "string"',
            "ports[1].port: Required value",
            "ports: Too many: 2: must have at most 1 items",
        ],
    ),
    ("too many fields", {"size": "s", "tags": {"a": "b", "c": "d"}}, ["tags: Too many: 2: must have at most 1 items"]),
    (
        "no time",
        {"size": "s", "when": "yesterday"},
        ['when: Invalid value: "yesterday": when in body must be of type date-time: "yesterday"'],
    ),
    ("a time", {"size": "s", "when": "2026-01-05T08:00:00.5+02:00"}, []),
]


@pytest.mark.parametrize(("name", "value", "want"), OBJECTS, ids=lambda each: each if isinstance(each, str) else "")
def test_what_an_object_of_a_clients_kind_is_refused_for(name: str, value: Object, want: list[str]) -> None:
    found = schemas.problems(value, schemas.Structural(SCHEMA))
    assert [f"{each['field']}: {each['message']}" for each in found] == want


# Texts of each format, and texts that are not.
FORMATS: list[tuple[str, list[str], list[str]]] = [
    ("byte", ["", "YQ=="], ["!", "YQ"]),
    ("cidr", ["10.0.0.0/8", "10.0.0.1/8", "fe80::/10"], ["10.0.0.0", "x/8"]),
    # These as in the library's own tests.
    (
        "creditcard",
        ["4220 8554-2622 2389", "5139288802098206", "374953669708156", "6011464355444102", "3548209662790989"],
        ["", "credit card", "4220855426213389", "30190239451016", "6521674451993089", "624356436327468104"],
    ),
    ("date", ["2026-02-28"], ["2026-02-30", "26-02-28", "20260228"]),
    ("date-time", ["2026-01-05T08:00:00Z", "2026-01-05t08:00:00z"], ["2026-01-05", "2026-01-05T24:00:00Z", "noon"]),
    ("duration", ["5m", "1h30m", "0", "-1.5s", "22 ns", "3 days"], ["", "x", "5"]),
    ("hexcolor", ["#FFF", "abcdef"], ["#ffff"]),
    ("hostname", ["a.example.com", "web"], ["", "a..b", "-a"]),
    ("ipv4", ["10.0.0.1"], ["fe80::1", "300.0.0.1"]),
    ("ipv6", ["fe80::1"], ["10.0.0.1"]),
    ("isbn", ["3-8362-2119-5", "978-4-87311-336-4"], ["", "foo", "3836221195X"]),
    ("isbn10", ["3836221195", "1 61729 085 8", "3 423 21412 0", "340101319X"], ["3423214121", "978-3836221191"]),
    ("isbn13", ["9784873113685", "978 3401013190"], ["", "3-8362-2119-5", "01234567890ab", "978 3 8362 2119 0"]),
    ("k8s-long-name", ["a.b-c"], ["A", "a..b"]),
    ("k8s-short-name", ["a-b"], ["a.b", "a" * 64]),
    ("mac", ["01:23:45:67:89:ab", "0123.4567.89ab"], ["01:23"]),
    ("rgbcolor", ["rgb(0,31,255)", "rgb( 0,  31, 255 )"], ["", "rgb(1,349,275)", "rgb(01,31,255)", "rgba(0,31,255)"]),
    ("ssn", ["191 60 2869", "191-60-2869"], ["", "00-90-8787", "66690-76", "191602869"]),
    ("uri", ["https://a/b", "/a"], ["", "a"]),
    ("uuid", ["ABCDEF01-2345-6789-abcd-ef0123456789"], ["abc"]),
    ("uuid4", ["abcdef01-2345-4789-abcd-ef0123456789"], ["abcdef01-2345-6789-abcd-ef0123456789"]),
]


@pytest.mark.parametrize(("name", "right", "wrong"), FORMATS, ids=lambda each: each if isinstance(each, str) else "")
def test_formats(name: str, right: list[str], wrong: list[str]) -> None:
    schema = schemas.Structural({"type": "string", "format": name})
    assert [each for each in right if list(schemas.problems(each, schema))] == []
    assert [each for each in wrong if not list(schemas.problems(each, schema))] == []


def test_every_known_format_is_looked_at() -> None:
    tried = {formats.known(name) for name, _, _ in FORMATS}
    assert set(formats.CHECKS) - tried == {"uuid3", "uuid5"}


SCALE = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n", "labelSelectorPath": ".status.pods"}
SCALES: list[tuple[str, Object, list[str]]] = [
    ("nothing", {}, []),
    ("numbers", {"spec": {"n": 3}, "status": {"n": 0, "pods": "a=b"}}, []),
    (
        "text for a number",
        {"spec": {"n": "two"}},
        [".spec.n: Invalid value: 0: .spec.n accessor error: two is of the type string, expected int64"],
    ),
    ("too few", {"spec": {"n": -1}}, [".spec.n: Invalid value: -1: should be a non-negative integer"]),
    (
        "too many",
        {"status": {"n": 2**31}},
        [".status.n: Invalid value: 2147483648: should be less than or equal to 2147483647"],
    ),
    (
        "no selector",
        {"status": {"pods": {"b": 1, "a": [True, None]}}},
        [
            '.status.pods: Invalid value: "": .status.pods accessor error: map[a:[true <nil>] b:1] is of the type '
            "map[string]interface {}, expected string"
        ],
    ),
]


@pytest.mark.parametrize(("name", "value", "want"), SCALES, ids=lambda each: each if isinstance(each, str) else "")
def test_where_a_kind_has_its_scale(name: str, value: Object, want: list[str]) -> None:
    assert [f"{each['field']}: {each['message']}" for each in scaling.problems(value, SCALE)] == want


# The schema of a field `n`, and what is wrong with it.
PATH = "spec.validation.openAPIV3Schema.properties[n]"
DEFAULTS: list[tuple[str, Object, list[str]]] = [
    ("one that fits", {"type": "integer", "default": 1}, []),
    (
        "one that is too large",
        {"type": "integer", "maximum": 10, "default": 99},
        [f"{PATH}.default: Invalid value: 99:  in body should be less than or equal to 10"],
    ),
    (
        "one of no type",
        {"type": "integr", "default": 1},
        [
            f'{PATH}.default: Invalid value: "integer":  in body must be of type integr: "integer"',
            f'{PATH}.type: Unsupported value: "integr": supported values: "array", "boolean", "integer", "number", '
            '"object", "string"',
        ],
    ),
    (
        "what the schema does not have",
        {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"b": 1}},
        [f'{PATH}.default: Invalid value: {{"b":1}}: must not have unknown fields'],
    ),
    (
        "a field of it",
        {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"a": 1}},
        [f'{PATH}.default.a: Invalid value: "integer": a in body must be of type string: "integer"'],
    ),
]


@pytest.mark.parametrize(("name", "inner", "want"), DEFAULTS, ids=lambda each: each if isinstance(each, str) else "")
def test_defaults_that_do_not_fit(name: str, inner: Object, want: list[str]) -> None:
    given = copy.deepcopy(definition())
    given["spec"]["versions"][0]["schema"] = {
        "openAPIV3Schema": {"type": "object", "properties": {"n": inner}},
    }
    definitions.fill_in(given)
    assert [f"{each['field']}: {each['message']}" for each in checking.problems(given)] == want


def test_versions_are_told_as_the_internal_type_has_them() -> None:
    given = copy.deepcopy(definition(v1={}, v2={"subresources": {"status": {}}}))
    given["spec"]["versions"][1]["schema"] = {
        "openAPIV3Schema": {
            "type": "object",
            "properties": {
                "a": {"type": "array", "items": {"type": "string"}},
                "b": {"type": "object", "additionalProperties": True},
            },
        }
    }
    definitions.fill_in(given)
    versions, stored = (each["message"] for each in checking.problems(given))
    start = 'Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,'
    assert versions.startswith(f'{start}"Schema":{{"OpenAPIV3Schema":{{"ID":"","Schema":"","Ref":null,')
    assert '"Items":{"Schema":{"ID":""' in versions
    assert '"AdditionalProperties":{"Allows":true,"Schema":null}' in versions
    # Columns that all have alike stand above them.
    assert (
        '"Subresources":{"Status":{},"Scale":null},"AdditionalPrinterColumns":null,"SelectableFields":null}]: '
        in versions
    )
    assert stored == "Invalid value: null: must have at least one stored version"


def test_a_version_that_objects_were_stored_by_stays() -> None:
    live = copy.deepcopy(definition(v1={}, v2={"storage": True}))
    live["status"] = {"storedVersions": ["v1", "v2"]}
    value = copy.deepcopy(live)
    del value["spec"]["versions"][0]
    for each in live, value:
        definitions.fill_in(each)
    (cause,) = checking.changed(live, value)
    assert cause["field"] == "status.storedVersions[0]"
    assert cause["message"].startswith('Invalid value: "v1": missing from spec.versions; v1 was previously a storage')


VERSIONS: list[tuple[str, dict[str, Object], dict[str, str]]] = [
    (
        "a newer one is named",
        {"v1beta1": {"deprecated": True}, "v1": {"storage": True}, "v2alpha1": {}},
        {"v1": "", "v1beta1": "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget", "v2alpha1": ""},
    ),
    (
        "no older one",
        {"v1": {"deprecated": True, "storage": True}, "v1beta1": {}},
        {"v1": "example.com/v1 Widget is deprecated", "v1beta1": ""},
    ),
    (
        "own words",
        {"v1": {"deprecated": True, "deprecationWarning": "gone soon", "storage": True}},
        {"v1": "gone soon"},
    ),
]


@pytest.mark.parametrize(("name", "versions", "want"), VERSIONS, ids=lambda each: each if isinstance(each, str) else "")
def test_versions_in_their_order_and_what_is_warned_of(
    name: str, versions: dict[str, Object], want: dict[str, str]
) -> None:
    found = definitions.resources([definition(**versions)])
    assert {each.version: each.deprecation for each in found} == want
    assert [each.version for each in found] == list(want)


def test_the_hash_of_how_objects_are_stored() -> None:
    given = copy.deepcopy(definition())
    given["spec"]["names"] = {"kind": "Gadget", "plural": "gadgets"}
    given["metadata"]["name"] = "gadgets.example.com"
    assert definitions.resources([given])[0].storage_hash == "ggWp2HxsL0Q="
    assert (
        validation.validate_new(definitions.resources([given])[0], {"metadata": {"name": "a"}, "spec": {"size": 1}})
        == []
    )
