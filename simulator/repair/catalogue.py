"""Every English text that repairs are told in, for whoever translates them."""

from types import ModuleType

from kube_objects.sentences import Template
from scheduler_core.edits import costs, other_edits, pod_edits, pod_steps, priority, profile_edits
from scheduler_core.plugins.table import NEEDS
from scheduler_core.plugins.volume_binding import claim_edits
from simulator.repair import finding, scaling, shapes, verify

_MODULES: tuple[ModuleType, ...] = (
    claim_edits,
    costs,
    finding,
    other_edits,
    pod_edits,
    pod_steps,
    priority,
    profile_edits,
    scaling,
    shapes,
    verify,
)


def catalogue() -> list[str]:
    """Each text once, sorted. Places are as in `str.format`."""
    of_plugins = [needs.__globals__ for needs in NEEDS.values()]
    words = (value for held in (*map(vars, _MODULES), *of_plugins) for value in held.values())
    found = {str(value) for value in words if isinstance(value, Template)}
    found |= {str(row.what) for row in costs.COSTS.values()} | {str(group) for group in costs.GROUPS.values()}
    return sorted(found)
