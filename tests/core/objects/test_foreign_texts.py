"""Texts as people paste them: what kubectl reads is read, and what it cannot read is named with what to do."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kube_objects.documents import File, read_documents
from kube_objects.text.limits import Limits
from simulator.importers.folder import choose
from tests.conformance.testing.nodes import make_node
from tests.conformance.testing.pods import make_pod

NODE = json.dumps(make_node("n1").manifest())
POD = json.dumps(make_pod("p").manifest())
YAML_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n"
BOTH = ["Node n1", "Pod default/p"]

READ = [
    # name, text; kubectl v1.36 reads all of these.
    ("JSON values between lines of ---", f"{NODE}\n---\n{POD}"),
    ("a separator behind a value", f"{NODE}---\n{POD}\n---\n"),
    ("YAML after JSON", f"{NODE}\n---\n{YAML_POD}"),
    ("JSON after YAML", f"{YAML_POD}---\n{NODE}"),
    ("a flow mapping", "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n" + YAML_POD),
    ("single quotes", NODE.replace('"', "'") + f"\n---\n{YAML_POD}"),
    ("a comma too much", NODE[:-1] + f",}}\n---\n{YAML_POD}"),
    ("a comment in JSON", "{\n  # the node\n" + NODE[1:] + f"\n---\n{YAML_POD}"),
    ("a comment between JSON values", f"{NODE}\n# next\n{POD}"),
]


@pytest.mark.parametrize(("name", "text"), READ)
def test_json_and_yaml_in_one_text(name: str, text: str) -> None:
    read = read_documents(text)
    assert [str(problem) for problem in read.problems] == []
    assert sorted(f"{obj.kind} {obj.key}" for obj in read.objects) == BOTH


LABEL = "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  labels:\n    v: {}\n"
NAMED = [
    # name, text, the whole problem
    ("Markdown", f"```yaml\n{YAML_POD}```\n", "line 1: has Markdown fences in it; import only what is between"),
    ("kubectl describe", "Name:    n1\nRoles:   <none>\nLabels:  a=b\n", "line 1: is the output of `kubectl describe`"),
    ("kubectl get", "NAME   STATUS   INTERNAL-IP\nn1     Ready    10.0.0.4\n", "line 1: is a table from `kubectl get`"),
    ("a prompt", f"$ kubectl get pods -o yaml\n{YAML_POD}", "line 1: has a shell prompt in it; remove the lines"),
    ("a prompt at the end", f"{YAML_POD}user@host:~$ \nme@host:~$ ls\n", "line 6: has a shell prompt in it"),
    ("colors", YAML_POD.replace("kind", "\x1b[36mkind\x1b[0m"), "line 2: has color codes of a terminal in it"),
    ("NUL", f"{YAML_POD}\0\0", "line 5: has the control character U+0000 in it; remove it"),
    ("no-break spaces", YAML_POD.replace("spec:", "spec:\n\u00a0 x:"), "line 5: has no-break spaces in its"),
    ("HTML", "<!DOCTYPE html>\n<html>\n<p>a: b: c</html>", "line 1: is an HTML page; download the raw file"),
    ("compose", "services:\n  web: {image: nginx}\n", "document 1, line 1: is a Docker Compose file"),
    ("a chart", "apiVersion: v2\nname: web\nversion: 1.0.0\n", "document 1, line 1: is the Chart.yaml of a Helm chart"),
    ("a template", "a: {{ .Values.a }}\nb: {{- if x }}\n", "line 1: has {{ … }} in it"),
    ("a bare kustomization", "resources: [a.yaml]\n", "document 1, line 1: is a kustomization"),
    ("slashes", '{\n  // the node\n"kind": "Node"}', "line 2: has comments that begin with //"),
    ("slashes behind a field", '{\n  "kind": "Node", // one\n}', "line 2: has comments that begin with //"),
    ("tabs", "kind: Pod\nmetadata:\n\tname: p\n", "start any token; replace the tabs with spaces"),
    ("quoted names", "{“apiVersion”: “v1”, “kind”: “Pod”}", "document 1, line 1: has typographic quotes around names"),
    ("an array", f"[{NODE}]", "must be an object with apiVersion and kind; put the"),
    ("typographic quotes", YAML_POD.replace("c}", "c, resources: {requests: {cpu: “4”}}}"), "; replace the"),
    ("a version", LABEL.format("1.10"), 'quote it: "1.10"; without quotes, YAML reads 1.1'),
    ("a commit", LABEL.format("0222e04"), 'quote it: "0222e04"; without quotes, YAML reads 2220000.0'),
    ("an octal", LABEL.format("010"), 'quote it: "010"; without quotes, YAML reads 8'),
    ("a hexadecimal", LABEL.format("0x1F"), 'quote it: "0x1F"; without quotes, YAML reads 31'),
    ("underscores", LABEL.format("1_000"), 'quote it: "1_000"; without quotes, YAML reads 1000'),
    ("Norway", LABEL.format("no"), 'quote it: "no"; without quotes, YAML reads false'),
    ("a number", LABEL.format("5"), 'must be a string; quote it: "5"'),
    ("an alias", LABEL.format("&v 1.10") + "    w: *v\n", 'quote it: "1.10"; without quotes, YAML reads 1.1'),
    ("JSON after JSON", f'{NODE}\n---\n{NODE.replace(chr(34) + "n1" + chr(34), "1.10")}', 'line 3: metadata.name'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "said"), NAMED)
def test_what_cannot_be_read_is_named(name: str, text: str, said: str) -> None:
    read = read_documents(text)
    assert read.objects == []
    problems = [str(problem) for problem in read.problems]
    assert all(said in problem for problem in problems[:1]), problems
    assert problems


def test_a_packed_file_is_named() -> None:
    (problem,) = read_documents(gzip.compress(YAML_POD.encode())).problems
    assert str(problem).startswith("is compressed with gzip; unpack it first: `gunzip FILE`")


def test_a_broken_kustomization_says_its_line() -> None:
    chosen = choose([File("kustomization.yaml", "resources:\n- a.yaml\n b: c\n"), File("a.yaml", YAML_POD)])
    assert [str(problem) for problem in chosen.problems] == [
        "kustomization.yaml, line 3: is not valid YAML: mapping values are not allowed in this context"
    ]


POLICY = "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles: []\n"


def test_a_descheduler_policy_needs_no_name() -> None:
    (policy,) = read_documents(POLICY).objects
    assert (policy.kind, policy.name) == ("DeschedulerPolicy", "default")


def test_the_policy_in_a_charts_config_map_is_read() -> None:
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "descheduler", "namespace": "kube-system"},
        "data": {"policy.yaml": POLICY},
    }
    read = read_documents(json.dumps(config_map))
    assert [f"{obj.kind} {obj.key}" for obj in read.objects] == [
        "ConfigMap kube-system/descheduler",
        "DeschedulerPolicy descheduler",
    ]
    assert len(read.notes) == 1 and "DeschedulerPolicy" in read.notes[0]


SMALL = Limits(bytes=5000, depth=20, values=500, documents=20, objects=20, problems=20)
PIECES = st.sampled_from(
    [NODE, POD, YAML_POD, "---\n", "\n---\n", "{", "}", '"', "'", "# c\n", "&a [*a]", "<<: *x\n", "\r", "\0", "\ufeff"]
) | st.text(max_size=8)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=8), st.integers(0, 400))
def test_any_mixture_is_read_or_refused(pieces: list[str], cut: int) -> None:
    for text in ("".join(pieces), "".join(pieces)[:cut]):
        read = read_documents(text, SMALL)
        assert not (read.objects and read.problems)
        assert all(map(str, read.problems))
