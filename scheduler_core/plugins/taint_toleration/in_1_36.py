"""TaintToleration as v1.36.3 has it: only what is different.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from scheduler_core.plugins.taint_toleration import plugin as taint_toleration


class TaintToleration(taint_toleration.TaintToleration):
    """The reason names no taint any more, so that nodes with different ones count together."""

    reason = "node(s) had untolerated taint(s)"
