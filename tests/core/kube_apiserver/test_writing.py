"""What a write makes of an object, and what it refuses."""

import json
from dataclasses import replace
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.pod_fields import quality_of_service
from kube_apiserver.resources import table
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH

PODS, MAPS = table()["", "v1", "pods"], table()["", "v1", "configmaps"]
DEPLOYMENTS = table()["apps", "v1", "deployments"]
TIME = "2026-11-22T12:00:00Z"
BY = WriteOptions("kubectl", TIME)
Object = dict[str, Any]


def pod(**fields: Any) -> Object:
    spec = {"containers": [{"name": "main", "image": "nginx:1.27"}], **fields}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec}


def made(sent: Object | None = None, **fields: Any) -> Object:
    value = handlers.create(PODS, "shop", sent or pod(**fields), BY).value
    assert value is not None
    return value


def refused(code: int, *arguments: Any, create: bool = True, asked: WriteOptions = BY) -> str:
    write: Any = handlers.create if create else handlers.patch
    with pytest.raises(ApiError) as caught:
        write(*arguments, asked)
    assert caught.value.code == code
    assert caught.value.status["code"] == code
    return str(caught.value)


def test_a_new_pod_has_identity_and_defaults() -> None:
    value = made()
    metadata, spec = value["metadata"], value["spec"]
    assert (metadata["namespace"], metadata["creationTimestamp"], metadata["generation"]) == ("shop", TIME, 1)
    assert len(metadata["uid"]) == 36
    assert [each["manager"] for each in metadata["managedFields"]] == ["kubectl"]
    assert spec["containers"][0]["imagePullPolicy"] == "IfNotPresent"
    assert (spec["restartPolicy"], spec["schedulerName"]) == ("Always", "default-scheduler")
    assert len(spec["tolerations"]) == 2
    assert value["status"] == {"phase": "Pending", "qosClass": "BestEffort"}


def test_patience_of_its_own_stays() -> None:
    (only,) = made(tolerations=[{"operator": "Exists"}])["spec"]["tolerations"]
    assert only == {"operator": "Exists"}


def test_what_is_limited_is_asked_for() -> None:
    containers = [{"name": "m", "image": "nginx", "resources": {"limits": {"cpu": "1"}}}]
    (container,) = made(containers=containers)["spec"]["containers"]
    assert container["resources"]["requests"] == {"cpu": "1"}
    assert container["imagePullPolicy"] == "Always"


def test_a_generated_name() -> None:
    value = made({**pod(), "metadata": {"generateName": "web-"}})
    assert len(value["metadata"]["name"]) == len("web-") + 5


def test_what_is_no_new_object_is_refused() -> None:
    assert "name or generateName is required" in refused(422, PODS, "shop", {**pod(), "metadata": {}})
    assert "unknown conversion" in refused(400, PODS, "shop", {**pod(), "kind": "Node"})
    not_registered = 'no kind "Pod" is registered for version "v2" in scheme'
    assert not_registered in refused(400, PODS, "shop", {**pod(), "apiVersion": "v2"})
    older = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "x"}}
    told = "the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)"
    assert told in refused(400, table()["autoscaling", "v1", "horizontalpodautoscalers"], "shop", older)
    assert "namespace of the provided object" in refused(
        400, PODS, "shop", {**pod(), "metadata": {"name": "x", "namespace": "y"}}
    )
    assert "must be of type Object" in refused(400, PODS, "shop", [1])
    told = refused(400, PODS, "shop", pod(nodeNam="x"))
    assert told == 'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.nodeNam"'


def test_unknown_fields_are_warned_of_or_ignored() -> None:
    sent = pod(nodeNam="x")
    sent["spec"]["containers"][0]["imag"] = "y"
    warned = handlers.create(PODS, "shop", sent, WriteOptions("kubectl", TIME, "Warn")).warnings
    assert warned == ['unknown field "spec.containers[0].imag"', 'unknown field "spec.nodeNam"']
    assert handlers.create(MAPS, "shop", {"metadata": {"name": "x"}, "data": {"any": "1"}}, BY).warnings == []


def deployment(**spec: Any) -> Object:
    pods = {"metadata": {"labels": {"app": "web"}}, "spec": pod()["spec"]}
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": pods, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def within(patch: Object) -> Object:
    return {"spec": {"template": {"spec": patch}}}


def test_the_four_patches() -> None:
    live = handlers.create(DEPLOYMENTS, "shop", deployment(), BY).value
    assert live is not None
    both = [{"name": "main", "image": "nginx:1.28"}, {"name": "side", "image": "x"}]
    place = "/spec/template/spec/containers/0/name"
    for kind, sent, want in (
        (STRATEGIC_PATCH, within({"containers": both}), ["side", "main"]),
        (MERGE_PATCH, within({"containers": [{"name": "only", "image": "x"}]}), ["only"]),
        (JSON_PATCH, [{"op": "replace", "path": place, "value": "other"}], ["other"]),
    ):
        value = handlers.patch(DEPLOYMENTS, live, kind, sent, BY).value
        assert value is not None
        assert sorted(each["name"] for each in value["spec"]["template"]["spec"]["containers"]) == sorted(want)
        assert value["metadata"]["generation"] == 2
        assert value["metadata"]["uid"] == live["metadata"]["uid"]
    applied = {**deployment(), "metadata": {"name": "web", "labels": {"a": "b"}}}
    del applied["spec"]
    value = handlers.patch(DEPLOYMENTS, live, APPLY_PATCH[0], applied, BY).value
    assert value is not None
    assert value["metadata"]["labels"] == {"a": "b"}
    assert [each["operation"] for each in value["metadata"]["managedFields"]] == ["Apply", "Update"]
    assert handlers.patch(DEPLOYMENTS, value, APPLY_PATCH[0], applied, BY).value is None


def test_a_patch_that_changes_nothing_writes_nothing() -> None:
    live = made()
    assert (
        handlers.patch(
            PODS, live, MERGE_PATCH, {"metadata": {"name": "web", "generation": 9}, "status": {"phase": "Failed"}}, BY
        ).value
        is None
    )


def test_patches_that_do_not_fit() -> None:
    live = {**made(), "metadata": {**made()["metadata"], "resourceVersion": "7"}}
    stale = {"metadata": {"resourceVersion": "6"}, "spec": {"nodeName": "n"}}
    assert "the object has been modified" in refused(409, PODS, live, MERGE_PATCH, stale, create=False)
    assert "does not contain declared merge key" in refused(
        500, PODS, live, STRATEGIC_PATCH, {"spec": {"containers": [{"x": 1}]}}, create=False
    )
    refused(422, PODS, live, JSON_PATCH, [{"op": "test", "path": "/kind", "value": "x"}], create=False)
    refused(413, PODS, live, JSON_PATCH, [{"op": "test", "path": "/kind", "value": "Pod"}] * 10_001, create=False)
    refused(400, PODS, live, MERGE_PATCH, [], create=False)


def test_an_apply_of_what_others_own() -> None:
    live = handlers.create_applied(
        DEPLOYMENTS, "shop", "web", deployment(replicas=2), WriteOptions("alpha", TIME)
    ).value
    assert live is not None
    sent = {"metadata": {"name": "web"}, "spec": {"replicas": 3}}
    told = refused(409, DEPLOYMENTS, live, APPLY_PATCH[0], sent, create=False, asked=WriteOptions("beta", TIME))
    assert told == 'Apply failed with 1 conflict: conflict with "alpha": .spec.replicas'
    value = handlers.patch(DEPLOYMENTS, live, APPLY_PATCH[0], sent, WriteOptions("beta", TIME, force=True)).value
    assert value is not None
    assert value["spec"]["replicas"] == 3
    told = refused(500, DEPLOYMENTS, live, APPLY_PATCH[0], {"metadata": {"name": "web"}, "foo": 1}, create=False)
    # Of what was sent: it says no namespace.
    about = "(/web; apps/v1, Kind=Deployment)"
    assert told == f"failed to create typed patch object {about}: .foo: field not declared in schema"


@pytest.mark.parametrize(
    ("resources", "want"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}}, "Burstable"),
        ({"requests": {"example.org/x": "1"}}, "BestEffort"),
    ],
)
def test_quality_of_service(resources: Object, want: str) -> None:
    assert quality_of_service({"containers": [{"resources": resources}]}) == want


def test_an_autoscaler_names_a_group_and_scales_to_zero_by_metrics_of_others() -> None:
    resource = table()["autoscaling", "v2", "horizontalpodautoscalers"]
    sent: Object = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}}
    target = {"kind": "Deployment", "name": "web"}
    spec = {"minReplicas": 0, "maxReplicas": 0, "scaleTargetRef": target}
    with pytest.raises(ApiError) as caught:
        handlers.create(resource, "shop", {**sent, "spec": spec}, BY)
    told = {each["field"]: each["message"] for each in caught.value.status["details"]["causes"]}
    assert told == {
        "spec.minReplicas": "Invalid value: 0: must be greater than or equal to 1",
        "spec.maxReplicas": "Required value: must be set and greater than 0",
        "spec.scaleTargetRef.apiVersion": 'Invalid value: "": apiVersion must specify API group',
        "spec.metrics": "Forbidden: must specify at least one Object or External metric to support scaling to zero "
        "replicas",
    }
    fit = {"maxReplicas": 3, "scaleTargetRef": {"kind": "ReplicationController", "name": "web"}}
    live = handlers.create(resource, "shop", {**sent, "spec": fit}, BY).value
    assert live is not None
    # An old target that lacks its group does not keep the rest from changing.
    live["spec"]["scaleTargetRef"] = target
    assert handlers.patch(resource, live, MERGE_PATCH, {"spec": {"maxReplicas": 4}}, BY).value is not None


def test_fields_stand_in_the_order_of_go() -> None:
    value = made(nodeName="node-1", tolerations=[{"operator": "Exists"}])
    (container,) = value["spec"]["containers"]
    assert list(container)[:3] == ["name", "image", "resources"]
    assert list(value["spec"])[:4] == ["containers", "restartPolicy", "terminationGracePeriodSeconds", "dnsPolicy"]
    assert list(value["metadata"]["managedFields"][0])[:3] == ["manager", "operation", "apiVersion"]
    labelled = handlers.patch(PODS, value, MERGE_PATCH, {"metadata": {"labels": {"b": "1", "a": "2"}}}, BY).value
    assert labelled is not None
    assert list(labelled["metadata"]["labels"]) == ["a", "b"]


def test_what_does_not_fit_through_a_door_changes_who_manages_it() -> None:
    live = made()
    asked = replace(BY, manager="kubectl-patch", subresource="resize")
    sent = {"spec": {"containers": [{"name": "main", "image": "nginx:1.28"}]}}
    value = handlers.patch(PODS, live, STRATEGIC_PATCH, sent, asked).value
    assert value is not None
    assert value["spec"] == live["spec"]
    entries = {each["manager"]: json.dumps(each["fieldsV1"]) for each in value["metadata"]["managedFields"]}
    assert {name: "f:image" in fields.replace("f:imagePull", "") for name, fields in entries.items()} == {
        "kubectl": False,
        "kubectl-patch": True,
    }


CLAIMS = table()["resource.k8s.io", "v1", "resourceclaims"]


def test_an_expression_is_compiled_when_it_is_written() -> None:
    def claim(expression: str) -> Object:
        exactly = {"deviceClassName": "gpu.example.com", "selectors": [{"cel": {"expression": expression}}]}
        spec = {"devices": {"requests": [{"name": "req", "exactly": exactly}]}}
        return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c"}, "spec": spec}

    assert handlers.create(CLAIMS, "shop", claim("device.driver == 'gpu'"), BY).value is not None
    told = refused(422, CLAIMS, "shop", claim("device."))
    assert "selectors[0].cel.expression: Invalid value" in told
    assert "ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'" in told
    assert "may not be more than 10240 bytes" in refused(422, CLAIMS, "shop", claim("1" * 10241))


TEMPLATES = table()["resource.k8s.io", "v1", "resourceclaimtemplates"]


def claim_template(*requests: Object, **of_claims: Any) -> Object:
    spec = {"metadata": of_claims, "spec": {"devices": {"requests": list(requests)}}}
    kind = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate"}
    return {**kind, "metadata": {"name": "t"}, "spec": spec}


def test_a_template_is_held_to_the_rules_of_its_claims() -> None:
    exactly = {"deviceClassName": "gpu.example.com"}
    broken = {**exactly, "selectors": [{"cel": {"expression": "device."}}]}
    either = [{"name": "big", **exactly}, {"name": "big", **exactly}, exactly]
    requests: list[Object] = [{"name": "a", "exactly": broken}, {"name": "a"}, {"name": "b", "firstAvailable": either}]
    with pytest.raises(ApiError) as caught:
        handlers.create(TEMPLATES, "shop", claim_template(*requests, labels={"a b": "c"}), BY)
    told = {each["field"]: each["reason"] for each in caught.value.status["details"]["causes"]}
    assert told == {
        "spec.metadata.labels": "FieldValueInvalid",
        "spec.spec.devices.requests[0].exactly.selectors[0].cel.expression": "FieldValueInvalid",
        "spec.spec.devices.requests[1]": "FieldValueDuplicate",
        "spec.spec.devices.requests[2].firstAvailable[1]": "FieldValueDuplicate",
        "spec.spec.devices.requests[2].firstAvailable[2].name": "FieldValueInvalid",
    }


def test_a_template_stays_as_it_was_made() -> None:
    sent = claim_template({"name": "a", "exactly": {"deviceClassName": "gpu.example.com"}})
    live = handlers.create(TEMPLATES, "shop", sent, BY).value
    assert live is not None
    labelled = {"metadata": {"labels": {"tier": "front"}}}
    assert handlers.patch(TEMPLATES, live, MERGE_PATCH, labelled, BY).value is not None
    other = {"spec": {"metadata": {"labels": {"tier": "front"}}}}
    told = refused(422, TEMPLATES, live, MERGE_PATCH, other, create=False)
    assert 'spec: Invalid value: {"labels":{"tier":"front"},"Spec":{"Devices":' in told
    assert told.endswith("field is immutable")


def test_a_strategic_patch_is_told_as_it_is_left_when_it_was_applied() -> None:
    """Measured from kube-apiserver v1.36.2: directives and the lists that they order are gone; nulls stay."""
    ordered = {"$setElementOrder/containers": [{"name": "main"}], "containers": [{"name": "main", "imagee": "x"}]}
    patch = {"spec": {"nope": 1, "hostname": None, **ordered}}
    told = refused(
        422, PODS, made(), STRATEGIC_PATCH, patch, create=False, asked=WriteOptions("k", TIME, validation="Strict")
    )
    assert 'Invalid value: "map[spec:map[hostname:<nil> nope:1]]": strict decoding error: unknown field "spec.' in told


def test_a_strategic_patch_does_not_say_of_what_kind_it_is() -> None:
    patch = {"apiVersion": "v9", "kind": "Other", "metadata": {"labels": {"a": "b"}}}
    value = handlers.patch(PODS, made(), STRATEGIC_PATCH, patch, BY).value
    assert value is not None and (value["apiVersion"], value["kind"]) == ("v1", "Pod")


def test_an_apply_whose_metadata_are_none_is_told_so() -> None:
    """Measured from kube-apiserver v1.36.2."""
    live = handlers.create(MAPS, "shop", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}, BY).value
    told = refused(
        500, MAPS, live, APPLY_PATCH[0], {"apiVersion": "v1", "kind": "ConfigMap", "metadata": "x"}, create=False
    )
    assert told == "failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata: expected map, got &{x}"


def test_keys_of_a_map_lead_nowhere() -> None:
    """Measured from kube-apiserver v1.36.2."""
    sent = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"..up": "x"}}
    told = refused(422, MAPS, "shop", sent)
    assert told == 'ConfigMap "a" is invalid: data[..up]: Invalid value: "..up": must not start with \'..\''
