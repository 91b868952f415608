"""YAML as bodies and answers. As kube-apiserver v1.36.2."""

from typing import Any

import pytest

from tests.api.kubernetes.test_admitting import DEFAULT
from tests.api.kubernetes.test_admitting import kube as kube
from tests.api.kubernetes.test_kubernetes import Kubernetes

MAPS, YAML = f"{DEFAULT}/configmaps", "application/yaml"
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
BODY = (
    HEAD
    + """data:
  text: |
    one
    two: <three> & 'four'
  on: "12"
  colon: "a: b"
"""
)
WRITTEN = """data:
  colon: 'a: b'
  text: |
    one
    two: <three> & 'four'
  "true": "12"
kind: ConfigMap
"""
WRONG = "the object provided is unrecognized (must be of type ConfigMap): "
BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{', '.join(10 * [f'*{old}'])}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
)


def _answer(kube: Kubernetes, path: str, **headers: Any) -> Any:
    return kube.client.get(f"/k8s/{kube.cluster_id}/{path}", headers={"Accept": YAML, **headers})


def test_a_body_is_read_and_an_answer_written(kube: Kubernetes) -> None:
    made = kube("POST", MAPS, BODY.encode(), status=201, kind=YAML)
    assert made["data"] == {"text": "one\ntwo: <three> & 'four'\n", "true": "12", "colon": "a: b"}
    found = _answer(kube, f"{MAPS}/a")
    assert found["Content-Type"] == YAML
    assert WRITTEN in found.content.decode()
    applied = kube("PATCH", f"{MAPS}/b?fieldManager=x", HEAD.replace("name: a", "name: b").encode(), 201,
                   kind="application/apply-patch+yaml")  # fmt: skip
    assert applied["metadata"]["name"] == "b"
    assert _answer(kube, MAPS).content.decode().startswith("apiVersion: v1\nitems:\n- data:\n")


def test_what_goes_wrong_is_told_in_yaml(kube: Kubernetes) -> None:
    found = _answer(kube, f"{MAPS}/none")
    assert (found.status_code, found["Content-Type"]) == (404, YAML)
    assert 'message: configmaps "none" not found\n' in found.content.decode()
    assert _answer(kube, f"{MAPS}?watch=1").status_code == 406


@pytest.mark.parametrize(
    ("body", "code", "want"),
    [
        ("metadata: {name: [\n", 400, f"{WRONG}yaml: line 1: did not find expected node content"),
        ("a: b: c\n", 400, f"{WRONG}yaml: mapping values are not allowed in this context (613a20623a20630a)"),
        ("- a\n", 400, f"{WRONG}couldn't get version/kind; json parse error: json: cannot unmarshal array"),
        (
            "# nothing\n",
            422,
            'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        ),
        (HEAD + "data: {a: 1}\n", 400, 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot'),
        ("[" * 200, 400, "the object provided is nested more than 100 levels deep"),
        (BOMB, 400, "the object provided is more than 500000 values"),
    ],
)
def test_what_is_no_object_is_refused(kube: Kubernetes, body: str, code: int, want: str) -> None:
    assert kube("POST", MAPS, body.encode(), status=code, kind=YAML)["message"].startswith(want)
