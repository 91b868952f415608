"""PodTopologySpread's differences in v1.36.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from scheduler_core.plugins.pod_topology_spread import plugin as pod_topology_spread
from scheduler_core.plugins.pod_topology_spread.hints import involved_or_nominated


class PodTopologySpread(pod_topology_spread.PodTopologySpread):
    """The plugin in v1.36, whose hint also counts nominated pods."""

    involved = staticmethod(involved_or_nominated)
