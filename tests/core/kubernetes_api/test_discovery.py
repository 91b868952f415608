"""What clients ask before anything else."""

from kubernetes_api import discovery
from kubernetes_api.resources import group_versions, table
from kubernetes_api.types import patch_type


def test_both_forms_tell_the_same_resources() -> None:
    old = {
        (name, each["name"], each["kind"], tuple(each["verbs"]))
        for name, version in group_versions()
        for each in discovery.resource_list(name, version)["resources"]
        if "/" not in each["name"]
    }
    new = {
        (group["metadata"].get("name", ""), each["resource"], each["responseKind"]["kind"], tuple(each["verbs"]))
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
    assert "subresources" not in new["daemonsets"]


def test_kubectl_leaves_validation_to_the_server() -> None:
    for path in discovery.openapi_index("/k8s/1")["paths"]:
        parts = path.split("/")
        group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[2])
        operations = discovery.openapi(group, version)["paths"]
        assert operations
        for each in operations.values():
            assert each["patch"]["parameters"][0]["name"] == "fieldValidation"


def test_the_version_is_the_one_that_the_cluster_runs() -> None:
    told = discovery.version("v1.34.1")
    assert (told["major"], told["minor"], told["gitVersion"]) == ("1", "34", "v1.34.1")


def test_every_resource_can_be_patched_by_its_schema() -> None:
    assert [each.name for each in table().values() if patch_type(each) is None] == []
