"""Which names kinds of clients get beside one another. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kubernetes_api.custom import definitions, naming

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
    judged = naming.judged(given, [FIRST])
    found = judged["status"]["conditions"]
    assert [(each["status"], each["reason"], each["message"]) for each in found] == want
    assert judged["status"]["acceptedNames"] == names
    assert not naming.is_established(judged)
    assert definitions.resources([FIRST, judged]) == definitions.resources([FIRST])
    freed = naming.judged(judged, [])
    assert naming.is_established(freed)
    assert freed["status"]["acceptedNames"] == given["spec"]["names"]


def test_a_built_in_name_may_be_that_of_several_groups() -> None:
    first = definitions.with_status(definition("jobs", "Job", group="batch.volcano.sh"))
    second = definition("jobs", "Job", group="x.example.com")
    assert naming.judged(second, [first]) == second
    assert [each.kind for each in definitions.resources([first, second])] == [
        "Job.batch.volcano.sh",
        "Job.x.example.com",
    ]


def test_another_group_may_have_the_same_short_name() -> None:
    given = definition("gadgets", "Gadget", "wi", group="y.example.com")
    assert naming.judged(given, [FIRST]) == given
