"""PodTopologySpread as v1.36.3 has it: only what is different.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from scheduler_core.plugins.pod_topology_spread import plugin as pod_topology_spread
from scheduler_core.plugins.pod_topology_spread.hints import involved_or_nominated


class PodTopologySpread(pod_topology_spread.PodTopologySpread):
    """Pods with a nomination count as if they ran."""

    involved = staticmethod(involved_or_nominated)
