"""What clients ask before anything else."""

import json
from base64 import b64decode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from kube_apiserver.documents import discovery, gnostic, openapi
from kube_apiserver.resources import by_version, group_versions, of_version, table
from kube_apiserver.writes.types import patch_type


def test_resources_by_version() -> None:
    assert list(by_version()) == list(group_versions())
    assert all(list(resources) == list(of_version(*place)) for place, resources in by_version().items())


def test_both_forms_tell_the_same_resources() -> None:
    old = {
        (name, version, each["name"], each["kind"], tuple(each["verbs"]))
        for name, version in group_versions()
        for each in discovery.resource_list(name, version)["resources"]
        if "/" not in each["name"]
    }
    new = {
        (
            group["metadata"].get("name", ""),
            version["version"],
            each["resource"],
            each["responseKind"]["kind"],
            tuple(each["verbs"]),
        )
        for core in (True, False)
        for group in discovery.aggregated(core=core)["items"]
        for version in group["versions"]
        for each in version["resources"]
    }
    assert old == new
    assert len(old) == len(table()) > 40


def test_the_scale_of_workloads_is_told_in_both_forms() -> None:
    listed = discovery.resource_list("apps", "v1")["resources"]
    old = {each["name"]: each for each in listed}["deployments/scale"]
    (apps,) = (each for each in discovery.aggregated(core=False)["items"] if each["metadata"]["name"] == "apps")
    new = {each["resource"]: each for each in apps["versions"][0]["resources"]}
    assert (old["group"], old["kind"]) == ("autoscaling", "Scale")
    assert new["deployments"]["subresources"][0]["responseKind"]["kind"] == "Scale"
    assert "scale" not in {each["subresource"] for each in new["daemonsets"]["subresources"]}


def test_subresources_are_told_in_both_forms() -> None:
    listed = {each["name"]: each for each in discovery.resource_list("", "v1")["resources"]}
    assert listed["pods/eviction"]["group"] == "policy"
    assert listed["pods/log"]["verbs"] == ["get"]
    (core,) = discovery.aggregated(core=True)["items"]
    pods = next(each for each in core["versions"][0]["resources"] if each["resource"] == "pods")
    doors = {each["subresource"]: each["responseKind"]["kind"] for each in pods["subresources"]}
    assert doors["binding"] == "Binding"
    assert {f"pods/{door}" for door in doors} <= listed.keys()


def _documents() -> dict[str, Any]:
    found = {}
    for path in openapi.index()["paths"]:
        if openapi.v3_non_resource(path) is not None:
            continue
        parts = path.split("/")
        group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[2])
        found[f"{group}/{version}"] = json.loads(openapi.v3(group, version))
    return found


def test_the_index_names_what_answers_with_no_objects_too() -> None:
    """As many as v1.36 has, of which the versions of the served kinds are 22."""
    paths = openapi.index()["paths"]
    beside = {path: json.loads(document) for path in paths if (document := openapi.v3_non_resource(path)) is not None}
    assert (len(paths), len(beside)) == (47, 25)
    assert [list(document["paths"]) for path, document in beside.items() if path == "apis/apps"] == [["/apis/apps/"]]
    assert openapi.v3_non_resource("apis/nothing") is None
    assert next(iter(openapi.v2_document("1.36")["paths"])) == "/.well-known/openid-configuration/"


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (each for key, each in value.items() if key == "$ref" and isinstance(each, str))
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)


def test_kubectl_leaves_validation_to_the_server() -> None:
    for document in _documents().values():
        patches = [each["patch"] for each in document["paths"].values() if "patch" in each]
        for patch in patches:
            assert "fieldValidation" in {each["name"] for each in patch["parameters"]}
            assert patch["x-kubernetes-group-version-kind"]["kind"]


def test_documents_hold_all_that_they_refer_to() -> None:
    for document in _documents().values():
        there = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
        assert set(_references(document)) <= there
    older = openapi.v2_document("1.36")
    known = {f"#/{part}/{name}" for part in ("definitions", "parameters") for name in older[part]}
    assert set(_references(older)) <= known
    pod = older["definitions"]["io.k8s.api.core.v1.Pod"]
    assert pod["properties"]["spec"]["$ref"] == "#/definitions/io.k8s.api.core.v1.PodSpec"
    # What may be a number, too, is a text there: `explain --output=plaintext-openapiv2` says map[string]string.
    either = ("api.resource.Quantity", "util.intstr.IntOrString")
    assert {older["definitions"][f"io.k8s.apimachinery.pkg.{each}"]["type"] for each in either} == {"string"}


def test_the_older_document_is_what_its_protobuf_says() -> None:
    written = gnostic.document("1.36")
    assert written.startswith(b"\n\x032.0\x12\x12\n\nKubernetes\x12\x041.36B\x00J")
    assert b"x-kubernetes-group-version-kind" in written


def test_every_stored_kind_is_described() -> None:
    described = {
        (each["group"], each["version"], each["kind"])
        for document in _documents().values()
        for schema in document["components"]["schemas"].values()
        for each in schema.get("x-kubernetes-group-version-kind", ())
    }
    assert {(each.group, each.version, each.kind) for each in table().values()} <= described


def test_the_version_is_the_one_that_the_cluster_runs() -> None:
    told = discovery.version("v1.34.1")
    assert (told["major"], told["minor"], told["gitVersion"]) == ("1", "34", "v1.34.1")


def test_every_resource_can_be_patched_by_its_schema() -> None:
    assert [each.name for each in table().values() if patch_type(each) is None] == []


def test_the_list_of_the_oldest_group_has_no_version_of_its_own() -> None:
    assert list(discovery.resource_list("", "v1")) == ["kind", "groupVersion", "resources"]
    assert discovery.resource_list("apps", "v1")["apiVersion"] == "v1"


def test_what_is_stored_says_in_which_version() -> None:
    """As kube-apiserver v1.36.2: by 8 bytes of the digest of group, version and kind."""
    stored = [each for each in table().values() if {"create", "list"} <= set(each.verbs)]
    assert [each.qualified for each in stored if len(b64decode(each.storage_hash)) != 8] == []
    digest = sha256(b"flowcontrol.apiserver.k8s.io/v1/FlowSchema").digest()[:8]
    (schemas,) = (each for each in stored if each.kind == "FlowSchema")
    assert b64decode(schemas.storage_hash) == digest
