"""Allocations, as they are written into a claim, from the devices of a search."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_objects.devices import AllocatedDevice, Allocation, Manifest, ResourceClaim
from kube_objects.selectors import IN, NodeSelector, NodeSelectorTerm, Requirement
from scheduler_core.dra.errors import AllocationError
from scheduler_core.dra.request_data import RequestData, Taken
from scheduler_core.dra.rules import AllocatorRules

FROM_CLASS, FROM_CLAIM = "FromClass", "FromClaim"


def build_allocation(
    claim: ResourceClaim, taken: Sequence[Taken], chosen: Sequence[RequestData], node: str, rules: AllocatorRules
) -> Allocation:
    """Return the allocation of a claim. `chosen`: each request, or its chosen alternative. Raises AllocationError."""
    return Allocation(
        devices=tuple(_device(device, number, rules) for number, device in enumerate(taken)),
        config=(*_class_config(chosen, rules), *_claim_config(claim, chosen)),
        node_selector=_node_selector(claim, taken, node),
    )


def _device(taken: Taken, number: int, rules: AllocatorRules) -> AllocatedDevice:
    request, device = taken.data.request, taken.candidate.device
    return AllocatedDevice(
        request=taken.data.name,
        id=taken.id,
        admin_access=True if request.admin_access else None,
        # Upstream's share ID is random; it must only be unique within a claim.
        share=f"{number:08x}-0000-4000-8000-000000000000" if taken.is_shared else "",
        consumed=taken.consumed,
        tolerations=tuple(toleration.manifest for toleration in request.tolerations),
        binding_conditions=device.binding_conditions if rules.binding_conditions else (),
        binding_failure_conditions=device.binding_failure_conditions if rules.binding_conditions else (),
    )


def _class_config(chosen: Iterable[RequestData], rules: AllocatorRules) -> list[Manifest]:
    entries: list[dict[str, Any]] = []
    of_class: dict[str, list[dict[str, Any]]] = {}
    for data in chosen:
        known = of_class.get(data.device_class.name) if rules.names_class_requests else None
        if known is not None:
            for entry in known:
                entry["requests"].append(data.name)
            continue
        named = {"requests": [data.name]} if rules.names_class_requests else {}
        own = [{"source": FROM_CLASS, **_copy(named), **config} for config in data.device_class.config]
        of_class[data.device_class.name] = own
        entries += own
    return list(entries)


def _copy(named: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {key: list(value) for key, value in named.items()}


def _claim_config(claim: ResourceClaim, chosen: Sequence[RequestData]) -> list[Manifest]:
    entries: list[Manifest] = []
    for config in claim.config:
        names = config.get("requests") or ()
        entry = {"source": FROM_CLAIM, **config}
        if not names:
            entries.append(entry)
            continue
        entries += [
            entry
            for request, data in zip(claim.requests, chosen, strict=True)
            if request.name in names or (data.parent is not None and data.name in names)
        ]
    return entries


def _node_selector(claim: ResourceClaim, taken: Iterable[Taken], node: str) -> NodeSelector | None:
    """Return the nodes that can use the devices: this node, or those that all selectors match; None for any node."""
    expressions: list[Requirement] = []
    fields: list[Requirement] = []
    for device in taken:
        own = device.candidate.slice
        source = device.candidate.device if own.per_device_node_selection else own
        if source.node_name or device.candidate.device.binds_to_node:
            return NodeSelector((NodeSelectorTerm(fields=(Requirement("metadata.name", IN, (node,)),)),))
        terms = () if source.node_selector is None else source.node_selector.terms
        if len(terms) > 1:
            text = f"unsupported ResourceSlice.NodeSelector with {len(terms)} terms"
            raise AllocationError(f"create NodeSelector for claim {claim.name}: {text}")
        for term in terms:
            _join(fields, term.fields)
            _join(expressions, term.expressions)
    if not expressions and not fields:
        return None
    return NodeSelector((NodeSelectorTerm(tuple(expressions), tuple(fields)),))


def _join(known: list[Requirement], more: Iterable[Requirement]) -> None:
    """Add the requirements that aren't there yet, whatever the order of their values."""
    for requirement in more:
        meaning = (requirement.key, requirement.operator, frozenset(requirement.values))
        if all((other.key, other.operator, frozenset(other.values)) != meaning for other in known):
            known.append(requirement)
