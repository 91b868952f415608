"""HTTPExtender: an extender that is called over a Transport, as kube-scheduler calls it.

Source: pkg/scheduler/extender.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from kube_objects.text.go import SECOND, quote
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.config.types import ExtenderConfig, ExtenderTLSConfig
from scheduler_core.extender import wire
from scheduler_core.extender.go_json import StructReader, UnmarshalError, decode
from scheduler_core.extender.go_types import GoType
from scheduler_core.extender.returned_nodes import KnownNodes, NodeReader, table_of
from scheduler_core.extender.transport import Transport, TransportError
from scheduler_core.framework.extender import ExtenderError, ExtenderFilterResult, Victims

DEFAULT_TIMEOUT_SECONDS = 5.0
HTTP_OK = 200


class HTTPExtender:
    """One entry of a configuration's `extenders`. Its error messages are upstream's."""

    def __init__(self, config: ExtenderConfig, transport: Transport) -> None:
        self.name = config.url_prefix
        self.weight = config.weight
        self.ignorable = config.ignorable
        self.is_filter = bool(config.filter_verb)
        self.is_prioritizer = bool(config.prioritize_verb)
        self.is_binder = bool(config.bind_verb)
        self.supports_preemption = bool(config.preempt_verb)
        self._config = config
        self._transport = transport
        self._tls = _tls(config)
        self._managed = {resource.name for resource in config.managed_resources}
        self._last: KnownNodes = {}

    def is_interested(self, pod: Pod) -> bool:
        if not self._managed:
            return True
        return any(
            not self._managed.isdisjoint(amounts)
            for container in (*pod.containers, *pod.init_containers)
            for amounts in (container.requests, container.limits)
        )

    def filter(self, pod: Pod, nodes: Nodes) -> ExtenderFilterResult:
        by_name = self._config.node_cache_capable
        args = wire.nodes_args(pod, nodes, by_name)
        sent = {} if by_name else _sent(nodes, args)
        reader = NodeReader(sent, self._last)
        answer = self._send(self._config.filter_verb, args, wire.FILTER_RESULT, reader)
        self._last = reader.read
        if answer.get("Error"):
            raise ExtenderError(answer["Error"])
        return ExtenderFilterResult(
            self._nodes_left(answer, nodes),
            answer.get("FailedNodes") or {},
            answer.get("FailedAndUnresolvableNodes") or {},
        )

    def _nodes_left(self, answer: Mapping[str, Any], nodes: Nodes) -> Nodes:
        names, returned = answer.get("NodeNames"), answer.get("Nodes")
        if self._config.node_cache_capable and names is not None:
            return nodes.take(self._positions(names, nodes))
        if returned is not None:
            # A null item is an empty node, as in Go.
            return table_of((item or NodeReader({}, {}).make({}, {}) for item in returned.get("items") or ()), nodes)
        return nodes.take(np.zeros(0, np.int64))

    def _positions(self, names: Sequence[str], nodes: Nodes) -> NDArray[np.int64]:
        positions = {name: i for i, name in enumerate(nodes.names)}
        for name in names:
            if name not in positions:
                raise ExtenderError(
                    f"extender {quote(self.name)} claims a filtered node {quote(name)} "
                    "which is not found in the input node list"
                )
        return np.array([positions[name] for name in names], np.int64)

    def prioritize(self, pod: Pod, nodes: Nodes) -> Sequence[tuple[str, int]]:
        if not self.is_prioritizer:
            return [(name, 0) for name in nodes.names]
        args = wire.nodes_args(pod, nodes, self._config.node_cache_capable)
        answer = self._send(self._config.prioritize_verb, args, wire.HOST_PRIORITIES)
        return [(entry.get("Host", ""), entry.get("Score", 0)) for entry in answer or ()]

    def bind(self, pod: Pod, node_name: str) -> None:
        answer = self._send(self._config.bind_verb, wire.binding_args(pod, node_name), wire.BINDING_RESULT)
        if answer.get("Error"):
            raise ExtenderError(answer["Error"])

    def process_preemption(self, pod: Pod, victims: Mapping[str, Victims], nodes: Nodes) -> dict[str, Victims]:
        args = wire.preemption_args(pod, victims, self._config.node_cache_capable)
        answer = self._send(self._config.preempt_verb, args, wire.PREEMPTION_RESULT)
        left = answer.get("NodeNameToMetaVictims") or {}
        # Upstream walks the map in random order; sorting makes the reported error deterministic.
        return {name: self._victims(name, left[name], nodes) for name in sorted(left)}

    def _victims(self, node_name: str, meta: Mapping[str, Any] | None, nodes: Nodes) -> Victims:
        """Return the victims of one node. Source: convertToVictims."""
        node = nodes.find(node_name)
        if node is None:
            raise ExtenderError(f"nodeinfo not found for node name {quote(node_name)}")
        if meta is None:
            raise ExtenderError(_crash(f"NodeNameToMetaVictims[{quote(node_name)}]"))
        pods = [self._victim(entry, node) for entry in meta.get("Pods") or ()]
        return Victims(pods, meta.get("NumPDBViolations", 0))

    def _victim(self, meta: Mapping[str, Any] | None, node: NodeView) -> Pod:
        if meta is None:
            raise ExtenderError(_crash(f"a pod of NodeNameToMetaVictims[{quote(node.name)}]"))
        uid = meta.get("UID", "")
        for pod in node.pods:
            if pod.uid == uid:
                return pod
        # Upstream prints the pointer to the MetaPod, which Go shows as &{…}.
        raise ExtenderError(
            f"extender: {self.name} claims to preempt pod (UID: &{{{uid}}}) on node: {node.name}, "
            "but the pod is not found on that node"
        )

    def _send(self, action: str, args: Mapping[str, Any], type_: GoType, reader: StructReader | None = None) -> Any:
        url = f"{self.name.rstrip('/')}/{action}"
        timeout = self._config.http_timeout / SECOND if self._config.http_timeout else DEFAULT_TIMEOUT_SECONDS
        try:
            response = self._transport.post(url, wire.encode(args), timeout, self._tls)
            if response.status != HTTP_OK:
                raise ExtenderError(f"failed {action} with extender at URL {url}, code {response.status}")
            return decode(type_, response.body, response.broken, reader)
        except (TransportError, UnmarshalError) as error:
            raise ExtenderError(str(error)) from error


def _sent(nodes: Nodes, args: Mapping[str, Any]) -> KnownNodes:
    return {view.name: (json, view.node) for view, json in zip(nodes, args["Nodes"]["items"], strict=True)}


def _tls(config: ExtenderConfig) -> ExtenderTLSConfig | None:
    """Return the TLS settings. With enableHTTPS and no CA every certificate is trusted. Source: makeTransport."""
    tls = config.tls_config
    if not config.enable_https or (tls is not None and (tls.ca_file or tls.ca_data)):
        return tls
    return replace(tls or ExtenderTLSConfig(), insecure=True)


def _crash(what: str) -> str:
    return f"{what} is null in the extender's answer, on which kube-scheduler v1.34.1 crashes"
