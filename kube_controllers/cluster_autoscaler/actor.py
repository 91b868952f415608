"""The cluster autoscaler's loop. Source: cluster-autoscaler/core/static_autoscaler.go RunOnce."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from kube_controllers.api import Api, Refused
from kube_controllers.cluster_autoscaler import scale_down, scale_up
from kube_controllers.cluster_autoscaler.estimator import node_of
from kube_controllers.cluster_autoscaler.groups import (
    GROUP,
    NodeGroup,
    Options,
    group_of,
    nodes_of,
    options_of,
    scan_seconds,
)
from kube_controllers.cluster_autoscaler.snapshot import Snapshot
from kube_controllers.cluster_autoscaler.utilization import is_daemon
from kube_controllers.contract import Backoff, Outcome, Wake
from kube_controllers.eviction import evict
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_controllers.pods import node_of as node_name_of
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    is_deleted,
    key,
    kind,
    name,
    spec,
    with_spec,
)
from kube_objects.sentences import say

COMPONENT = "cluster-autoscaler"
_TAINT = {"key": scale_down.TO_BE_DELETED, "effect": "NoSchedule"}


class ClusterAutoscalerActor:
    """It looks at its settings, and through them at the whole cluster."""

    name = "cluster-autoscaler"
    kind = "ClusterAutoscaler"
    watches = frozenset({"ClusterAutoscaler", "NodeGroup", "Node", "Pod"})
    backoff = Backoff(10.0, 300.0)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        """It looks once an interval, and only when something has changed that it would see."""
        obj = new if new is not None else old
        if obj is None or not _matters(old, new):
            return
        for settings in view.of_kind(self.kind):
            if spec(settings).get("suspend"):
                continue
            scan = scan_seconds(settings)
            yield Wake(key(settings), (math.floor(view.now / scan) + 1) * scan - view.now)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if view.snapshot is None:
            return Outcome()
        api = Api(view)
        try:
            loop = Loop(obj, api, options_of(obj), view.snapshot())
        except ValueError as error:
            api.tell(obj, "Warning", "InvalidSettings", str(error), COMPONENT)
            return Outcome(api.changes)
        loop.run()
        return Outcome(api.changes, loop.why, loop.wake_at, memory=loop.memory)


def _matters(old: Manifest | None, new: Manifest | None) -> bool:
    obj = new if new is not None else old
    if obj is None:
        return False
    if kind(obj) in (GROUP, "ClusterAutoscaler", "Node"):
        return old is None or new is None or spec(old) != spec(new)
    if kind(obj) != "Pod":
        return False
    if new is None or is_deleted(new) or is_finished(new) or node_name_of(new):
        return new is None or old is None or node_name_of(old) != node_name_of(new)
    found = condition(conditions(new), "PodScheduled")
    return found is not None and found.get("reason") == "Unschedulable"


class Loop:
    """One look. `memory`: nodes that are coming, since when others are not needed, when one was last asked for."""

    def __init__(self, settings: Manifest, api: Api, options: Options, snapshot: Snapshot) -> None:
        self.settings, self.api, self.view, self.options = settings, api, api.view, options
        self.snapshot, self.now = snapshot, api.view.now
        known: Mapping[str, Any] = self.view.remembered or {}
        self.coming: list[list[Any]] = [list(one) for one in known.get("coming", ())]
        self.since: dict[str, float] = dict(known.get("since", {}))
        self.scanned_at: float | None = known.get("asked")
        self.made = int(known.get("made", 0))
        self.reported: str = known.get("told", "")
        self.invalid: dict[str, str] = dict(known.get("invalid", {}))
        self.arrived: list[str] = []  # groups of the nodes that this look made: its view is from before
        self.why = ""
        self.groups = self._read_groups()
        self.times: list[float] = []

    @property
    def memory(self) -> dict[str, Any]:
        return {
            "coming": self.coming,
            "since": self.since,
            "asked": self.scanned_at,
            "made": self.made,
            "told": self.reported,
            **({"invalid": self.invalid} if self.invalid else {}),
        }

    @property
    def wake_at(self) -> float | None:
        return min((at for at in self.times if at > self.now), default=None)

    def run(self) -> None:
        self._arrive()
        self._fill_up()
        self._finish_deletions()
        if not self._grow() and self.options.scales_down:
            self._shrink()
        self.times += [at for _, _, at in self.coming]

    def _read_groups(self) -> list[NodeGroup]:
        """Return the groups whose nodes can be created. An Event says once what is wrong with each of the others."""
        groups, wrong = [], {}
        for obj in self.view.of_kind(GROUP):
            try:
                group = group_of(obj)
                self.snapshot.check_node(node_of(group.template, f"{group.name}-template"))
            except ValueError as error:
                wrong[name(obj)] = str(error)
                if self.invalid.get(name(obj)) != str(error):
                    self.api.tell(obj, "Warning", "InvalidNodeGroup", str(error), COMPONENT)
                    self._because(say("node group {group} can't be used: {problem}", group=name(obj), problem=error))
            else:
                groups.append(group)
        self.invalid = wrong
        return groups

    def _arrive(self) -> None:
        """Nodes that were asked for are there when their time has come."""
        by_name = {group.name: group for group in self.groups}
        for one in [one for one in self.coming if one[2] <= self.now]:
            self.coming.remove(one)
            group = by_name.get(one[0])
            if group is not None and self.view.get("Node", one[1]) is None:
                made = self.api.create(node_of(group.template, one[1]))
                self.snapshot.add_node(made)
                self.arrived.append(group.name)
                self._because(say("node {node} of group {group} is there", node=one[1], group=group.name))
        for group_name, node, _ in self.coming:
            group = by_name.get(group_name)
            if group is not None:
                self.snapshot.add_node(node_of(group.template, node))

    def _because(self, why: str) -> None:
        self.why = self.why or why

    def _fill_up(self) -> None:
        """Groups that are below their least size. Source: ScaleUpToNodeGroupMinSize."""
        for group in self.groups:
            missing = group.least - len(nodes_of(group, self.view)) - self._coming(group.name)
            if missing > 0:
                self._ask_for(group, missing)
                self._because(
                    say("group {group} is below its least size: {count} nodes more", group=group.name, count=missing)
                )

    def _coming(self, group: str) -> int:
        return [one[0] for one in self.coming].count(group) + self.arrived.count(group)

    def _ask_for(self, group: NodeGroup, count: int) -> None:
        for _ in range(count):
            self.made += 1
            at = self.now + group.provision_seconds
            self.coming.append([group.name, f"{group.name}-{self.made}", at])
        self.scanned_at = self.now

    def _grow(self) -> bool:
        waiting = scale_up.without_fitting(scale_up.waiting(self.view, self.options.cutoff), self.snapshot)
        if not waiting:
            self.reported = ""
            return False
        coming = {group.name: self._coming(group.name) for group in self.groups}
        plan = scale_up.plan(waiting, self.groups, coming, self.snapshot, self.view, self.options)
        reasons = "; ".join(f"{group}: {reason}" for group, reason in sorted(plan.reasons.items()))
        if plan.group is None:
            self._tell_in_vain(plan, reasons)
            return False
        before = len(nodes_of(plan.group, self.view)) + self._coming(plan.group.name)
        self._ask_for(plan.group, plan.nodes)
        change = f"{plan.group.name} {before}->{before + plan.nodes} (max: {plan.group.most})"
        for pod in plan.pods:
            self.api.tell(pod, "Normal", "TriggeredScaleUp", f"pod triggered scale-up: [{{{change}}}]", COMPONENT)
        self.reported = ""
        self.why = say(
            "group {group} gets {count} nodes more for {pods} pods that wait{said}",
            group=plan.group.name,
            count=plan.nodes,
            pods=len(plan.pods),
            said=f" ({reasons})" if reasons else "",
        )
        if plan.left:
            self.times.append(self.now + self.options.scan)
        return True

    def _tell_in_vain(self, plan: scale_up.Plan, reasons: str) -> None:
        """Once, as long as it is the same."""
        report = f"{reasons} {sorted(name(pod) for pod in plan.left)}"
        if report == self.reported:
            return
        self.reported = report
        for pod in plan.left:
            message = f"pod didn't trigger scale-up: {reasons}" if reasons else "pod didn't trigger scale-up: "
            self.api.tell(pod, "Normal", "NotTriggerScaleUp", message, COMPONENT)
        self._because(say("no node more for {pods} pods that wait: {said}", pods=len(plan.left), said=reasons))

    # Nodes that go

    def _shrink(self) -> None:
        found = scale_down.candidates(self.groups, self.snapshot, self.view, self.options)
        unneeded = {name(one.node) for one in found.candidates}
        self.since = {node: at for node, at in self.since.items() if node in unneeded}
        for one in found.candidates:
            self.since.setdefault(name(one.node), self.now)
        rests_until = -math.inf if self.scanned_at is None else self.scanned_at + self.options.after_add
        if self.now < rests_until:
            self.times += [rests_until] if unneeded else []
            return
        for one in scale_down.due(found.candidates, self.since, self.now, self.options):
            self._let_go(one)
        left = [at for node, at in self.since.items() if self.view.get("Node", node) is not None]
        self.times += [max(at + self.options.unneeded, self.now + self.options.scan) for at in left]

    def _let_go(self, one: scale_down.Candidate) -> None:
        """Source: scaledown/actuation. Its pods are evicted, and it goes with the last of them."""
        self.since.pop(name(one.node), None)
        try:
            for pod in one.pods:
                evict(pod, self.api)
        except Refused as refused:
            self._because(say("node {node} stays: {reason}", node=name(one.node), reason=refused.message))
            self.times.append(self.now + self.options.scan)
            return
        self.api.tell(one.node, "Normal", "ScaleDown", "marked the node as toBeDeleted/unschedulable", COMPONENT)
        self._because(
            say(
                "node {node} goes: {percent} % of it were used for {seconds} seconds, {pods} pods move",
                node=name(one.node),
                percent=round(one.used * 100),
                seconds=round(self.options.unneeded),
                pods=len(one.pods),
            )
        )
        if not one.pods:
            self.api.delete(one.node)
            return
        taints = [*(spec(one.node).get("taints") or ()), _TAINT]
        self.api.update(with_spec(one.node, taints=taints))
        self.times.append(self.now + 1.0)

    def _finish_deletions(self) -> None:
        for node in self.view.of_kind("Node"):
            if not scale_down.is_going(node):
                continue
            if all(is_daemon(pod) or is_finished(pod) for pod in self.view.pods_on(name(node))):
                self.api.delete(node)
                self.snapshot.remove_node(name(node))
                self._because(say("node {node} is empty, and goes", node=name(node)))
            else:
                self.times.append(self.now + 1.0)
