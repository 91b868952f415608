"""What is sent through doors that take an object of a kind of their own. Measured from kube-apiserver v1.36.2."""

from collections.abc import Callable
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers, opening
from kube_apiserver.writes.options import WriteOptions
from tests.core.kube_apiserver.refusals import BY, Object, created, resource

Door = Callable[[Any], object]


def evicted(sent: Any) -> Object:
    value, _ = opening.of_pod(opening.EVICTION, sent, "shop", "web", "Strict")
    return opening.wanted_deletion(value, is_dry_run=True)


def bound(sent: Any) -> Object:
    return opening.of_pod(opening.BINDING, sent, "shop", "web", "Strict")[0]


def asked(sent: Any) -> Object:
    return opening.token_request(sent, "shop", "web", "Strict")[0]


STUCK = "ignoreStoreReadErrorWithClusterBreakingPotential"
OTHER_PLACE = "the namespace of the provided object does not match the namespace sent on the request"
REFUSED: list[tuple[str, Door, Any, int, str]] = [
    ("an eviction of another", evicted, {}, 400, "name in URL does not match name in Eviction object"),
    (
        "an eviction that is half a dry run",
        evicted,
        {"metadata": {"name": "web"}, "deleteOptions": {"dryRun": ["a"]}},
        500,
        "Non-matching dry-run options in request and content: [All] and [a]",
    ),
    (
        "an eviction whatever breaks",
        evicted,
        {"metadata": {"name": "web"}, "deleteOptions": {STUCK: True}},
        422,
        f'Eviction.policy "web" is invalid: deleteOptions.{STUCK}: Invalid value: true: can not be set for pod '
        "eviction, try after removing the option",
    ),
    (
        "an eviction of no time",
        evicted,
        {"metadata": {"deletionTimestamp": "*"}},
        400,
        'Eviction in version "v1" cannot be handled as a Eviction: parsing time "*" as "2006-01-02T15:04:05Z07:00": '
        'cannot parse "*" as "2006"',
    ),
    ("a binding of another", bound, {"target": {}}, 400, "name in URL does not match name in Binding object"),
    ("a binding elsewhere", bound, {"metadata": {"name": "web", "namespace": "a"}}, 400, OTHER_PLACE),
    (
        "a binding to a list",
        bound,
        {"target": {"name": []}},
        400,
        'Binding in version "v1" cannot be handled as a Binding: json: cannot unmarshal array into Go struct field '
        "ObjectReference.target.name of type string",
    ),
    (
        "a token of another",
        asked,
        {"metadata": {"name": "b"}},
        422,
        'TokenRequest.authentication.k8s.io "web" is invalid: metadata.name: Invalid value: "b": must match the '
        "service account name if specified",
    ),
    (
        "a token with what it does not have",
        asked,
        {"spec": {"odd": 1}},
        400,
        'TokenRequest in version "v1" cannot be handled as a TokenRequest: strict decoding error: unknown field '
        '"spec.odd"',
    ),
]


@pytest.mark.parametrize(("name", "door", "sent", "code", "want"), REFUSED, ids=[each[0] for each in REFUSED])
def test_what_a_door_refuses(name: str, door: Door, sent: Any, code: int, want: str) -> None:
    with pytest.raises(ApiError) as refused:
        door(sent)
    assert (refused.value.code, str(refused.value)) == (code, want)


def test_what_kind_the_options_of_an_eviction_say_is_no_matter() -> None:
    sent = {"metadata": {"name": "web"}, "deleteOptions": {"kind": "*", "gracePeriodSeconds": 3, "dryRun": ["All"]}}
    assert evicted(sent) == {"gracePeriodSeconds": 3, "dryRun": ["All"]}


FINALIZERS: list[tuple[str, list[str], str]] = [
    ("none", [], ""),
    ("its own", ["kubernetes", "a.com/b"], ""),
    ("no name", ["a!"], '[spec.finalizers[0]: Invalid value: "a!": name part must consist of alphanumeric characters'),
    ("no standard one", ["kubernetes", "x"], 'spec.finalizers[1]: Invalid value: "x": name is neither a standard'),
]


@pytest.mark.parametrize(("name", "given", "want"), FINALIZERS, ids=[each[0] for each in FINALIZERS])
def test_what_a_namespace_waits_for(name: str, given: list[str], want: str) -> None:
    live = created("namespaces", {}).value
    assert live is not None
    options = WriteOptions("tests", BY.time, subresource="finalize")
    try:
        value = handlers.replace(resource("namespaces"), live, {**live, "spec": {"finalizers": given}}, options).value
    except ApiError as refused:
        assert want and str(refused).startswith(f'Namespace "web" is invalid: {want}')
    else:
        assert not want and (value or live)["spec"].get("finalizers", []) == given
