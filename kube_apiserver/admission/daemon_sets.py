"""The template generation of a DaemonSet, which the API server counts and its Pods have as a label.

Source: pkg/registry/apps/daemonset/strategy.go, pkg/controller/daemon/util IsPodUpdated.
"""

from typing import Any

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
"""The annotation of the DaemonSet that holds the number."""
POD_TEMPLATE_GENERATION = "pod-template-generation"
"""The label of its Pods."""


def first(given: Any) -> str:
    """Return the template generation of a new DaemonSet. A client may set it."""
    return str(int(given)) if str(given).isdecimal() and int(given) > 0 else "1"


def counted(was: Any, is_changed: bool) -> str:
    """Return the template generation after an update of a DaemonSet with the generation `was`."""
    return str(int(was) + is_changed) if str(was).isdecimal() else "1"
