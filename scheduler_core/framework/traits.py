"""Traits: where the emulated versions of kube-scheduler differ outside their plugins.

What versions do alike is one piece of code; where they differ it asks for the trait, which says what v1.34.1 does by
default. The plugins of a version are those of its registry. See docs/legacy.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from scheduler_core.config.build import with_extender_resources
from scheduler_core.config.effective import EffectiveProfile, effective
from scheduler_core.config.types import Profile, SchedulerConfiguration
from scheduler_core.config.v1_36 import EXPANSION as EXPANSION_1_36
from scheduler_core.framework.status import SUCCESS, Status

# (profile, extension points of every registered plugin) → what the profile runs.
Expand = Callable[[Profile, Mapping[str, frozenset[str]]], EffectiveProfile]


@dataclass(frozen=True, slots=True)
class Traits:
    expand: Expand = effective
    finish_config: Callable[[SchedulerConfiguration], SchedulerConfiguration] = with_extender_resources
    """What is done to a configuration before the profiles are built from it."""

    nominated_node_first: bool = True
    """The pod's nominated node is tried by itself and taken if it passes. Source: evaluateNominatedNode."""

    one_node_without_scores: bool = True
    """The search ends at the first feasible node when nothing scores nodes."""

    plugins_skip: bool = True
    """PreFilter and PreScore may answer Skip; without it a plugin that has nothing to do counts as Success."""

    failure_text_by_phase: bool = True
    """The FailedScheduling text gives PreFilter's and PostFilter's own words; without it only reasons by node."""

    failure_clears_nomination: bool = True
    """An attempt that ends in an error, or on a node that was chosen, takes back the pod's nomination."""

    rejection_clears_nomination: bool = False
    """So does a rejection in a profile without PostFilter plugins."""

    queueing_hints: bool = True
    """Plugins say which events may help a pod that they rejected; without it every event moves every pod."""

    declared_features: bool = False
    """A change of the features that a node declares is an event."""

    binding_wakes_others: bool = True
    """A nominated pod that gets its node counts as one that left the nomination, which wakes less important pods."""

    pod_groups: bool = False
    """A pod of a group is popped with the others of it, and all are tried in one cycle (GenericWorkload)."""

    pod_events: bool = False
    """That a pod without a node came is an event, for those that it may complete a gang of (GangScheduling)."""

    permit_texts: bool = False
    """A pod that waits at Permit is told what for, by the last plugin that asked it to."""

    backoff_passed_gates: bool = False
    """A pod that is activated out of its backoff is not asked for its gates again."""

    pops_backoff: bool = True
    """With nothing else to do a pod is popped out of its backoff; gates are asked when it begins, not when it ends."""

    preempted_backs_off: bool = False
    """A pod that is preempted while it waits at Permit is tried again after its backoff; without it, it is rejected."""

    filter_error: str = 'running "{plugin}" filter plugin: {message}'

    def shown(self, status: Status) -> Status:
        """A status as a trace tells it."""
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
