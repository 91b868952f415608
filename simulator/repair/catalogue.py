"""List of all English texts that repairs use, as input for translators."""

from types import ModuleType

from kube_objects.sentences import Template
from scheduler_core.edits import costs, object_edits, pod_edits, pod_steps, priority, profile_edits
from scheduler_core.plugins.table import NEEDS
from scheduler_core.plugins.volume_binding import claim_edits
from simulator.repair import finder, node_shapes, prover, scaling

_MODULES: tuple[ModuleType, ...] = (
    claim_edits,
    costs,
    finder,
    object_edits,
    pod_edits,
    pod_steps,
    priority,
    profile_edits,
    node_shapes,
    prover,
    scaling,
)


def catalogue() -> list[str]:
    """Return the sorted, unique texts, with `str.format` fields."""
    plugin_namespaces = [needs.__globals__ for needs in NEEDS.values()]
    values = (value for namespace in (*map(vars, _MODULES), *plugin_namespaces) for value in namespace.values())
    texts = {str(value) for value in values if isinstance(value, Template)}
    texts |= {str(row.what) for row in costs.COSTS.values()} | {str(group) for group in costs.GROUPS.values()}
    return sorted(texts)
