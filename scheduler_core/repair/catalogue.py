"""Every English text that repairs are told in, for whoever translates them."""

from types import ModuleType

from scheduler_core.repair import costs, finding, shapes, verify
from scheduler_core.repair.rules import (
    claims,
    devices,
    features,
    fit,
    gates,
    node_affinity,
    node_ports,
    other_edits,
    pod_affinity,
    pod_edits,
    priority,
    spread,
    volumes,
)
from scheduler_core.sentences import Template

_MODULES: tuple[ModuleType, ...] = (
    claims,
    costs,
    devices,
    features,
    finding,
    fit,
    gates,
    node_affinity,
    node_ports,
    other_edits,
    pod_affinity,
    pod_edits,
    priority,
    shapes,
    spread,
    verify,
    volumes,
)


def catalogue() -> list[str]:
    """Each text once, sorted. Places are as in `str.format`."""
    found = {str(value) for module in _MODULES for value in vars(module).values() if isinstance(value, Template)}
    found |= {str(row.what) for row in costs.COSTS.values()} | {str(group) for group in costs.GROUPS.values()}
    return sorted(found)
