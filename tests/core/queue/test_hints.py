from typing import Any

import pytest

from kube_objects.pod import Pod
from scheduler_core.framework.events import (
    ActionType,
    ClusterEvent,
    ClusterEventWithHint,
    EventResource,
    QueueingHint,
    QueueingHintFn,
)
from scheduler_core.framework.interface import BindPlugin, EnqueueExtensions, FilterPlugin
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.queue.cluster_events import FORCE_ACTIVATE, UNSCHEDULABLE_TIMEOUT
from scheduler_core.queue.hints import Hints, QueueingStrategy, build_hint_map
from tests.conformance.testing import make_pod

ADD = ClusterEvent(EventResource.NODE, ActionType.ADD)
TAINT = ClusterEvent(EventResource.NODE, ActionType.UPDATE_NODE_TAINT)
LABEL = ClusterEvent(EventResource.NODE, ActionType.UPDATE_NODE_LABEL)
PV_ADD = ClusterEvent(EventResource.PERSISTENT_VOLUME, ActionType.ADD)


class Silent(FilterPlugin):
    """A filter that registers nothing."""

    name = "Silent"

    def filter(self, state: Any, pod: Pod, nodes: Any) -> Verdicts:
        return Verdicts.all_pass(len(nodes))


class Registering(Silent, EnqueueExtensions):
    name = "Registering"

    def __init__(self, *events: ClusterEvent) -> None:
        self.events = [ClusterEventWithHint(event) for event in events]

    def events_to_register(self) -> list[ClusterEventWithHint]:
        return self.events


class Binder(BindPlugin):
    """Cannot reject a pod, so nothing is registered for it."""

    name = "Binder"

    def bind(self, state: Any, pod: Pod, node_name: str) -> Status:
        return SUCCESS


REGISTRATIONS = [
    # name, plugins, extenders, event, want
    ("registered", [Registering(PV_ADD)], False, PV_ADD, ["Registering"]),
    ("not registered", [Registering(PV_ADD)], False, LABEL, []),
    ("no extensions: everything", [Silent()], False, LABEL, ["Silent"]),
    ("extenders: everything", [], True, PV_ADD, ["Extender"]),
    ("cannot reject", [Binder()], False, PV_ADD, []),
    ("new nodes bring taints along", [Registering(ADD)], False, TAINT, ["Registering"]),
    ("own taint registration", [Registering(ADD, TAINT)], False, TAINT, ["Registering"]),
    ("taints are not brought along without new nodes", [Registering(LABEL)], False, TAINT, []),
]


@pytest.mark.parametrize(("name", "plugins", "extenders", "event", "want"), REGISTRATIONS)
def test_registrations(name: str, plugins: list[Any], extenders: bool, event: ClusterEvent, want: list[str]) -> None:
    hints = Hints({"default-scheduler": build_hint_map(plugins, extenders)})
    assert list(hints.interested_plugins(event)) == want
    queued = QueuedPodInfo(make_pod("p").build(), 0.0, unschedulable_plugins={"Registering", "Silent", "Extender"})
    assert [plugin for plugin, _ in hints.decide(queued, event, None, None).hints] == want


def says(hint: QueueingHint) -> QueueingHintFn:
    return lambda pod, old, new: hint


def fails(pod: Pod, old: Any, new: Any) -> QueueingHint:
    raise PluginError("no idea")


HINTS = Hints(
    {
        "default-scheduler": {
            ADD: [
                ("No", says(QueueingHint.SKIP)),
                ("Never", says(QueueingHint.SKIP)),
                ("Yes", says(QueueingHint.QUEUE)),
                ("Also", says(QueueingHint.QUEUE)),
                ("Broken", fails),
            ]
        }
    }
)
SKIP, BACKOFF, NOW = QueueingStrategy.SKIP, QueueingStrategy.AFTER_BACKOFF, QueueingStrategy.IMMEDIATELY
DECISIONS = [
    # name, rejecting plugins, pending plugins, event, want, plugins whose answer counted
    ("all say no", "No Never", "", ADD, SKIP, ["No", "Never"]),
    ("one says yes", "No Yes", "", ADD, BACKOFF, ["Yes"]),
    ("first yes decides", "Yes Also", "", ADD, BACKOFF, ["Yes"]),
    ("others are not asked", "Other", "", ADD, SKIP, []),
    ("pending plugin says yes", "", "Yes", ADD, NOW, ["Yes"]),
    ("pending beats an earlier yes", "Yes", "Also", ADD, NOW, ["Also"]),
    ("pending says no, another yes", "Yes", "No", ADD, BACKOFF, ["Yes"]),
    ("a failing hint counts as yes", "No Broken", "", ADD, BACKOFF, ["Broken"]),
    ("nobody rejected", "", "", ADD, BACKOFF, []),
    ("nobody registered", "Yes", "", PV_ADD, SKIP, []),
    ("time-out", "No", "", UNSCHEDULABLE_TIMEOUT, BACKOFF, []),
]


@pytest.mark.parametrize(("name", "rejecting", "pending", "event", "want", "asked"), DECISIONS)
def test_decisions(
    name: str, rejecting: str, pending: str, event: ClusterEvent, want: QueueingStrategy, asked: list[str]
) -> None:
    queued = QueuedPodInfo(
        make_pod("p").build(),
        0.0,
        unschedulable_plugins=set(rejecting.split()),
        pending_plugins=set(pending.split()),
    )
    decision = HINTS.decide(queued, event, None, None)
    assert decision.requeue is want
    assert [plugin for plugin, _ in decision.hints] == asked


def test_a_wildcard_with_a_pod_is_for_that_pod_alone() -> None:
    queued = QueuedPodInfo(make_pod("p").build(), 0.0, unschedulable_plugins={"No"})
    assert HINTS.decide(queued, FORCE_ACTIVATE, None, make_pod("p").build()).requeue is BACKOFF
    assert HINTS.decide(queued, FORCE_ACTIVATE, None, make_pod("q").build()).requeue is SKIP


def test_a_pod_without_profile_is_retried() -> None:
    pod = make_pod("p").spec(schedulerName="gone").build()
    assert HINTS.decide(QueuedPodInfo(pod, 0.0, unschedulable_plugins={"No"}), ADD, None, None).requeue is BACKOFF


def test_only_events_of_the_gating_plugin_may_ungate() -> None:
    queued = QueuedPodInfo(make_pod("p").build(), 0.0, unschedulable_plugins={"No"}, gating_plugin="No")
    assert HINTS.may_ungate(queued, ADD)
    assert not HINTS.may_ungate(queued, LABEL)
    assert not HINTS.may_ungate(queued, UNSCHEDULABLE_TIMEOUT)
