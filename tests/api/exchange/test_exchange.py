"""In and out: what kubectl prints, CSV lists, exported files."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile

from playground import limits, user_files
from playground.exchange import cluster_files
from playground.models import Cluster, Command
from playground.objects import selectors as objects
from playground.problems import Refused
from scheduler_core.emulations import DEFAULT
from tests.web import Api, node, pod

KUBECTL = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [node("n1"), node("n2"), pod("p1")]})
NODES_CSV = "name,cpu_milli,memory_mib,gpu\nbig-1,32000,262144,8\nbig-2,32000,262144,0\n"
PODS_CSV = "name,cpu_milli,memory_mib,num_gpu,phase\np-1,4000,8192,1,Running\np-2,1000,1024,0,Pending\n"
REFUSED = [
    # name                     body                                              path
    ("nothing", {}, ""),
    ("two things", {"text": KUBECTL, "nodes_csv": NODES_CSV}, ""),
    ("no YAML", {"text": "a: [b"}, ""),
    ("no object", {"text": "just: text"}, "kind"),
    ("an unknown field", {"txt": KUBECTL}, "txt"),
    ("a number for text", {"text": 5}, "text"),
    ("a mapping of nothing", {"nodes_csv": NODES_CSV, "mapping": {"nodes": {"nope": "name"}}}, "nodes.nope"),
    ("a mapping that is none", {"nodes_csv": NODES_CSV, "mapping": []}, "mapping"),
]


def test_kubectl_output(api: Api) -> None:
    cluster = api.cluster()
    answer = api.post(f"clusters/{cluster}/import/", {"text": KUBECTL})
    none: dict[str, Any] = {"unused": [], "misspelt": [], "notes": [], "podless": {}, "configuration": None}
    assert answer == {"format": "objects", "counts": {"Node": 2, "Pod": 1}, **none, "problems": [], "command": 1}
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/")["counts"] == {"nodes": 2, "pods": 1, "bound": 1, "pending": 0}


def test_what_scheduling_does_not_read_is_kept_and_listed(api: Api) -> None:
    odd = node("n")
    odd["status"]["nodeInfo"] = {"kernelVersion": "6.1"}
    config_map = {**pod("x"), "kind": "ConfigMap", "data": {}}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [odd, config_map]})
    cluster = api.cluster()
    unused = api.post(f"clusters/{cluster}/import/", {"text": text})["unused"]
    assert ("Node", "status.nodeInfo") in [(each["kind"], each["path"]) for each in unused]
    assert ("ConfigMap", "") in [(each["kind"], each["path"]) for each in unused]
    api.command(cluster, kind="advance_clock", seconds=1)
    assert api.get(f"clusters/{cluster}/objects/Node/n/")["status"]["nodeInfo"] == {"kernelVersion": "6.1"}


def test_looking_first(api: Api) -> None:
    cluster = api.cluster()
    answer = api.post(f"clusters/{cluster}/import/", {"text": KUBECTL, "dry_run": True})
    assert (answer["counts"], "command" in answer) == ({"Node": 2, "Pod": 1}, False)
    assert not Command.objects.filter(cluster=cluster).exists()


def test_an_upload(api: Api) -> None:
    cluster = api.cluster()
    file = SimpleUploadedFile("objects.yaml", KUBECTL.encode())
    assert api.upload(f"clusters/{cluster}/import/", {"file": file, "dry_run": "false"})["command"] == 1


def test_csv_lists(api: Api) -> None:
    cluster = api.cluster()
    answer = api.post(f"clusters/{cluster}/import/", {"nodes_csv": NODES_CSV, "pods_csv": PODS_CSV})
    assert answer["counts"] == {"Node": 2, "Pod": 2}
    assert [each["path"] for each in answer["unused"]] == ["phase"]
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/cycles/")["node"][0] == "big-1"


def test_csv_files_compressed_and_mapped(api: Api) -> None:
    cluster = api.cluster()
    nodes = gzip.compress(NODES_CSV.replace("name", "host", 1).encode())
    form = {"nodes_csv": SimpleUploadedFile("nodes.csv.gz", nodes), "mapping": '{"nodes": {"host": "name"}}'}
    assert api.upload(f"clusters/{cluster}/import/", form)["counts"] == {"Node": 2}
    form = {"nodes_csv": SimpleUploadedFile("nodes.csv.gz", nodes), "mapping": "{"}
    assert api.upload(f"clusters/{cluster}/import/", form, 400)["problems"][0]["path"] == "mapping"


@pytest.mark.parametrize(("name", "body", "path"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused(api: Api, name: str, body: Any, path: str) -> None:
    cluster = api.cluster()
    problems = api.post(f"clusters/{cluster}/import/", body, status=400)["problems"]
    assert problems[0]["path"].startswith(path)
    assert not Command.objects.filter(cluster=cluster).exists()


def test_broken_documents_are_named_and_nothing_is_half_imported(api: Api) -> None:
    documents = [node("n1"), node("n2", cpu="many"), pod("p1"), pod("p2", memory="-1Gi")]
    cluster = api.cluster()
    text = "---\n".join(yaml.safe_dump(document) for document in documents)
    problems = api.post(f"clusters/{cluster}/import/", {"text": text}, status=400)["problems"]
    assert {problem["document"] for problem in problems} == {2, 4}
    assert all(problem["line"] for problem in problems)
    assert "status.allocatable" in problems[0]["path"] or "status.capacity" in problems[0]["path"]
    assert not Command.objects.filter(cluster=cluster).exists()


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_cluster_there_and_back(api: Api, small: Cluster, form: str) -> None:
    api.command(small.pk, kind="run", until="idle")
    answer = api.client.get(f"/api/v1/clusters/{small.pk}/export/cluster/", {"format": form})
    assert answer.headers["Content-Disposition"] == f'attachment; filename="cluster-{small.pk}.{form}"'
    copy = api.cluster()
    api.post(f"clusters/{copy}/import/", {"text": answer.content.decode()})
    api.command(copy, kind="advance_clock", seconds=1)
    # The copy has the pods where the scheduler put them.
    for column in ("names", "requested", "allocatable", "pods"):
        assert api.get(f"clusters/{copy}/nodes/")[column] == api.get(f"clusters/{small.pk}/nodes/")[column]
    assert api.get(f"clusters/{copy}/")["lanes"] == {"bound": 7, "active": 1}


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_the_configuration_as_a_file(api: Api, small: Cluster, form: str) -> None:
    text = api.client.get(f"/api/v1/clusters/{small.pk}/export/config/", {"format": form}).content.decode()
    assert DEFAULT.load(text, DEFAULT.registry.points()).profiles[0].scheduler_name == "default-scheduler"


def test_no_other_format(api: Api, small: Cluster) -> None:
    for what in ("config", "cluster"):
        api.get(f"clusters/{small.pk}/export/{what}/", 400, format="xml")


def test_config_check(api: Api, small: Cluster) -> None:
    head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    good = api.post(f"clusters/{small.pk}/config/check/", {"yaml": head})
    assert (good["ok"], good["stage"], good["problems"], list(good["effective"])) == (
        True,
        None,
        [],
        ["default-scheduler"],
    )
    text = f"{head}parallelism: -1\nprofiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeResourceFit\n"
    bad = api.post(f"clusters/{small.pk}/config/check/", {"yaml": text})
    assert (bad["ok"], bad["stage"]) == (False, "validate")
    assert (bad["problems"][0]["path"], bad["problems"][0]["line"]) == ("parallelism", 3)
    assert api.get(f"clusters/{small.pk}/")["config_version"] == 1


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_file_made_in_parts_is_the_file_made_at_once(api: Api, small: Cluster, form: str) -> None:
    path = f"/api/v1/clusters/{small.pk}/export/cluster/"
    assert api.client.get(path, {"format": form}).content.decode() == user_files.write(objects.as_list(small.pk), form)
    empty = api.cluster()
    path = f"/api/v1/clusters/{empty}/export/cluster/"
    assert api.client.get(path, {"format": form}).content.decode() == user_files.write(objects.as_list(empty), form)


def test_a_file_has_an_end(small: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EXPORT_BYTES", 1000)
    with pytest.raises(Refused, match="more than 1000 bytes"):
        cluster_files.write(small.pk, "playground", "yaml", str(tmp_path / "file"))
