"""Label and field selectors of lists."""

from typing import Any

import pytest

from kubernetes_api.reads.selectors import SelectorError, fields, labels

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
    ("n>4", True),
    ("n < 5", False),
    ("tier>4", False),
]


@pytest.mark.parametrize(("written", "want"), LABELS)
def test_labels(written: str, want: bool) -> None:
    assert labels(written)(FRONT) is want


@pytest.mark.parametrize("written", ["tier=front,", "a b", "=x", "tier in front", "a in (b", "n>x", "," * 20_000, "()"])
def test_what_is_no_label_selector(written: str) -> None:
    if written == "tier=front,":
        assert labels(written)(FRONT)
        return
    with pytest.raises(SelectorError):
        labels(written)


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
        ("ConfigMap", "spec.nodeName=a", "field label not supported: spec.nodeName"),
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
