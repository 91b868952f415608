"""Export of a configuration as Kubernetes runs it: a second scheduler in a Deployment, or a patch of the static Pod.

Source: kubernetes.io/docs/tasks/extend-kubernetes/configure-multiple-schedulers, kubeadm's patches.
"""

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kube_objects.text.yaml_writer import Block, dump_yaml
from scheduler_core.config import ConfigRules, SchedulerConfiguration
from scheduler_core.config.editing.minimal import minimal_yaml
from scheduler_core.config.types import DEFAULT_SCHEDULER_NAME
from scheduler_core.gates import gates_text

Gates = Mapping[str, bool]
_NONE: Gates = MappingProxyType({})
NAME = "second-scheduler"
NAMESPACE = "kube-system"
CONFIG_KEY = "config.yaml"
_MOUNT = "/etc/kubernetes/second-scheduler"
_STATIC_FILE = "/etc/kubernetes/scheduler-config.yaml"
_PORT = 10259

_USE_SECOND = f"""\
# A second kube-scheduler beside the cluster's own. To use it:
# 1. kubectl apply -f this-file.yaml
# 2. kubectl -n {NAMESPACE} rollout status deployment/{NAME}
# 3. Give the pods that it shall place the schedulerName {{names}}.
"""
_USE_GATES = """\
# The API server has to know the feature gates, too, where what they are for is an object of its own.
"""
_USE_STATIC = f"""\
# Lets the control plane's own kube-scheduler run with a configuration file. To use it:
# 1. Save the configuration (export it minimal or full) as {_STATIC_FILE} on every control plane node.
# 2. Save this file as kube-scheduler0+json.yaml in a folder PATCHES there.
# 3. kubeadm upgrade apply --patches PATCHES; kubeadm init and join take --patches, too.
"""


def gates_flag(gates: Gates) -> str:
    """Return the `--feature-gates` flag, "" without gates; a configuration cannot contain feature gates."""
    return f"--feature-gates={gates_text(gates)}" if gates else ""


def command_comment(gates: Gates) -> str:
    """Return the comment above a configuration that needs feature gates, "" without gates."""
    return f"# kube-scheduler --config=THIS_FILE {gates_flag(gates)}\n" if gates else ""


def second_scheduler(config: SchedulerConfiguration, version: str, rules: ConfigRules, gates: Gates = _NONE) -> str:
    """Return all objects that a second scheduler needs, for `kubectl apply -f`.

    `version` is kube-scheduler's, such as v1.34.1. The profile default-scheduler gets a name of its own, because two
    schedulers must not compete for the same pods. Leader election is off because there is one replica.
    """
    taken = {profile.scheduler_name for profile in config.profiles}
    name = next(name for name in (NAME, *(f"{NAME}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)
    profiles = tuple(
        dataclasses.replace(profile, scheduler_name=name)
        if profile.scheduler_name == DEFAULT_SCHEDULER_NAME
        else profile
        for profile in config.profiles
    )
    election = dataclasses.replace(config.leader_election, leader_elect=False)
    own = dataclasses.replace(config, profiles=profiles, leader_election=election)
    names = " or ".join(f'"{profile.scheduler_name}"' for profile in profiles)
    documents = [
        _object("v1", "ServiceAccount", NAME),
        _binding("ClusterRoleBinding", f"{NAME}-as-kube-scheduler", "ClusterRole", "system:kube-scheduler"),
        _binding("ClusterRoleBinding", f"{NAME}-as-volume-scheduler", "ClusterRole", "system:volume-scheduler"),
        _binding(
            "RoleBinding",
            f"{NAME}-extension-apiserver-authentication-reader",
            "Role",
            "extension-apiserver-authentication-reader",
        ),
        _object("v1", "ConfigMap", NAME, data={CONFIG_KEY: Block(minimal_yaml(own, rules))}),
        _deployment(version, gates_flag(gates)),
    ]
    return _USE_SECOND.format(names=names) + _use_gates(gates) + "---\n".join(map(dump_yaml, documents))


def static_pod_patch(gates: Gates = _NONE) -> str:
    """Return a JSON patch for kubeadm that names the configuration file; the file itself is another export."""
    mount = {"name": "scheduler-config", "mountPath": _STATIC_FILE, "readOnly": True}
    volume = {"name": "scheduler-config", "hostPath": {"path": _STATIC_FILE, "type": "File"}}
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": "/spec/containers/0/command/-", "value": f"--config={_STATIC_FILE}"},
        {"op": "add", "path": "/spec/containers/0/volumeMounts/-", "value": mount},
        {"op": "add", "path": "/spec/volumes/-", "value": volume},
    ]
    if gates:
        patch.insert(1, {"op": "add", "path": "/spec/containers/0/command/-", "value": gates_flag(gates)})
    return _USE_STATIC + _use_gates(gates) + dump_yaml(patch)


def _use_gates(gates: Gates) -> str:
    return _USE_GATES if gates else ""


def _object(api_version: str, kind: str, name: str, **fields: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name}
    if kind != "ClusterRoleBinding":
        metadata["namespace"] = NAMESPACE
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def _binding(kind: str, name: str, role_kind: str, role: str) -> dict[str, Any]:
    group = "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}
    reference = {"kind": role_kind, "name": role, "apiGroup": group}
    return _object(f"{group}/v1", kind, name, subjects=[subject], roleRef=reference)


def _deployment(version: str, flag: str) -> dict[str, Any]:
    labels = {"component": "scheduler", "tier": "control-plane", "app": NAME}
    container = {
        "name": "kube-scheduler",
        "image": f"registry.k8s.io/kube-scheduler:{version}",
        "command": ["/usr/local/bin/kube-scheduler", f"--config={_MOUNT}/{CONFIG_KEY}", *([flag] if flag else ())],
        "livenessProbe": {**_probe(), "initialDelaySeconds": 15},
        "readinessProbe": _probe(),
        "resources": {"requests": {"cpu": "100m"}},
        "securityContext": {"privileged": False},
        "volumeMounts": [{"name": "config", "mountPath": _MOUNT, "readOnly": True}],
    }
    pod = {
        "serviceAccountName": NAME,
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": NAME}}],
    }
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec = {"replicas": 1, "selector": {"matchLabels": dict(labels)}, "template": template}
    return _object("apps/v1", "Deployment", NAME, spec=spec)


def _probe() -> dict[str, Any]:
    return {"httpGet": {"path": "/healthz", "port": _PORT, "scheme": "HTTPS"}}
