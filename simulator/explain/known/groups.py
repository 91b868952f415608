"""Reasons about pod groups: a member waits before, during or after its group's cycle. Since v1.36.

Source: pkg/scheduler/framework/plugins/gangscheduling, pkg/scheduler/schedule_one_podgroup.go.
"""

from collections.abc import Callable
from functools import partial

from simulator.explain.known.entry import COULD, DEPENDS, KnownReason, reason
from simulator.explain.known.inspections import NODES_ROOM, POD_GROUPS, PODS_REQUESTS, SCHEDULER_LOG

_NO_PLUGIN = r"(, one or more plugins asked to wait and no plugin rejected pod)?"
_gang: Callable[..., KnownReason] = partial(reason, versions="since v1.36")

GROUP_REASONS: tuple[KnownReason, ...] = (
    _gang(
        r"waiting for pods's pod group \"(?P<name>[^\"]*)\" to appear in scheduling queue",
        "GangScheduling",
        "the pod names the pod group {name}, which does not exist: it is not tried before somebody makes it",
        POD_GROUPS,
        point="PreEnqueue",
    ),
    _gang(
        r"waiting for minCount pods from a gang to appear in scheduling queue",
        "GangScheduling",
        "fewer pods of the gang are there than its minCount asks for: none is tried before the missing ones come",
        POD_GROUPS,
        point="PreEnqueue",
    ),
    _gang(
        r"pod group is unschedulable, waiting for minCount pods from a gang to be scheduled" + _NO_PLUGIN,
        "GangScheduling",
        "there was room for this pod, but not for as many of its gang as minCount asks for: all of them go back",
        POD_GROUPS,
        PODS_REQUESTS,
        NODES_ROOM,
        evicting=DEPENDS,
        point="Permit",
    ),
    _gang(
        r"(waiting for minCount pods from a gang to be scheduled, )?"
        r"one or more plugins asked to wait and no plugin rejected pod( \"[^\"]*\")?"
        r"|waiting for minCount pods from a gang to be scheduled",
        "GangScheduling",
        "the pod has its room and waits at Permit for the others of its gang, for five minutes at most",
        POD_GROUPS,
        point="Permit",
    ),
    _gang(
        r"(pod group is unschedulable, )?pod group is waiting for preemption to complete",
        "",
        "pods are evicted for a member of the group: nobody of it is bound before they have gone",
        POD_GROUPS,
        point="PostFilter",
        evicting=COULD,
    ),
    _gang(
        r"pod group is unschedulable(, .*)?",
        "",
        "there was room for this pod, but the group as a whole could not be scheduled, so that nobody of it is bound",
        POD_GROUPS,
        NODES_ROOM,
        evicting=DEPENDS,
        point="",
    ),
    _gang(
        r"failed to schedule other pod from a pod group: .*",
        "",
        "an internal error on another Pod of the group ended the cycle for all of them",
        POD_GROUPS,
        SCHEDULER_LOG,
        point="",
    ),
    _gang(
        r"all pods in a single pod group should have the same \.spec\.schedulerName set, "
        r"got: \"(?P<one>[^\"]*)\" and \"(?P<other>[^\"]*)\"",
        "",
        "the pods of a group have to name one scheduler: some say {one}, some {other}",
        POD_GROUPS,
        point="",
    ),
    _gang(
        r"failed to get podGroup (?P<group>[^:\s]+): .*|pod group state not found for pod group (?P<key>\S+)",
        "GangScheduling",
        "the pod group was deleted while its pods were being scheduled",
        POD_GROUPS,
        point="Permit",
    ),
    _gang(
        r"waiting on permit for pod: preempted",
        "",
        "a pod of higher priority needed the room while this one waited at Permit: it is tried again after its backoff",
        point="Permit",
    ),
)
