"""Traits: differences between the emulated versions outside of their plugins.

Shared code asks for a trait; the defaults are those of v1.34.1. A version's plugins are in its registry. See
docs/reference/emulated-versions.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from scheduler_core.config.build import with_extender_resources
from scheduler_core.config.effective import EffectiveProfile, effective
from scheduler_core.config.types import Profile, SchedulerConfiguration
from scheduler_core.config.v1_36 import EXPANSION as EXPANSION_1_36
from scheduler_core.framework.status import SUCCESS, Status

# (profile, extension points of every registered plugin) → the plugins that the profile runs.
Expand = Callable[[Profile, Mapping[str, frozenset[str]]], EffectiveProfile]


@dataclass(frozen=True, slots=True)
class Traits:
    """The behavior of one version. Each field names a behavior and is described below it."""

    expand: Expand = effective
    finish_config: Callable[[SchedulerConfiguration], SchedulerConfiguration] = with_extender_resources
    """Completes a configuration before profiles are built from it."""

    nominated_node_first: bool = True
    """The pod's nominated node is tried by itself and taken if it passes. Source: evaluateNominatedNode."""

    one_node_without_scores: bool = True
    """The search ends at the first feasible node when nothing scores nodes."""

    plugins_skip: bool = True
    """PreFilter and PreScore may return Skip; otherwise a plugin that has nothing to do counts as Success."""

    failure_text_by_phase: bool = True
    """The FailedScheduling message includes PreFilter's and PostFilter's messages; otherwise only reasons by node."""

    failure_clears_nomination: bool = True
    """An attempt that ends in an error or after a node was chosen clears the pod's nomination."""

    rejection_clears_nomination: bool = False
    """A rejection in a profile without PostFilter plugins clears the pod's nomination."""

    queueing_hints: bool = True
    """Plugins' hints decide which events may help a pod that they rejected; otherwise every event moves every pod."""

    declared_features: bool = False
    """A change of a node's declared features is an event."""

    binding_wakes_others: bool = True
    """Binding a nominated pod clears its nomination, which moves less important pods to activeQ or backoffQ."""

    pod_groups: bool = False
    """A pod of a group is popped with the group's other pods, and all are tried in one cycle (GenericWorkload)."""

    pod_events: bool = False
    """Adding an unscheduled pod is an event for pods whose gang it may complete (GangScheduling)."""

    permit_texts: bool = False
    """The status of a pod that waits at Permit has the reasons of the last plugin that asked it to wait."""

    backoff_passed_gates: bool = False
    """PreEnqueue doesn't run again for a pod that is activated out of its backoff."""

    pops_backoff: bool = True
    """Pods are popped out of backoffQ if activeQ is empty; PreEnqueue runs when backoff begins, not when it ends."""

    preempted_backs_off: bool = False
    """A pod that is preempted at Permit is tried again after its backoff; otherwise it is rejected."""

    filter_error: str = 'running "{plugin}" filter plugin: {message}'

    def as_traced(self, status: Status) -> Status:
        """Return a status as a trace shows it."""
        return SUCCESS if status.is_skip and not self.plugins_skip else status


V1_34_TRAITS = Traits()
V1_36_TRAITS = Traits(
    expand=partial(effective, rules=EXPANSION_1_36),
    rejection_clears_nomination=True,
    declared_features=True,
    binding_wakes_others=False,
    permit_texts=True,
    backoff_passed_gates=True,
    preempted_backs_off=True,
)
