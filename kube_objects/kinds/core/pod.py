"""Pod. How its manifest is read is in `parsers/pod.py`."""

from collections.abc import Mapping
from typing import Any

from kube_objects.kinds.conditions import CONDITION, CONDITIONS
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, OPERATOR, REQUIREMENT, Input, Section
from kube_objects.kinds.kind import APPLIED_LAST, Kind
from kube_objects.kinds.written import Written, text, time
from kube_objects.parsers.pod import parse_pod, read_claim_names
from kube_objects.pod import Pod
from kube_objects.pod_update import UPDATABLE_PATHS
from kube_objects.read_fields import ALL, Fields

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_SELECTOR: Fields = {"matchLabels": ALL, "matchExpressions": ALL}
_POD_TERM: Fields = {
    "labelSelector": _SELECTOR,
    "namespaceSelector": _SELECTOR,
    "namespaces": ALL,
    "topologyKey": ALL,
    "matchLabelKeys": ALL,
    "mismatchLabelKeys": ALL,
}
_POD_AFFINITY: Fields = {
    _REQUIRED: _POD_TERM,
    _PREFERRED: {"weight": ALL, "podAffinityTerm": _POD_TERM},
}
_RESOURCES: Fields = {"requests": ALL, "limits": ALL}
_CONTAINER: Fields = {
    "name": ALL,
    "image": ALL,
    "resources": _RESOURCES,
    "restartPolicy": ALL,
    "ports": {"containerPort": ALL, "hostPort": ALL, "hostIP": ALL, "protocol": ALL},
}
_CONTAINER_STATUS: Fields = {"name": ALL, "resources": {"requests": ALL}, "allocatedResources": ALL}
_FIELDS: Fields = {
    "spec": {
        "schedulerName": ALL,
        "priority": ALL,
        "priorityClassName": ALL,
        "preemptionPolicy": ALL,
        "nodeName": ALL,
        "nodeSelector": ALL,
        "affinity": {
            "nodeAffinity": {
                _REQUIRED: ALL,
                _PREFERRED: ALL,
            },
            "podAffinity": _POD_AFFINITY,
            "podAntiAffinity": _POD_AFFINITY,
        },
        "tolerations": {"key": ALL, "operator": ALL, "value": ALL, "effect": ALL, "tolerationSeconds": ALL},
        "topologySpreadConstraints": {
            "maxSkew": ALL,
            "topologyKey": ALL,
            "whenUnsatisfiable": ALL,
            "labelSelector": _SELECTOR,
            "minDomains": ALL,
            "nodeAffinityPolicy": ALL,
            "nodeTaintsPolicy": ALL,
            "matchLabelKeys": ALL,
        },
        "containers": _CONTAINER,
        "initContainers": _CONTAINER,
        "hostNetwork": ALL,
        "overhead": ALL,
        "resources": _RESOURCES,
        "schedulingGates": ALL,
        "schedulingGroup": {"podGroupName": ALL},
        "resourceClaims": {"name": ALL, "resourceClaimName": ALL, "resourceClaimTemplateName": ALL},
        "volumes": {
            "name": ALL,
            "persistentVolumeClaim": ALL,
            "ephemeral": ALL,
            "awsElasticBlockStore": ALL,
            "azureDisk": ALL,
            "cinder": ALL,
            "csi": ALL,
            "gcePersistentDisk": ALL,
            "iscsi": ALL,
            "portworxVolume": ALL,
            "rbd": ALL,
            "vsphereVolume": ALL,
        },
    },
    "status": {
        "phase": ALL,
        "nominatedNodeName": ALL,
        "startTime": ALL,
        "conditions": CONDITION,
        "resourceClaimStatuses": {"name": ALL, "resourceClaimName": ALL},
        "extendedResourceClaimStatus": ALL,
        "containerStatuses": _CONTAINER_STATUS,
        "initContainerStatuses": _CONTAINER_STATUS,
    },
}


def _dump_claim_name(name: str, made: str | None) -> dict[str, str]:
    return {"name": name} if made is None else {"name": name, "resourceClaimName": made}


def _to_apply(cleaned: dict[str, Any], manifest: Mapping[str, Any]) -> None:
    """Return the manifest without priority and policy.

    Admission computes them from the class and rejects other values.
    """
    spec = manifest.get("spec", {})
    cleaned["spec"] = {name: value for name, value in spec.items() if name not in ("priority", "preemptionPolicy")}
    if spec.get("priority") and not spec.get("priorityClassName"):
        cleaned["spec"]["priorityClassName"] = _class_name(spec)


def _class_name(spec: Mapping[str, Any]) -> str:
    """Return the class for a priority without a class, which `exchange/applicable.py` creates."""
    sign = "minus-" if spec["priority"] < 0 else ""
    never = "-never" if spec.get("preemptionPolicy") == "Never" else ""
    return f"priority-{sign}{abs(spec['priority'])}{never}"


_REQUESTS = ("spec", "containers", 0, "resources", "requests")
_NODE_TERM = ("spec", "affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms", 0, "matchExpressions")
_TOPOLOGY = Input("over", ("topologyKey",), hint="topology.kubernetes.io/zone")
_PODS = Input("pods with labels", ("labelSelector", "matchLabels"), "labels", "app=web")

FORM = (
    IDENTITY_IN_NAMESPACE,
    Section(
        "Asks for",
        (
            Input("CPU", (*_REQUESTS, "cpu"), hint="500m"),
            Input("memory", (*_REQUESTS, "memory"), hint="512Mi"),
            Input("other resources", _REQUESTS, "map", "nvidia.com/gpu", without=("cpu", "memory")),
        ),
    ),
    Section(
        "Order",
        (
            Input("priority", ("spec", "priority"), "number", "0"),
            Input("priority class", ("spec", "priorityClassName")),
            Input("preemption", ("spec", "preemptionPolicy"), "choice"),
            Input("scheduler", ("spec", "schedulerName"), hint="default-scheduler"),
            Input("pod group", ("spec", "schedulingGroup", "podGroupName")),
            Input(
                "gates",
                ("spec", "schedulingGates"),
                "rows",
                columns=(Input("gate", ("name",), hint="example.com/ready"),),
            ),
        ),
    ),
    Section(
        "Where it may go",
        (
            Input("node selector", ("spec", "nodeSelector"), "map"),
            Input("required node affinity", _NODE_TERM, "rows", columns=REQUIREMENT),
            Input(
                "tolerations",
                ("spec", "tolerations"),
                "rows",
                columns=(
                    Input("key", ("key",)),
                    OPERATOR,
                    Input("value", ("value",)),
                    Input("effect", ("effect",), "choice"),
                ),
            ),
        ),
    ),
    Section(
        "Beside which pods",
        (
            Input(
                "topology spread",
                ("spec", "topologySpreadConstraints"),
                "rows",
                columns=(
                    Input("max skew", ("maxSkew",), "number", "1"),
                    _TOPOLOGY,
                    Input("when impossible", ("whenUnsatisfiable",), "choice"),
                    _PODS,
                ),
            ),
            Input(
                "required together with",
                ("spec", "affinity", "podAffinity", _REQUIRED),
                "rows",
                columns=(_TOPOLOGY, _PODS),
            ),
            Input(
                "required apart from",
                ("spec", "affinity", "podAntiAffinity", _REQUIRED),
                "rows",
                columns=(_TOPOLOGY, _PODS),
            ),
        ),
    ),
    Section(
        "Volumes",
        (
            Input(
                "claims",
                ("spec", "volumes"),
                "rows",
                columns=(
                    Input("name", ("name",), hint="data"),
                    Input("claim", ("persistentVolumeClaim", "claimName")),
                ),
            ),
        ),
    ),
    Section(
        "Devices",
        (
            Input(
                "resource claims",
                ("spec", "resourceClaims"),
                "rows",
                columns=(
                    Input("name", ("name",), hint="gpu"),
                    Input("claim", ("resourceClaimName",)),
                    Input("template", ("resourceClaimTemplateName",)),
                ),
            ),
        ),
    ),
)

KIND = Kind(
    name="Pod",
    type=Pod,
    parse=parse_pod,
    fields=_FIELDS,
    written=(
        text("node_name", "spec", "nodeName"),
        text("nominated_node_name", "status", "nominatedNodeName"),
        Written(
            "claim_names",
            "status",
            "resourceClaimStatuses",
            lambda json: read_claim_names(json, []),
            lambda value, _: [_dump_claim_name(*entry) for entry in value.items()] or None,
        ),
        Written(
            "extended_claim",
            "status",
            "extendedResourceClaimStatus",
            lambda json: json,
            lambda value, _: None if value is None else dict(value),
        ),
        text("phase", "status", "phase", "Pending"),
        time("start_time", "status", "startTime"),
        CONDITIONS,
    ),
    form=FORM,
    updatable=UPDATABLE_PATHS,
    applied=APPLIED_LAST,
    to_apply=_to_apply,
)
