"""What people paste: kubectl's output, several documents, lists, mistakes, and attempts to break in."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kube_objects.collect import UnusedField
from kube_objects.documents import read_documents
from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.text.limits import Limits
from kube_objects.text.yaml_values import read_yaml
from tests.conformance.testing import make_node, make_pod

SAMPLE = (Path(__file__).parent / "samples" / "kubectl-get.yaml").read_text()


def test_what_kubectl_prints() -> None:
    result = read_documents(SAMPLE)
    assert result.problems == []
    assert [(obj.kind, obj.key) for obj in result.objects] == [
        ("Node", "lab-control-plane"),
        ("Node", "lab-worker"),
        ("Pod", "kube-system/etcd-lab-control-plane"),
        ("Pod", "default/train-7c9d8b5f6-x2k4q"),
        ("Pod", "default/backup-29145780-m9v7t"),
    ]
    _, worker, etcd, train, backup = result.objects
    assert isinstance(worker, Node) and isinstance(etcd, Pod) and isinstance(train, Pod) and isinstance(backup, Pod)
    assert worker.unschedulable
    assert worker.allocatable["nvidia.com/gpu"] == 2
    assert (etcd.node_name, etcd.phase, etcd.requests["cpu"]) == ("lab-control-plane", "Running", 100)
    assert (train.node_name, train.requests["nvidia.com/gpu"], train.volumes[0].claim_name) == ("", 1, "train-data")
    assert train.conditions[0].reason == "Unschedulable"
    assert backup.finished


def test_what_scheduling_does_not_read_is_listed_once_per_path() -> None:
    unused = {(entry.kind, entry.path): entry for entry in read_documents(SAMPLE).unused}
    assert unused["Pod", "metadata.resourceVersion"] == UnusedField(
        "Pod", "metadata.resourceVersion", 3, 1, "kube-system/etcd-lab-control-plane"
    )
    assert unused["Node", "metadata.managedFields"].count == 1
    assert unused["Pod", "spec.containers[].livenessProbe"].count == 1
    assert unused["Pod", "spec.volumes[].projected"].key == "default/train-7c9d8b5f6-x2k4q"
    assert ("Pod", "spec.containers[].resources") not in unused
    assert not [path for _, path in unused if path.startswith(("spec.tolerations", "spec.affinity", "metadata.labels"))]


def test_json_and_yaml_say_the_same() -> None:
    (document,) = read_yaml(SAMPLE, Limits())
    as_json = read_documents(json.dumps(document.value, indent=4).encode())
    assert as_json.problems == []
    assert as_json.objects == read_documents(SAMPLE).objects


POD = make_pod("a").manifest()
NODE = make_node("node").manifest()


def keys(data: str | bytes) -> list[str]:
    result = read_documents(data)
    assert result.problems == []
    return [f"{obj.kind} {obj.key}" for obj in result.objects]


ACCEPTED: list[tuple[str, str | bytes, list[str]]] = [
    ("one object", yaml.safe_dump(POD), ["Pod default/a"]),
    ("bytes with a mark", b"\xef\xbb\xbf" + yaml.safe_dump(POD).encode(), ["Pod default/a"]),
    ("several documents", yaml.safe_dump_all([POD, None, NODE]), ["Pod default/a", "Node node"]),
    ("comments and empty documents", f"# hello\n---\n---\n{yaml.safe_dump(POD)}---\n# end\n", ["Pod default/a"]),
    ("JSON", json.dumps(POD), ["Pod default/a"]),
    ("JSON one after the other", f"{json.dumps(POD)}\n{json.dumps(NODE)}", ["Pod default/a", "Node node"]),
    ("a list", json.dumps({"apiVersion": "v1", "kind": "List", "items": [POD, NODE]}), ["Pod default/a", "Node node"]),
    ("a list of lists", json.dumps({"kind": "List", "items": [{"kind": "List", "items": [POD]}]}), ["Pod default/a"]),
    (
        "a typed list whose items do not say what they are",
        json.dumps({"apiVersion": "v1", "kind": "PodList", "items": [{k: POD[k] for k in ("metadata", "spec")}]}),
        ["Pod default/a"],
    ),
    (
        "an empty list",
        json.dumps({"apiVersion": "v1", "kind": "PodList", "items": []}) + json.dumps(POD),
        ["Pod default/a"],
    ),
    (
        "names to be generated",
        yaml.safe_dump_all([{**POD, "metadata": {"generateName": "web-"}}] * 2),
        ["Pod default/web-00001", "Pod default/web-00002"],
    ),
    (
        "anchors, aliases and merges",
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: a, labels: &labels {app: web, tier: front}}
        spec:
          nodeSelector: {<<: *labels, tier: back}
          containers: [{name: a}]
        """,
        ["Pod default/a"],
    ),
    (
        "kinds that are not read",
        yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}),
        ["ConfigMap c"],
    ),
]


@pytest.mark.parametrize(("data", "want"), [case[1:] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED])
def test_what_is_accepted(data: str | bytes, want: list[str]) -> None:
    assert keys(data) == want


def test_merged_keys_do_not_override() -> None:
    (pod,) = read_documents({name: text for name, text, _ in ACCEPTED}["anchors, aliases and merges"]).objects
    assert isinstance(pod, Pod)
    assert pod.node_selector == {"app": "web", "tier": "back"}


def test_scalars_mean_what_they_mean_to_kubectl() -> None:
    text = """
    apiVersion: v1
    kind: Node
    metadata: {name: node, creationTimestamp: 2025-06-01T00:00:00Z, labels: {a: "on", b: '1', c: null}}
    spec: {unschedulable: on}
    status: {capacity: {cpu: 010, memory: 1_000, pods: 1e2}}
    """
    (node,) = read_documents(text).objects
    assert isinstance(node, Node)
    assert (node.unschedulable, node.capacity) == (True, {"cpu": 8000, "memory": 1000, "pods": 100})
    assert (node.creation_timestamp, node.labels) == (1748736000.0, {"a": "on", "b": "1", "c": ""})


def test_what_is_no_object_is_listed_as_unused() -> None:
    result = read_documents("apiVersion: v1\nkind: Config\nclusters: []\n")
    assert (result.objects, result.problems) == ([], [])
    assert result.unused == [UnusedField("Config", "", 1, 1, "")]


REFUSED: list[tuple[str, str | bytes, list[str]]] = [
    ("nothing", "", ["there is no object in this text; paste what `kubectl get nodes,pods -A -o yaml` prints"]),
    ("a word", "hello", ['document 1, line 1: "hello": must be an object with apiVersion and kind']),
    ("a list", "- a\n", ["document 1, line 1: (a list of 1 item): must be an object with apiVersion and kind"]),
    ("not UTF-8", b"a: b\nc: \xff\n", ["line 2: must be UTF-8 text, but byte 8 is not"]),
    (
        "broken YAML",
        "a: b\nc: d: e\n",
        ["document 1, line 2: is not valid YAML: mapping values are not allowed in this context"],
    ),
    (
        "a broken second document",
        f"{yaml.safe_dump(POD)}---\n'\n",
        ["document 2, line {last}: is not valid YAML: found unexpected end of stream"],
    ),
    ("broken JSON", '{\n"a": "b" "c"}', ["document 1, line 2: is not valid JSON: Expecting ',' delimiter"]),
    ("NaN", '{"a": NaN}', ["document 1, line 1: is not valid JSON: NaN is not a JSON number"]),
    ("a huge number", '{"a": ' + "1" * 5000 + "}", ["number with too many digits"]),
    ("an unknown anchor", "a: *b", ["document 1, line 1: unknown anchor 'b' referenced"]),
    ("a value within itself", "a: &a [*a]", ["document 1, line 1: unknown anchor 'a' referenced"]),
    ("a mapping as a key", "? {a: b}\n: c", ["document 1, line 1: a key may not be a list or mapping"]),
    (
        "an object of the same name",
        yaml.safe_dump_all([POD, POD]),
        ['document 2, line {name}: metadata.name: "default/a": there is already a Pod of this name in document 1'],
    ),
    (
        "a key twice, in YAML",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  name: b\nspec: {containers: [{name: a}]}\n",
        ["document 1, line 5: metadata.name: appears twice in one mapping"],
    ),
    (
        "a key twice, in JSON",
        '{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "a"}]},\n'
        ' "metadata": {"name": "a",\n  "name": "b"}}',
        ["document 1, line 3: metadata.name: appears twice in one mapping"],
    ),
    (
        "the path and line within a list",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n"
        "  spec:\n    priority: high\n    containers:\n    - image: x\n",
        [
            'document 1, line 8: items[0].spec.priority: "high": must be an integer',
            "document 1, line 10: items[0].spec.containers[0].name: Required value",
        ],
    ),
    (
        "an item that is none",
        '{"apiVersion": "v1", "kind": "List",\n"items": [1]}',
        ["document 1, line 2: items[0]: 1: must be an object with apiVersion and kind"],
    ),
    (
        "no kind",
        "metadata: {name: a}",
        ["document 1, line 1: kind: Required", "document 1, line 1: apiVersion: Required"],
    ),
]


@pytest.mark.parametrize(("data", "want"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_refused(data: str | bytes, want: list[str]) -> None:
    result = read_documents(data)
    assert result.objects == []
    found = [str(problem) for problem in result.problems]
    assert len(found) == len(want), found
    for problem, beginning in zip(found, want, strict=True):
        assert problem.startswith(beginning.format(**_lines(data)))


def _lines(data: str | bytes) -> dict[str, int]:
    """`last` is the line after the text, `name` that of the last name at the second level."""
    lines = str(data).split("\n")
    names = [number for number, line in enumerate(lines, 1) if line.startswith("  name:")]
    return {"last": len(lines), "name": names[-1] if names else 0}


def test_nothing_is_half_imported() -> None:
    broken = {**POD, "spec": {"containers": []}, "metadata": {"name": "b"}}
    result = read_documents(yaml.safe_dump_all([POD, broken, NODE]))
    assert result.objects == []
    assert [(problem.document, problem.path) for problem in result.problems] == [(2, "spec.containers")]


SMALL = Limits(bytes=2000, depth=10, values=200, documents=3, objects=3, problems=3)
LAUGHS = "a: &a [x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\n"
LADDER = "a: &a [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1 if n else ''}]\n" for n in range(12)).replace("*a\n", "*a\n")
LIMITS: list[tuple[str, str, str]] = [
    ("bytes", "a" * 2001, "is larger than 2000 bytes; it has 2001"),
    ("depth, YAML", "[" * 11 + "]" * 11, "nested more than 10 levels deep"),
    ("depth, JSON", '{"a":' * 11 + "1" + "}" * 11, "nested more than 10 levels deep"),
    ("depth through aliases", LADDER, "nested more than 10 levels deep"),
    ("values, YAML", "[" + "a," * 200 + "]", "more than 200 values"),
    ("values, JSON", '{"a":[' + "1," * 200 + "1]}", "more than 200 values"),
    ("values through aliases", LAUGHS, "more than 200 values"),
    ("documents, YAML", "---\n" * 4, "more than 3 documents"),
    ("documents, JSON", '{"apiVersion": "v1", "kind": "Config"}' * 4, "more than 3 documents"),
    (
        "objects",
        json.dumps({"kind": "List", "items": [{**POD, "metadata": {"name": f"p{n}"}} for n in range(4)]}),
        "more than 3 objects",
    ),
    ("problems", json.dumps({"kind": "List", "items": [{"kind": "Pod"}] * 5}), "more than 3 problems; the rest"),
]


@pytest.mark.parametrize(("text", "want"), [case[1:] for case in LIMITS], ids=[case[0] for case in LIMITS])
def test_limits(text: str, want: str) -> None:
    result = read_documents(text, SMALL)
    assert result.objects == []
    assert any(want in str(problem) for problem in result.problems), [str(problem) for problem in result.problems]


DEEP = [
    "[" * 100_000,
    '{"a":' * 100_000 + "1" + "}" * 100_000,
    '{"a":' * 100_000,
    "- " * 10_000,
    f"a: 1\na: 2\nb: {'[' * 100_000}",
]


@pytest.mark.parametrize("text", [*DEEP, *(f"{yaml.safe_dump({'kind': 'Pod'})}---\n{text}" for text in DEEP)])
def test_deep_nesting_costs_no_time(text: str) -> None:
    """The second pass, for the lines, must not go where the first one stopped."""
    begin = time.process_time()
    assert read_documents(text).problems
    assert time.process_time() - begin < 5


def test_half_characters_are_replaced() -> None:
    text = json.dumps({**POD, "metadata": {"name": "a", "annotations": {"n": "\ud83d\ude00 \ud800"}}})
    (pod,) = read_documents(text).objects
    assert pod.annotations == {"n": "\U0001f600 \ufffd"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.fixed_dictionaries({"kind": st.sampled_from(["Pod", "List", "X"]), "items": VALUES}), max_size=3))
def test_any_json_is_read_or_refused(values: list[Any]) -> None:
    text = "\n".join(json.dumps(value) for value in values)
    for problem in read_documents(text).problems:
        assert str(problem)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab:-[]{}&*!|>'\"\n #,?%@`~<\\0é", max_size=60) | st.binary(max_size=60))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    result = read_documents(text)
    assert result.objects == []
    for problem in result.problems:
        assert str(problem)
