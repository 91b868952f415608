"""What is said to the body of a delete that is no DeleteOptions. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import deleting

SCHEME = 'in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"'
PARSE = "couldn't get version/kind; json parse error: json: cannot unmarshal"
INTO = "json: cannot unmarshal {} into Go struct field DeleteOptions.{} of type {}"
BODIES: list[tuple[Any, str]] = [
    ({"kind": "Odd"}, f'no kind "Odd" is registered for version "meta.k8s.io/v1" {SCHEME}'),
    ({"kind": "Pod", "apiVersion": "v1"}, f'no kind "Pod" is registered for version "v1" {SCHEME}'),
    ({"kind": "Status", "apiVersion": "v1"}, "converting (v1.Status) to (v1.DeleteOptions): unknown conversion"),
    ({"kind": "DeleteOptions", "apiVersion": "odd/v1"}, ""),
    ({"kind": "DeleteOptions", "apiVersion": "a/b/c"}, "unexpected GroupVersion string: a/b/c"),
    ({"kind": 5}, f"{PARSE} number into Go struct field .kind of type string"),
    (
        [],
        f'{PARSE} array into Go value of type struct {{ APIVersion string "json:\\"apiVersion,omitempty\\""; '
        'Kind string "json:\\"kind,omitempty\\"" }',
    ),
    ({"gracePeriodSeconds": "x"}, INTO.format("string", "gracePeriodSeconds", "int64")),
    ({"propagationPolicy": 5}, INTO.format("number", "propagationPolicy", "v1.DeletionPropagation")),
    ({"dryRun": "All"}, INTO.format("string", "dryRun", "[]string")),
    ({"preconditions": []}, INTO.format("array", "preconditions", "v1.Preconditions")),
    ({"orphanDependents": "x"}, INTO.format("string", "orphanDependents", "bool")),
    ({"odd": 1}, ""),
]


@pytest.mark.parametrize(("sent", "want"), BODIES)
def test_a_body(sent: Any, want: str) -> None:
    told = ""
    try:
        deleting.options(sent, {})
    except ApiError as refusal:
        told = str(refusal)
        assert refusal.code == 400
    assert told == want
