"""What an API server refuses, in its words. Facts of pkg/apis/core/validation and pkg/apis/storage/validation."""

import json
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.resources import table
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions

Object = dict[str, Any]

BY = WriteOptions("tests", "2025-06-01T00:00:00Z")
MAIN = {"name": "main", "image": "nginx"}
POD = {"containers": [MAIN]}
PORT = {"port": 80}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
VOLUME = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}
CLASS = {"provisioner": "x.example.com"}


def container(**fields: Any) -> Object:
    return {"spec": {"containers": [{**MAIN, **fields}]}}


def pod(**fields: Any) -> Object:
    return {"spec": {**POD, **fields}}


def of_spec(base: Object, **fields: Any) -> Object:
    return {"spec": {**base, **fields}}


def limits(**fields: Any) -> Object:
    return {"spec": {"limits": [fields]}}


def expression(**fields: Any) -> Object:
    return {"spec": {"hard": {"pods": "5"}, "scopeSelector": {"matchExpressions": [fields]}}}


ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
CASES: list[tuple[str, Object, str]] = [
    ("pods", container(env=[{"name": "a=b"}]), 'env[0].name: Invalid value: "a=b": a valid environment variable name'),
    (
        "pods",
        container(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.nope"}}}]),
        'fieldRef.fieldPath: Invalid value: "spec.nope": error converting fieldPath: field label not supported',
    ),
    (
        "pods",
        container(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels"}}}]),
        'fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", ',
    ),
    (
        "pods",
        container(env=[{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "cpu"}}}]),
        'resourceFieldRef.resource: Unsupported value: "cpu": supported values: "limits.cpu", ',
    ),
    (
        "pods",
        container(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "a b"}}}]),
        'secretKeyRef.key: Invalid value: "a b": a valid config key must consist of',
    ),
    ("pods", container(envFrom=[{}]), 'envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`'),
    ("pods", container(livenessProbe={"exec": {}}), "livenessProbe.exec.command: Required value"),
    (
        "pods",
        container(readinessProbe={"httpGet": {"port": 80, "scheme": "FTP"}}),
        'readinessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
    ),
    (
        "pods",
        container(lifecycle={"preStop": {"sleep": {"seconds": 31}}}),
        "preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ),
    ("pods", container(ports=[{"containerPort": 80, "name": "8"}]), 'name: Invalid value: "8": must contain at least'),
    (
        "pods",
        container(securityContext={"runAsUser": -1}),
        "securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
    ),
    (
        "pods",
        container(volumeMounts=[{"name": "v", "mountPath": "/v"}]),
        'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ),
    (
        "pods",
        pod(hostNetwork=True, containers=[{**MAIN, "ports": [{"containerPort": 80, "hostPort": 81}]}]),
        "hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true",
    ),
    (
        "pods",
        pod(dnsPolicy="None"),
        "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
    ),
    ("pods", pod(hostAliases=[{"ip": "x"}]), f'spec.hostAliases[0].ip: Invalid value: "x": {ADDRESS}'),
    (
        "pods",
        pod(volumes=[{"name": "v", "hostPath": {"path": "/a/../b"}}]),
        "spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
    ),
    (
        "pods",
        pod(volumes=[{"name": "v", "configMap": {"name": "c", "defaultMode": 512}}]),
        "defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
    ),
    (
        "pods",
        pod(
            volumes=[{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}]
        ),
        "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
    ),
    (
        "pods",
        pod(tolerations=[{"key": "k", "operator": "Gt", "value": "1"}]),
        'operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"',
    ),
    ("services", of_spec({}, ports=[{**PORT, "appProtocol": "a b"}]), 'appProtocol: Invalid value: "a b": name part'),
    ("services", of_spec({}, ports=[PORT], externalIPs=["x"]), f'spec.externalIPs[0]: Invalid value: "x": {ADDRESS}'),
    (
        "services",
        of_spec({}, ports=[PORT], externalIPs=["127.0.0.1"], externalTrafficPolicy="Cluster"),
        'spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ),
    (
        "services",
        of_spec({}, ports=[PORT], externalTrafficPolicy="Local"),
        'externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ),
    (
        "services",
        of_spec({}, ports=[PORT], internalTrafficPolicy="Near"),
        'internalTrafficPolicy: Unsupported value: "Near": supported values: "Cluster", "Local"',
    ),
    (
        "services",
        of_spec({}, ports=[PORT], loadBalancerClass="x.y/z"),
        "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ),
    (
        "services",
        of_spec(
            {}, ports=[PORT], sessionAffinity="ClientIP", sessionAffinityConfig={"clientIP": {"timeoutSeconds": 0}}
        ),
        "clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400",
    ),
    (
        "services",
        of_spec({}, ports=[{**PORT, "targetPort": "HTTP"}]),
        'targetPort: Invalid value: "HTTP": must contain at least one letter (a-z)',
    ),
    (
        "limitranges",
        limits(type="Node"),
        'type: Invalid value: "Node": must be a standard limit type or fully qualified',
    ),
    (
        "limitranges",
        limits(type="PersistentVolumeClaim"),
        "limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ),
    (
        "limitranges",
        limits(type="Container", min={"cpu": "2"}, defaultRequest={"cpu": "1"}),
        'defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
    ),
    (
        "limitranges",
        limits(type="Container", max={"cpu": "2"}, default={"cpu": "3"}),
        'default[cpu]: Invalid value: "2": default value 3 is greater than max value 2',
    ),
    (
        "limitranges",
        limits(type="Container", min={"cpu": "1"}, max={"cpu": "2"}, maxLimitRequestRatio={"cpu": "3"}),
        'maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
    ),
    (
        "resourcequotas",
        {"spec": {"hard": {"cpu": "1"}, "scopes": ["BestEffort"]}},
        'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ),
    (
        "resourcequotas",
        expression(scopeName="PriorityClass", operator="In"),
        "matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn'",
    ),
    (
        "resourcequotas",
        expression(scopeName="BestEffort", operator="In", values=["x"]),
        "matchExpressions.operator: Invalid value: \"In\": must be 'Exists' when scope is any of",
    ),
    ("persistentvolumes", of_spec(VOLUME, csi={"driver": "x"}), "spec.csi.volumeHandle: Required value"),
    ("persistentvolumes", {"spec": {}}, 'spec.capacity: Unsupported value: null: supported values: "storage"'),
    (
        "persistentvolumes",
        of_spec(VOLUME, nfs={"server": "s", "path": "x"}),
        'path: Invalid value: "x": must be an absolu',
    ),
    (
        "persistentvolumeclaims",
        of_spec(CLAIM, dataSourceRef={"kind": "Snapshot", "name": "x"}),
        "spec.dataSource: Invalid value: \"Snapshot\": must be 'PersistentVolumeClaim' when referencing the default",
    ),
    (
        "storageclasses",
        {**CLASS, "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "a"]}]}]},
        'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
    ),
]


@pytest.mark.parametrize(
    ("plural", "given", "want"), CASES, ids=lambda each: each[-40:] if isinstance(each, str) else ""
)
def test_what_is_refused(plural: str, given: Object, want: str) -> None:
    (resource,) = (each for (_, _, name), each in table().items() if name == plural)
    version = f"{resource.group}/{resource.version}".removeprefix("/")
    sent = {"apiVersion": version, "kind": resource.kind, "metadata": {"name": "web"}, **given}
    with pytest.raises(ApiError) as caught:
        handlers.create(resource, "default" if resource.namespaced else "", json.loads(json.dumps(sent)), BY)
    told = [f"{each['field']}: {each['message']}" for each in caught.value.status["details"]["causes"]]
    assert any(want in each for each in told), told
