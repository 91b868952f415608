"""TaintToleration's differences in v1.36.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from scheduler_core.plugins.taint_toleration import plugin as taint_toleration


class TaintToleration(taint_toleration.TaintToleration):
    """The plugin in v1.36, whose reason names no taint, so that nodes with different taints count together."""

    reason = "node(s) had untolerated taint(s)"
