"""Containers and init containers: names, images, resources, ports.

Source: pkg/apis/core/v1/defaults.go SetDefaults_Pod, pkg/apis/core/validation validateContainers.
"""

from kube_objects import field_errors, names, read
from kube_objects.parsers.resources import check_requirements, requirements
from kube_objects.pod import Container, HostPort
from kube_objects.read import Manifest, Problems
from kube_objects.requests import ContainerAmounts, in_units
from kube_objects.sentences import say
from kube_objects.text.problems import Problem

_PROTOCOLS = ("SCTP", "TCP", "UDP")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")


def containers(
    spec: Manifest, key: str, path: str, problems: Problems, host_network: bool, taken_names: set[str]
) -> tuple[list[Container], list[ContainerAmounts], list[HostPort]]:
    """Return the containers under `key`, their requests (limits by default), and their host ports."""
    parsed: list[Container] = []
    amounts: list[ContainerAmounts] = []
    ports: list[HostPort] = []
    init = key == "initContainers"
    taken_ports: set[tuple[str, str, int]] = set()
    for item_path, item in read.mappings(spec, key, path, problems):
        name = read.required_text(item, "name", item_path, problems)
        if name:
            if rule := names.dns_label(name):
                problems.append(Problem(f"{item_path}.name", name, rule))
            if name in taken_names:
                problems.append(field_errors.duplicate(f"{item_path}.name", name))
            taken_names.add(name)
        restart_policy = read.choice(item, "restartPolicy", item_path, problems, _RESTART_POLICIES)
        requests, limits = requirements(item, item_path, problems, names.container_resource)
        if limits:
            requests = {**limits, **requests}
        check_requirements(requests, limits, f"{item_path}.resources", problems)
        sidecar = init and restart_policy == "Always"
        amounts.append(ContainerAmounts(name, requests, limits, sidecar))
        if item.get("ports") is not None:
            if init:
                taken_ports = set()  # init containers run one by one
            held = _host_ports(item, item_path, problems, host_network, taken_ports)
            if sidecar or not init:
                ports += held
        image = read.text(item, "image", item_path, problems)
        parsed.append(Container(name, image, in_units(requests), in_units(limits), restart_policy))
    return parsed, amounts, ports


def _host_ports(
    container: Manifest, path: str, problems: Problems, host_network: bool, taken: set[tuple[str, str, int]]
) -> list[HostPort]:
    ports = []
    for item_path, item in read.mappings(container, "ports", path, problems):
        container_port = read.integer(item, "containerPort", item_path, problems, 0, 65535)
        if not container_port and not item.get("containerPort"):
            problems.append(field_errors.required(f"{item_path}.containerPort", say("a port from 1 to 65535")))
        host_port = read.integer(item, "hostPort", item_path, problems, 0, 65535)
        protocol = read.choice(item, "protocol", item_path, problems, _PROTOCOLS, "TCP")
        ip = read.text(item, "hostIP", item_path, problems)
        if host_network:
            host_port = host_port or container_port
        if host_port:
            # As in the API server, an address left out and 0.0.0.0 are not the same here (though they clash later).
            if (protocol, ip, host_port) in taken:
                problems.append(field_errors.duplicate(f"{item_path}.hostPort", f"{protocol}/{ip}/{host_port}"))
            taken.add((protocol, ip, host_port))
            ports.append(HostPort(ip or "0.0.0.0", protocol, host_port))  # noqa: S104 - a value, nothing listens
    return ports
