"""What people have on their disks: told by apiVersion and kind, document by document, file by file."""

import json
from typing import Any

import pytest
import yaml

from kube_objects.collect import ReadResult
from kube_objects.documents import File, read_documents, read_files
from kube_objects.pod_makers import count_without_pods
from simulator.importers.folder import choose
from simulator.importers.notes import notes_of
from tests.config_v1_34 import load
from tests.conformance.testing import make_node, make_pod

POD, NODE = make_pod("a").manifest(), make_node("node").manifest()
CONFIGURATION = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 8\n"
BARE = '{"predicates": []}'
POLICY = '{"kind": "Policy", "apiVersion": "v1", "predicates": []}'


def config_map(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}


def documents(*values: Any) -> str:
    return "---\n".join(value if isinstance(value, str) else yaml.safe_dump(value) for value in values)


def indented(text: str, spaces: int) -> str:
    return "".join(" " * spaces + line for line in text.splitlines(keepends=True))


# name, text, objects by kind, texts of configurations
CASES: list[tuple[str, str, list[str], list[str]]] = [
    ("a configuration alone", CONFIGURATION, [], [CONFIGURATION]),
    ("after a mark and comments", f"# mine\n---\n# v1\n{CONFIGURATION}", [], [f"# v1\n{CONFIGURATION}"]),
    ("beside objects", documents(NODE, CONFIGURATION, POD), ["Node", "Pod"], [CONFIGURATION]),
    ("in JSON, among others", json.dumps(NODE) + POLICY + json.dumps(POD), ["Node", "Pod"], [POLICY]),
    (
        "a policy with a space before the colon",
        '{"kind" : "Policy", "predicates" : []}',
        [],
        ['{"kind" : "Policy", "predicates" : []}'],
    ),
    (
        "in a ConfigMap, whatever the key",
        documents(config_map(**{"scheduler-config.yaml": CONFIGURATION, "x": "y"}), NODE),
        ["ConfigMap", "Node"],
        [CONFIGURATION],
    ),
    (
        "indented otherwise",
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n      "a":  |\n' + indented(CONFIGURATION, 9),
        ["ConfigMap"],
        [CONFIGURATION],
    ),
    ("a policy that says nothing of itself", json.dumps(config_map(**{"policy.cfg": BARE})), ["ConfigMap"], [BARE]),
    ("somebody else's config.yaml", json.dumps(config_map(**{"config.yaml": "retention: 15d\n"})), ["ConfigMap"], []),
    ("somebody else's policy.cfg", json.dumps(config_map(**{"policy.cfg": "allow *"})), ["ConfigMap"], []),
    ("a text about one", json.dumps(config_map(readme="kind: KubeSchedulerConfiguration: see")), ["ConfigMap"], []),
    (
        "a Policy of Kyverno",
        documents({"apiVersion": "kyverno.io/v1", "kind": "Policy", "metadata": {"name": "p"}}, POD),
        ["Pod", "Policy.kyverno.io"],
        [],
    ),
    (
        "what kube-scheduler-simulator exports",
        json.dumps({
            "pods": [{k: POD[k] for k in ("metadata", "spec")}],
            "nodes": [{k: NODE[k] for k in ("metadata", "spec", "status") if k in NODE}],
            "pvs": None, "pvcs": [], "storageClasses": [], "priorityClasses": [],
            "namespaces": [{"metadata": {"name": "shop"}}],
            "schedulerConfig": {"parallelism": 3},
        }),
        ["Namespace", "Node", "Pod"],
        [json.dumps({**yaml.safe_load(CONFIGURATION), "parallelism": 3})],
    ),
    (
        "kubectl cluster-info dump, with logs",
        json.dumps({"kind": "NodeList", "apiVersion": "v1", "items": [NODE]}, indent=4)
        + "\n==== START logs for container c of pod default/a ====\n{not json\n"
        + "==== END logs for container d of pod default/a ====\n"
        + "no newline==== END logs for container c of pod default/a ====\n"
        + json.dumps({"kind": "PodList", "apiVersion": "v1", "items": [POD]}, indent=4)
        + "\n==== START logs for container c of pod default/b ====\ncut off",
        ["Node", "Pod"],
        [],
    ),
    ("Windows writes UTF-16", documents(NODE), ["Node"], []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "kinds", "held"), CASES, ids=[case[0] for case in CASES])
def test_what_a_text_holds(name: str, text: str, kinds: list[str], held: list[str]) -> None:
    read = read_documents(text.encode("utf-16") if "UTF-16" in name else text)
    assert read.problems == []
    assert sorted(obj.kind for obj in read.objects) == kinds
    assert [found.text for found in read.configurations] == held


def test_a_configuration_knows_where_it_stood() -> None:
    text = documents(NODE, CONFIGURATION, config_map(**{"k.yaml": f"a: b\n---\n{CONFIGURATION}"}))
    alone, within = read_documents(text).configurations
    assert (alone.document, alone.where, within.where) == (2, "document 2", "ConfigMap c, data.k.yaml")
    assert text.splitlines()[alone.offset or 0] == CONFIGURATION.splitlines()[0]
    assert within.offset == 2
    assert load(alone.text) == load(within.text)


# name, text, why it is refused
REFUSED = [
    ("a template of Helm", "metadata:\n  name: {{ .Values.name }}\n", "it is a template, no YAML yet"),
    ("a template's control lines", "{{- if .Values.x }}\napiVersion: v1\n{{- end }}\n", "it is a template"),
    (
        "a kustomization",
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
        "is a kustomization, which names files",
    ),
    (
        "an old version of what is read",
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n",
        "does not serve PodDisruptionBudget in this version",
    ),
]


@pytest.mark.parametrize(("name", "text", "said"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_cannot_be_read_says_why(name: str, text: str, said: str) -> None:
    (problem,) = read_documents(text).problems
    assert said in str(problem)


ODD = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


def test_what_scheduling_does_not_read_cannot_spoil_an_import() -> None:
    """Twice the same name, a key twice, no name at all: of a kind that nothing is read of."""
    twice = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: u, labels: {a: b, a: c}}\n"
    read = read_documents(documents(ODD, {**ODD, "spec": 1}, twice, {**ODD, "metadata": {}}, NAMESPACE, NAMESPACE, POD))
    assert read.problems == []
    assert [f"{obj.kind} {obj.key}" for obj in read.objects] == [
        "Thing.example.com t",
        "Thing.example.com u",
        "Namespace shop",
        "Pod default/a",
    ]
    assert notes_of(read) == ["duplicates, of which only the first is used: 1 Namespace, 1 Thing.example.com"]
    assert [(each.kind, each.count) for each in read.unused if not each.path] == [("Thing.example.com", 3)]


def test_what_scheduling_reads_still_can() -> None:
    other = {**NAMESPACE, "metadata": {"name": "shop", "labels": {"a": "b"}}}
    for values in ((NAMESPACE, other), (POD, POD)):
        (problem,) = read_documents(documents(*values)).problems
        assert "there is already a" in problem.rule
    from_a_cluster = {**POD, "metadata": {**POD["metadata"], "uid": "1"}}
    assert read_documents(documents(from_a_cluster, from_a_cluster)).repeated == {"Pod": 1}


def owner(api_version: str, kind: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": spec}


TEMPLATE = {"template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c"}]}}}


def test_kinds_that_make_no_pods_here_are_counted() -> None:
    read = read_documents(
        documents(
            owner("apps/v1", "Deployment", replicas=12, **TEMPLATE),
            owner("apps/v1", "StatefulSet", selector={"matchLabels": {"a": "b"}}, **TEMPLATE),
            owner("batch/v1", "CronJob", jobTemplate={"spec": TEMPLATE}),
            owner("kubeflow.org/v1", "PyTorchJob", pytorchReplicaSpecs={"Worker": TEMPLATE}),
            owner("batch.volcano.sh/v1alpha1", "VolcanoJob", tasks=[TEMPLATE]),
            owner("apiextensions.k8s.io/v1", "CustomResourceDefinition", names={}),
            owner("example.com/v1", "Thing", template={"spec": {"steps": []}}),
            POD,
        )
    )
    assert count_without_pods(read.objects) == dict.fromkeys(
        ("CronJob", "Deployment", "PyTorchJob.kubeflow.org", "StatefulSet", "VolcanoJob.batch.volcano.sh"), 1
    )


# Folders


def files(**texts: str) -> list[File]:
    return [File(name.replace("__", "/").replace("_", "."), text) for name, text in texts.items()]


def read_folder(given: list[File]) -> tuple[list[str], list[str], list[str]]:
    """Objects with their files, notes, problems."""
    chosen = choose(given)
    read: ReadResult = read_files(chosen.files)
    problems = [str(problem) for problem in (*chosen.problems, *read.problems)]
    pairs = zip(read.origins, read.objects, strict=True)
    return [f"{file}: {obj.kind}" for file, obj in pairs], [*chosen.notes, *notes_of(read)], problems


def test_a_folder_is_read_as_one_text() -> None:
    found, notes, problems = read_folder(
        files(
            b_yaml=documents(POD),
            a__node_json=json.dumps(NODE),
            values_yaml="replicas: 3\n",
            chart__Chart_yaml="apiVersion: v2\nname: x\n",
            chart__templates__x_yaml="{{ if }}\n",
            README_md="# kind: Pod",
        )
    )
    assert found == ["b.yaml: Pod", "a/node.json: Node"]
    assert notes == [
        "values.yaml: holds no object of the API",
        "chart/Chart.yaml: holds no object of the API",
        "chart/templates/x.yaml: has {{ … }} in it: it is a template, no YAML yet; import what `helm template` prints",
    ]
    assert problems == []


def test_the_same_name_in_two_files_names_both() -> None:
    *_, problems = read_folder(files(a_yaml=documents(POD), b_yaml=documents(POD)))
    assert problems == [
        'b.yaml, document 1, line 4: metadata.name: "default/a": there is already a Pod of this name in a.yaml'
    ]


LISTS = "resources:\n- base\n- pod.yaml\n"


def test_a_kustomization_that_only_lists_is_followed() -> None:
    found, notes, problems = read_folder(
        files(
            kustomization_yaml=LISTS,
            pod_yaml=documents(POD),
            other_yaml=documents(make_pod("b").manifest()),
            base__kustomization_yaml="kind: Kustomization\nresources: [node.yaml]\n",
            base__node_yaml=documents(NODE),
        )
    )
    assert found == ["base/node.yaml: Node", "pod.yaml: Pod"]
    assert (notes, problems) == (["not listed by a kustomization: other.yaml"], [])


CHANGED = [
    ("changes what it lists", f"{LISTS}images: [{{name: a, newTag: b}}]\nnamespace: x\n", "(images, namespace)"),
    ("lists what is not here", "resources: [https://example.com/a.yaml]\n", "lists https://example.com/a.yaml"),
    ("lists what is above", "resources: [../../etc/passwd]\n", "lists ../../etc/passwd, which does not exist"),
    ("is none", "- a\n", "is not a kustomization"),
]


@pytest.mark.parametrize(("name", "text", "said"), CHANGED, ids=[case[0] for case in CHANGED])
def test_a_kustomization_that_does_more_is_refused(name: str, text: str, said: str) -> None:
    *_, problems = read_folder(files(kustomization_yaml=text, pod_yaml=documents(POD), base__a_yaml=documents(NODE)))
    assert any(said in problem and problem.startswith("kustomization.yaml: ") for problem in problems), problems
