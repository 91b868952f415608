"""Repairs for NodePorts: use another host port, remove it, or move the pods that use it."""

from collections.abc import Iterable
from typing import Any

from kube_objects.pod import HostPort, Pod
from kube_objects.sentences import Template
from scheduler_core.cache.node_table import ANY_ADDRESS
from scheduler_core.edits.edit import Change, Edit, value_at
from scheduler_core.edits.object_edits import disable_plugin, remove_pods, running_pods
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Need, Question

OTHER = Template("Take the host port {to} instead of {port}")
DROP = Template("Do without the host port {port}")
_MOST_PORT = 65535


def needs(question: Question) -> list[Need]:
    node = question.node
    assert node is not None
    needs_by_port = []
    for port in question.pod.host_ports:
        if node.as_nodes.with_port(port)[0]:
            holders = [pod for pod in running_pods(node) if uses_port(pod, port)]
            options: list[Iterable[Edit | None] | Edit | None] = [
                _use_other_port(question, port),
                _drop_port(question, port),
            ]
            options += remove_pods(question, [holders] if holders else [])
            needs_by_port.append(question.need(*options, disable_plugin(question)))
    return needs_by_port


def uses_port(pod: Pod, wanted: HostPort) -> bool:
    return any(
        (held.protocol, held.port) == (wanted.protocol, wanted.port)
        and (held.ip == wanted.ip or ANY_ADDRESS in (held.ip, wanted.ip))
        for held in pod.host_ports
    )


def _use_other_port(question: Question, port: HostPort) -> Edit | None:
    """Use the next higher port that is free on every node, so that the result doesn't depend on the node."""
    own = {(held.protocol, held.port) for held in question.pod.host_ports}
    for number in range(port.port + 1, _MOST_PORT + 1):
        other = HostPort(port.ip, port.protocol, number)
        if (port.protocol, number) not in own and not question.nodes.with_port(other).any():
            sentence = OTHER(port=str(port.port), to=str(number))
            return _edit(question, "other_port", port, sentence, number)
    return None


def _drop_port(question: Question, port: HostPort) -> Edit | None:
    return _edit(question, "drop_port", port, DROP(port=str(port.port)), None)


def _edit(question: Question, kind: str, port: HostPort, sentence: Any, number: int | None) -> Edit | None:
    path = f"spec.containers.ports.hostPort {port.protocol}/{port.port}"
    change = _change(port, number)
    return make_pod_edit(question, kind, path, sentence, change, before=port.port, after=number, detail=str(number))


def _change(port: HostPort, number: int | None) -> Change:
    def change(manifest: dict[str, Any]) -> None:
        spec = manifest.get("spec") or {}
        network = bool(spec.get("hostNetwork"))
        for name in ("containers", "initContainers"):
            for container in spec.get(name) or ():
                for entry in value_at(container, ("ports",)) or ():
                    held = entry.get("hostPort") or (entry.get("containerPort") if network else None)
                    if held == port.port and (entry.get("protocol") or "TCP") == port.protocol:
                        if number is None:
                            entry.pop("hostPort", None)
                            entry.pop("hostIP", None)
                        else:
                            entry["hostPort"] = number
                            if network:
                                entry["containerPort"] = number

    return change
