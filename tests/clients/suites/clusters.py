"""Clusters for client suites: live, with controllers, and with what the suites expect to be there."""

import base64
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from kube_controllers import names
from tests.kubectl.__main__ import CONTROLLERS
from tests.resilience.client import Client
from tests.services import wait_for

# What runs beside the API server where upstream runs its kubectl scripts: kube-controller-manager, and no kubelet.
# Its controller of nodes is left out, because no kubelet renews the lease of a node.
OF_CONTROLLER_MANAGER = [
    name
    for name in names.CONTROLLERS
    if name not in ("arrivals", "cluster-autoscaler", "descheduler", "kubelet", "node-lifecycle")
]

NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "kind-control-plane",
        "labels": {
            "kubernetes.io/hostname": "kind-control-plane",
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
        },
    },
    "spec": {"podCIDR": "10.244.0.0/24"},
    "status": {
        "capacity": {"cpu": "8", "memory": "16Gi", "pods": "110"},
        "allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"},
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        "addresses": [{"type": "InternalIP", "address": "172.18.0.2"}],
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": "00000000-0000-0000-0000-000000000001",
            "containerRuntimeVersion": "containerd://2.2.0",
            "kernelVersion": "6.12.0",
            "kubeProxyVersion": "",
            "kubeletVersion": "v1.36.3",
            "machineID": "00000000000000000000000000000001",
            "operatingSystem": "linux",
            "osImage": "Debian GNU/Linux 12 (bookworm)",
            "systemUUID": "00000000-0000-0000-0000-000000000001",
        },
    },
}
# A new kind cluster runs Pods in kube-system, and some suites list them.
COREDNS: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "coredns", "namespace": "kube-system"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"k8s-app": "kube-dns"}},
        "template": {
            "metadata": {"labels": {"k8s-app": "kube-dns"}},
            "spec": {"containers": [{"name": "coredns", "image": "coredns"}]},
        },
    },
}


def create_like_kind(client: Client, url: str, work: Path) -> Path:
    """Create a cluster as a new kind cluster is, and return the path of a kubeconfig like that of kind.

    It has certificates, which suites read. They authenticate nobody, because a local playground needs no token.
    """
    number = create(client, work.name, CONTROLLERS, [NODE], [COREDNS])
    key, certificate = work / "client.key", work / "client.pem"
    files = ["-keyout", str(key), "-out", str(certificate)]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files]
    command += ["-subj", "/O=system:masters/CN=kubernetes-admin"]
    subprocess.run(command, check=True, capture_output=True)
    cluster = {"server": f"{url}/k8s/{number}", "certificate-authority-data": _encode(certificate)}
    user = {"client-certificate-data": _encode(certificate), "client-key-data": _encode(key)}
    return write_kubeconfig(work, cluster, user)


def _encode(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def write_kubeconfig(work: Path, cluster: dict[str, str], user: dict[str, str]) -> Path:
    """Write a kubeconfig for one cluster and user, and return its path."""
    name, admin = "playground", "kubernetes-admin"
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": admin, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": admin}}],
        "current-context": name,
    }
    path = work / "kubeconfig"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    return path


def create(
    client: Client,
    name: str,
    actors: Sequence[str],
    before: Sequence[dict[str, Any]] = (),
    after: Sequence[dict[str, Any]] = (),
) -> int:
    """Create a live cluster and return its number.

    The objects of `before` are created before the controllers are switched on, those of `after` behind that.
    """
    number = int(client.post("clusters/", {"name": name, "seed": 1})["id"])
    commands = f"clusters/{number}/commands/"
    if before:
        client.post(commands, {"kind": "create", "objects": list(before)})
    client.post(commands, {"kind": "set_actors", "actors": list(actors), "hashes": "upstream"})
    if after:
        client.post(commands, {"kind": "create", "objects": list(after)})
    client.post(f"clusters/{number}/pace/", {"live": True})
    wait_for(lambda: client.get(f"clusters/{number}/")["state"] == "idle", "the cluster to be idle")
    return number
