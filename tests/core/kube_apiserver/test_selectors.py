"""Label and field selectors of lists."""

from typing import Any

import pytest

from kube_apiserver.reads.selectors import SelectorError, fields, labels

FRONT = {
    "metadata": {"name": "web", "namespace": "shop", "labels": {"tier": "front", "n": "5"}},
    "spec": {"nodeName": "n1"},
}

LABELS = [
    ("", True),
    ("tier", True),
    ("!tier", False),
    ("!other", True),
    ("tier=front", True),
    ("tier==front,n=5", True),
    ("tier=back", False),
    ("tier!=back", True),
    ("other!=x", True),
    ("tier in (front,back)", True),
    ("tier notin (front, back)", False),
    ("other notin (a)", True),
    ("tier in (back),n", False),
    ("tier in (,front)", True),
    ("tier in ()", False),
    ("in", False),
    ("n in (in, 5)", True),
    ("tier=", False),
    ("n>4", True),
    ("n < 5", False),
    ("tier>4", False),
]


@pytest.mark.parametrize(("written", "want"), LABELS)
def test_labels(written: str, want: bool) -> None:
    assert labels(written)(FRONT) is want


NO_LABELS = [
    ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
    ("=x", "found '=', expected: !, identifier, or 'end of string'"),
    ("()", "found '(', expected: !, identifier, or 'end of string'"),
    ("a,,b", "found ',', expected: identifier after ','"),
    ("tier=front,", "found '', expected: identifier after ','"),
    ("a=b=c", "found '=', expected: ',' or 'end of string'"),
    ("!!a", "unable to parse requirement: found '!', expected: identifier"),
    ("tier in front", "unable to parse requirement: found 'front' expected: '('"),
    ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
    ("a in (!", "unable to parse requirement: found '!', expected: ',', ')' or identifier"),
    ("a=(", "unable to parse requirement: found '(', expected: identifier"),
    (
        "n>x",
        "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an "
        "integer",
    ),
    (
        "a=b@",
        'unable to parse requirement: values[0][a]: Invalid value: "b@": a valid label must be an empty string or '
        "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
        "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ),
    (
        "a/b/c",
        'unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key must consist of alphanumeric '
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
        "'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an "
        "optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ),
    ("," * 20_000, "unable to parse requirement: longer than 16384 characters"),
]


@pytest.mark.parametrize(("written", "want"), NO_LABELS, ids=[each[:20] for each, _ in NO_LABELS])
def test_what_is_no_label_selector(written: str, want: str) -> None:
    with pytest.raises(SelectorError) as told:
        labels(written)
    assert str(told.value) == want


@pytest.mark.parametrize(
    ("kind", "written", "want"),
    [
        ("Pod", "", True),
        ("Pod", "spec.nodeName=n1,metadata.namespace=shop", True),
        ("Pod", "spec.nodeName!=n1", False),
        ("Pod", "spec.hostNetwork=false", True),
        ("Pod", "status.phase=", True),
        ("Pod", "status.phase==Running", False),
        ("Node", "spec.unschedulable=true", False),
    ],
)
def test_fields(kind: str, written: str, want: bool) -> None:
    assert fields(written, kind)(FRONT) is want


@pytest.mark.parametrize(
    ("kind", "written", "said"),
    [
        (
            "ConfigMap",
            "spec.nodeName=a",
            '"spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        ("Job", "x=a", 'field label "x" not supported for Job'),
        ("ResourceSlice", "x=a", "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x"),
        ("Secret", "x=a", "field label not supported: x"),
        ("Node", "metadata.namespace=a", "field label not supported: metadata.namespace"),
        ("Pod", "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
    ],
)
def test_what_is_no_field_selector(kind: str, written: str, said: str) -> None:
    with pytest.raises(SelectorError) as caught:
        fields(written, kind)
    assert str(caught.value) == said


def test_an_event_is_found_by_what_it_is_about() -> None:
    event: dict[str, Any] = {"involvedObject": {"name": "web"}, "source": {"component": "default-scheduler"}}
    assert fields("involvedObject.name=web,source=default-scheduler", "Event")(event)
