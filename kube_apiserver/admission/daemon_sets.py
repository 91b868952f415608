"""The number of a daemon set's template, which an API server counts and its pods bear.

Source: pkg/registry/apps/daemonset/strategy.go, pkg/controller/daemon/util IsPodUpdated.
"""

from typing import Any

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
"""The annotation; clients of v1 see it as one."""
POD_TEMPLATE_GENERATION = "pod-template-generation"
"""The label of the pods."""


def first(given: Any) -> str:
    """The number of a new set, which may bring one."""
    return str(int(given)) if str(given).isdecimal() and int(given) > 0 else "1"


def counted(was: Any, is_changed: bool) -> str:
    """The number after a write, of what the annotation said before."""
    return str(int(was) + is_changed) if str(was).isdecimal() else "1"
