"""Which names kinds of clients get beside one another. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.custom import definitions, naming
from kube_apiserver.resources import table
from kube_objects.kinds.storage_kind import storage_kind

Object = dict[str, Any]


def definition(plural: str, kind: str, *short: str, group: str = "x.example.com") -> Object:
    names = {"plural": plural, "kind": kind, **({"shortNames": list(short)} if short else {})}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    value: Object = {
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    definitions.fill_in(value)
    return value


FIRST = definitions.with_status(definition("widgets", "Widget", "wi"))
CASES: list[tuple[str, Object, list[tuple[str, str, str]], Object]] = [
    (
        "a short name",
        definition("gadgets", "Gadget", "wi"),
        [
            ("False", "ShortNamesConflict", '"wi" is already in use'),
            ("False", "NotAccepted", "not all names are accepted"),
        ],
        {"kind": "Gadget", "listKind": "GadgetList", "plural": "gadgets", "singular": "gadget"},
    ),
    (
        "a kind",
        definition("things", "Widget"),
        [
            ("False", "ListKindConflict", '"WidgetList" is already in use'),
            ("False", "NotAccepted", "not all names are accepted"),
        ],
        {"kind": "", "plural": "things"},
    ),
]


@pytest.mark.parametrize(("name", "given", "want", "names"), CASES)
def test_names_that_another_has(name: str, given: Object, want: list[tuple[str, str, str]], names: Object) -> None:
    judged = naming.with_accepted_names(given, [FIRST])
    found = judged["status"]["conditions"]
    assert [(each["status"], each["reason"], each["message"]) for each in found] == want
    assert judged["status"]["acceptedNames"] == names
    assert not naming.is_established(judged)
    assert definitions.resources([FIRST, judged]) == definitions.resources([FIRST])
    freed = naming.with_accepted_names(judged, [])
    assert naming.is_established(freed)
    assert freed["status"]["acceptedNames"] == given["spec"]["names"]


@pytest.mark.parametrize("kind", ["Job", "Ingress", "Gateway"])
def test_kinds_of_several_groups_may_have_one_name(kind: str) -> None:
    first = definitions.with_status(definition("things", kind, group="networking.istio.io"))
    second = definition("things", kind, group="gateway.networking.k8s.io")
    assert naming.with_accepted_names(second, [first]) == second
    for given in ([first, second], [second, first]):
        assert [each.kind for each in definitions.resources(given)] == [
            f"{kind}.gateway.networking.k8s.io",
            f"{kind}.networking.istio.io",
        ]


def test_groups_come_by_name_and_their_versions_by_how_far_they_are() -> None:
    """As a server tells of them: who asks for a name that several have gets the first."""
    older = definition("destinationrules", "DestinationRule", group="networking.istio.io")
    older["spec"]["versions"][0]["name"] = "v1alpha3"
    newer = definition("gateways", "Gateway", group="networking.istio.io")
    other = definition("gateways", "Gateway", group="gateway.networking.k8s.io")
    found = definitions.resources([older, newer, other])
    assert [(each.group, each.version, each.name) for each in found] == [
        ("gateway.networking.k8s.io", "v1", "gateways"),
        ("networking.istio.io", "v1", "gateways"),
        ("networking.istio.io", "v1alpha3", "destinationrules"),
    ]


def test_kinds_of_every_group_that_a_server_has_of_itself_are_kept_by_their_names() -> None:
    assert {storage_kind(each.api_version, each.kind) for each in table().values()} == {
        each.kind for each in table().values()
    }


def test_who_was_refused_for_another_groups_kind_is_served() -> None:
    """As a definition was stored when a kind's name could be only one group's."""
    status = naming.in_status(("False", "KindConflict", '"Widget" is already in use'), naming.NOT_ESTABLISHED, None)
    given = definition("widgets", "Widget", group="y.example.com")
    refused = {**given, "status": {**status, "acceptedNames": {"kind": "", "plural": "widgets"}}}
    assert [each.group for each in definitions.resources([FIRST, refused])] == ["x.example.com", "y.example.com"]


def test_another_group_may_have_the_same_short_name() -> None:
    given = definition("gadgets", "Gadget", "wi", group="y.example.com")
    assert naming.with_accepted_names(given, [FIRST]) == given
