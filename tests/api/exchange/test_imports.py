"""What strangers import: both of a mixed file, folders, other people's plugins, and what none of it may hide."""

import json
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile

from playground.engine import command_runner
from playground.models import Cluster, ClusterObject, Command
from tests.core.controllers.chaos import workload
from tests.web import Api, node, pod

HEAD = "apiVersion: kubescheduler.config.k8s.io/{version}\nkind: KubeSchedulerConfiguration\n"
TODAY = HEAD.format(version="v1")
GANGS = "profiles:\n- plugins:\n    queueSort:\n      enabled: [{name: Coscheduling}]\n      disabled: [{name: '*'}]\n"
SIGS = "kubernetes-sigs/scheduler-plugins"
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {"replicas": 12, "template": {"spec": {"containers": [{"name": "c"}]}}},
}


def documents(*values: Any) -> str:
    return "---\n".join(value if isinstance(value, str) else yaml.safe_dump(value) for value in values)


def config_map(text: str, key: str = "any-key.yaml") -> dict[str, Any]:
    metadata = {"name": "scheduler", "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {key: text}}


def brought(api: Api, cluster: int, text: str, status: int = 200, **options: Any) -> dict[str, Any]:
    return api.post(f"clusters/{cluster}/import/", {"text": text, **options}, status=status)


def test_a_mixed_file_gives_both_and_says_so(api: Api) -> None:
    cluster = api.cluster()
    answer = brought(api, cluster, documents(node("n1"), config_map(f"{TODAY}parallelism: 8\n"), pod("p1")))
    assert answer["counts"] == {"ConfigMap": 1, "KubeSchedulerConfiguration": 1, "Node": 1, "Pod": 1}
    found = answer["configuration"]
    assert (found["where"], found["taken"]) == ("ConfigMap kube-system/scheduler, data.any-key.yaml", True)
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/")["counts"]["bound"] == 1
    assert "parallelism: 8" in api.get(f"clusters/{cluster}/config/")["yaml"]


def test_a_problem_stands_where_it_stood(api: Api) -> None:
    text = documents(node("n1"), f"{TODAY}parallelism: -1\n")
    (problem,) = brought(api, api.cluster(), text, 400)["problems"]
    assert (problem["path"], problem["document"]) == ("parallelism", 2)
    assert text.splitlines()[problem["line"] - 1] == "parallelism: -1"


@pytest.mark.parametrize("version", ["v1", "v1beta3", "v1beta2", "v1beta1"])
def test_other_peoples_plugins_are_named_at_once_and_can_be_left_out(api: Api, version: str) -> None:
    cluster = api.cluster()
    text = HEAD.format(version=version) + GANGS.replace("- plugins:", "- schedulerName: gangs\n  plugins:")
    refused = brought(api, cluster, text, 400, dry_run=True)
    (problem,) = refused["problems"]
    assert "Coscheduling" in problem["rule"] and SIGS in problem["hint"]
    assert "Coscheduling" in text.splitlines()[problem["line"] - 1]
    assert refused["offers"] == ["without_plugins"]
    assert refused["lost"] == [
        f"without Coscheduling (of {SIGS}) at queueSort: the pods of a group are not placed all together or not at all"
    ]
    taken = brought(api, cluster, text, without_plugins=True)["configuration"]
    assert (taken["taken"], taken["lost"]) == (True, refused["lost"])
    api.command(cluster, kind="advance_clock", seconds=1)
    assert api.get(f"clusters/{cluster}/config/")["effective"]["gangs"]["queueSort"] == ["PrioritySort"]


def test_somebody_elses_configuration_does_not_keep_objects_out(api: Api) -> None:
    cluster = api.cluster()
    answer = brought(api, cluster, documents(node("n1"), config_map(TODAY + GANGS)))
    found = answer["configuration"]
    assert (found["taken"], found["offers"]) == (False, ["without_plugins"])
    assert SIGS in found["problems"][0]["hint"]
    assert answer["counts"] == {"ConfigMap": 1, "Node": 1}
    several = documents(
        node("n2"), config_map(TODAY), config_map(f"{TODAY}parallelism: 2\n", "b") | {"kind": "ConfigMap"}
    )
    second = several.replace("name: scheduler", "name: other", 1)
    found = brought(api, cluster, second)["configuration"]
    assert not found["taken"] and "found 2 configurations" in found["problems"][0]["rule"]
    assert brought(api, cluster, documents(TODAY, f"{TODAY}parallelism: 2\n"), 400)["problems"]


def test_a_second_schedulers_manifests_bring_its_configuration(api: Api, small: Cluster) -> None:
    answer = brought(api, small.pk, documents(config_map(TODAY), DEPLOYMENT))
    assert (answer["format"], answer["counts"]) == ("configuration", {"KubeSchedulerConfiguration": 1})
    assert answer["notes"] == [
        "only the configuration is imported, because scheduling uses nothing else in it: 1 ConfigMap, 1 Deployment"
    ]


def test_kinds_that_make_no_pods_are_counted(api: Api) -> None:
    other = {**DEPLOYMENT, "metadata": {"name": "api"}}
    answer = brought(api, api.cluster(), documents(DEPLOYMENT, other, node("n1")))
    assert answer["podless"] == {"Deployment": 2}


def test_workloads_live_when_asked(api: Api) -> None:
    deployment = workload("Deployment", "web", replicas=2)
    looked = brought(api, api.cluster(), documents(deployment), dry_run=True)
    assert looked["workloads"] == {"Deployment": 1}
    for live, nodes in (("on", 1), ("with nodes", 0)):
        cluster = api.cluster()
        brought(api, cluster, documents(deployment, *[node("n1")] * nodes), live=live)
        api.command(cluster, kind="run", until="idle")
        (found,) = api.get(f"clusters/{cluster}/workloads/")["workloads"]
        assert (found["name"], found["says"]) == ("web", "2 of 2 ready")
        assert api.get(f"clusters/{cluster}/")["live"] is True


def test_what_is_to_live_must_be_as_its_controllers_can_take_it(api: Api) -> None:
    text = documents(workload("Deployment", "web", replicas=-1))
    assert brought(api, api.cluster(), text, dry_run=True)["problems"] == []
    for asked in ({"strict": True}, {"live": "on"}):
        (problem,) = brought(api, api.cluster(), text, 400, dry_run=True, **asked)["problems"]
        assert (problem["path"], problem["line"]) == ("spec.replicas", text.splitlines().index("  replicas: -1") + 1)


def test_a_folder(api: Api) -> None:
    cluster = api.cluster()
    texts = {
        "k/kustomization.yaml": "resources: [nodes.yaml]\n",
        "k/nodes.yaml": documents(node("n1")),
        "k/x.yaml": "a: b",
    }
    texts |= {"values.yaml": "replicas: 3\n", "pods.yaml": documents(pod("p1"))}
    uploads = [SimpleUploadedFile(name.rpartition("/")[2], text.encode()) for name, text in texts.items()]
    form = {"file": uploads, "paths": json.dumps(list(texts)), "dry_run": "false"}
    answer = api.upload(f"clusters/{cluster}/import/", form)
    assert answer["counts"] == {"Node": 1, "Pod": 1}
    assert answer["notes"] == ["not listed by a kustomization: k/x.yaml", "values.yaml: holds no object of the API"]
    broken = {**form, "file": [SimpleUploadedFile("a.yaml", b"kind: Pod"), SimpleUploadedFile("b.yaml", b"kind: {")]}
    broken["paths"] = '["a.yaml", "d/b.yaml"]'
    problems = api.upload(f"clusters/{cluster}/import/", broken, 400)["problems"]
    assert {problem["file"] for problem in problems} == {"a.yaml", "d/b.yaml"}
    unnamed = api.upload(f"clusters/{cluster}/import/", {"file": uploads}, 400)["problems"]
    assert unnamed[0]["path"] == "paths"


def test_a_refused_import_changes_nothing(api: Api) -> None:
    cluster = api.cluster()
    brought(api, cluster, documents(node("n1"), TODAY + GANGS), 400)
    brought(api, cluster, documents(node("n1"), f"{TODAY}parallelism: 3\n"), dry_run=True)
    assert not Command.objects.filter(cluster=cluster).exists()


def owned(name: str) -> dict[str, Any]:
    """A pod of a ReplicaSet that is not there."""
    made = pod(name, nodeName="n1")
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "r", "controller": True}
    return {**made, "metadata": {**made["metadata"], "ownerReferences": [owner]}}


@pytest.mark.parametrize(("keeps", "left"), [(False, set()), (True, {"a", "b"})])
def test_pods_without_their_owners_are_told_and_kept_if_wanted(api: Api, keeps: bool, left: set[str]) -> None:
    cluster = api.cluster()
    text = documents(node("n1"), owned("a"), owned("b"), workload("Deployment", "other", replicas=1))
    assert brought(api, cluster, text, dry_run=True)["ownerless"] == {"Pod": 2}
    brought(api, cluster, text, live="on", keep_ownerless=keeps)
    command_runner.apply_commands(cluster)
    keys = ClusterObject.objects.filter(cluster_id=cluster, kind="Pod").values_list("key", flat=True)
    assert {key.rpartition("/")[2] for key in keys if "/other-" not in key} == left


def test_an_owner_that_is_in_the_cluster_is_no_loss(api: Api) -> None:
    replica_set = workload("ReplicaSet", "web-1", replicas=1)
    replica_set["metadata"]["uid"] = "r"
    cluster = api.cluster([replica_set])
    assert "ownerless" not in brought(api, cluster, documents(node("n1"), owned("a")), dry_run=True)


def test_fields_that_kubernetes_does_not_have_are_told_with_what_was_meant(api: Api) -> None:
    """What a cluster's own objects have and scheduling does not read is no mistake."""
    wrong = pod("p1") | {"metadata": {"name": "p1", "lables": {"a": "b"}, "generation": 1}}
    wrong["spec"] = {
        "nodeSelctor": {"disk": "ssd"},
        "hostname": "h",
        "containers": [{"name": "c", "image": "i", "resources": {"request": {"cpu": 1}}, "zzz": 1, "tty": True}],
    }
    found = brought(api, api.cluster(), documents(wrong), dry_run=True)
    assert {each["path"]: each["hint"] for each in found["misspelt"]} == {
        "metadata.lables": 'did you mean "labels"?',
        "spec.nodeSelctor": 'did you mean "nodeSelector"?',
        "spec.containers[].resources.request": 'did you mean "requests"?',
        "spec.containers[].zzz": "",
    }
    assert {"metadata.generation", "spec.hostname", "spec.containers[].tty"} == {e["path"] for e in found["unused"]}


HOSTILE = [
    # name, text, path, line
    ("Markdown", "```yaml\nkind: Pod\n```\n", "", 1),
    ("a number for a name", '{"apiVersion": "v1",\n"kind": "Node", "metadata": {"name": 1.10}}', "metadata.name", 2),
    ("truncated JSON", '{"apiVersion": "v1",\n"kind": ', "", 2),
    ("truncated YAML", "a: [1,\n", "", 2),
    ("an anchor that is unknown", "a: 1\nb: *x\n", "", 2),
    ("an anchor within itself", "a: &a\n  b: *a\n", "", 2),
    ("a merge of a scalar", "a: 1\n<<: 2\n", "", 2),
    ("a key twice", "apiVersion: v1\nkind: Node\nkind: Node\nmetadata: {name: n1}\n", "kind", 3),
    ("deep YAML", "a: " + "[" * 5000, "", 1),
    ("deep JSON", '{"a":' * 5000, "", None),
    ("a list of lists of numbers", "kind: List\nitems:\n- kind: List\n  items: [1]\n", "items[0].items[0]", 4),
    ("half a character", '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "\\ud800"}}', "metadata.name", 1),
]


@pytest.mark.parametrize(("name", "text", "path", "line"), HOSTILE)
def test_hostile_texts_are_refused_with_their_place(
    api: Api, name: str, text: str, path: str, line: int | None
) -> None:
    problem = brought(api, api.cluster(), text, 400)["problems"][0]
    assert (problem["path"], problem.get("line")) == (path, line), problem


def test_json_documents_with_separators_are_imported(api: Api) -> None:
    text = f"{json.dumps(node('n1'))}\n---\n{json.dumps(pod('p1'))}\n---\n{documents(pod('p2'))}"
    assert brought(api, api.cluster(), text, dry_run=True)["counts"] == {"Node": 1, "Pod": 2}
