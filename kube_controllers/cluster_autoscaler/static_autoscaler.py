"""The main loop of the cluster autoscaler. Source: cluster-autoscaler/core/static_autoscaler.go RunOnce."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from kube_controllers.api import Api, WriteRefused
from kube_controllers.cluster_autoscaler import scale_down, scale_up
from kube_controllers.cluster_autoscaler.estimator import node_from_template
from kube_controllers.cluster_autoscaler.node_groups import (
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
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest
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


class ClusterAutoscalerController:
    """The controller of `ClusterAutoscaler` objects. Each one is the settings of the autoscaler for the
    whole cluster.
    """

    name = "cluster-autoscaler"
    kind = "ClusterAutoscaler"
    watches = frozenset({"ClusterAutoscaler", "NodeGroup", "Node", "Pod"})
    backoff = Backoff(10.0, 300.0)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        """Request the next scan, but only after a change that the autoscaler would see."""
        obj = new if new is not None else old
        if obj is None or not _is_relevant(old, new):
            return
        for settings in view.of_kind(self.kind):
            if spec(settings).get("suspend"):
                continue
            scan = scan_seconds(settings)
            yield ReconcileRequest(key(settings), (math.floor(view.now / scan) + 1) * scan - view.now)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if view.snapshot is None:
            return Outcome()
        api = Api(view)
        try:
            loop = AutoscalerLoop(obj, api, options_of(obj), view.snapshot())
        except ValueError as error:
            api.emit_event(obj, "Warning", "InvalidSettings", str(error), COMPONENT)
            return Outcome(api.changes)
        loop.run()
        return Outcome(api.changes, loop.why, loop.requeue_at, memory=loop.memory)


def _is_relevant(old: Manifest | None, new: Manifest | None) -> bool:
    obj = new if new is not None else old
    if obj is None:
        return False
    if kind(obj) in (GROUP, "ClusterAutoscaler", "Node"):
        return old is None or new is None or spec(old) != spec(new)
    if kind(obj) != "Pod":
        return False
    if new is None or is_deleted(new) or is_finished(new) or node_name_of(new):
        return new is None or old is None or node_name_of(old) != node_name_of(new)
    scheduled = condition(conditions(new), "PodScheduled")
    return scheduled is not None and scheduled.get("reason") == "Unschedulable"


class AutoscalerLoop:
    """One scan of the cluster.

    Its memory has the Nodes that are being provisioned, the time since which others are unneeded, and the last
    scale-up.
    """

    def __init__(self, settings: Manifest, api: Api, options: Options, snapshot: Snapshot) -> None:
        self.settings, self.api, self.view, self.options = settings, api, api.view, options
        self.snapshot, self.now = snapshot, api.view.now
        known: Mapping[str, Any] = self.view.remembered or {}
        self.coming: list[list[Any]] = [list(entry) for entry in known.get("coming", ())]
        self.since: dict[str, float] = dict(known.get("since", {}))
        self.scanned_at: float | None = known.get("asked")
        self.made = int(known.get("made", 0))
        self.reported: str = known.get("told", "")
        self.invalid: dict[str, str] = dict(known.get("invalid", {}))
        self.arrived: list[str] = []  # groups of Nodes created in this scan, which the view doesn't show yet
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
    def requeue_at(self) -> float | None:
        return min((time for time in self.times if time > self.now), default=None)

    def run(self) -> None:
        """Run one scan.

        1. Create the Nodes whose provisioning time has passed.
        2. Grow the groups that are below their minimum size.
        3. Delete drained Nodes.
        4. Grow a group for the unschedulable Pods.
        5. If no group grew, remove Nodes that are not needed.
        """
        self._create_provisioned_nodes()
        self._scale_up_to_min_size()
        self._finish_deletions()
        if not self._scale_up() and self.options.scales_down:
            self._scale_down()
        self.times += [at for _, _, at in self.coming]

    def _read_groups(self) -> list[NodeGroup]:
        """Return the valid groups. Emit an Event once for each error of the others."""
        groups, wrong = [], {}
        for obj in self.view.of_kind(GROUP):
            try:
                group = group_of(obj)
                self.snapshot.check_node(node_from_template(group.template, f"{group.name}-template"))
            except ValueError as error:
                wrong[name(obj)] = str(error)
                if self.invalid.get(name(obj)) != str(error):
                    self.api.emit_event(obj, "Warning", "InvalidNodeGroup", str(error), COMPONENT)
                    self._set_reason(say("Node group {group} can't be used: {problem}", group=name(obj), problem=error))
            else:
                groups.append(group)
        self.invalid = wrong
        return groups

    def _create_provisioned_nodes(self) -> None:
        """Create the Nodes whose time has come, and add the others to the snapshot."""
        by_name = {group.name: group for group in self.groups}
        for entry in [entry for entry in self.coming if entry[2] <= self.now]:
            self.coming.remove(entry)
            group = by_name.get(entry[0])
            if group is not None and self.view.get("Node", entry[1]) is None:
                made = self.api.create(node_from_template(group.template, entry[1]))
                self.snapshot.add_node(made)
                self.arrived.append(group.name)
                self._set_reason(say("Node {node} of group {group} was added", node=entry[1], group=group.name))
        for group_name, node, _ in self.coming:
            group = by_name.get(group_name)
            if group is not None:
                self.snapshot.add_node(node_from_template(group.template, node))

    def _set_reason(self, why: str) -> None:
        self.why = self.why or why

    def _scale_up_to_min_size(self) -> None:
        """Grow the groups that are below their minimum size. Source: ScaleUpToNodeGroupMinSize."""
        for group in self.groups:
            missing = group.least - len(nodes_of(group, self.view)) - self._count_provisioning(group.name)
            if missing > 0:
                self._provision(group, missing)
                self._set_reason(
                    say("Scaling up {group} by {count} nodes to its minimum size", group=group.name, count=missing)
                )

    def _count_provisioning(self, group: str) -> int:
        return [entry[0] for entry in self.coming].count(group) + self.arrived.count(group)

    def _provision(self, group: NodeGroup, count: int) -> None:
        for _ in range(count):
            self.made += 1
            ready_at = self.now + group.provision_seconds
            self.coming.append([group.name, f"{group.name}-{self.made}", ready_at])
        self.scanned_at = self.now

    def _scale_up(self) -> bool:
        waiting = scale_up.filter_out_schedulable(
            scale_up.unschedulable_pods(self.view, self.options.cutoff), self.snapshot
        )
        if not waiting:
            self.reported = ""
            return False
        coming = {group.name: self._count_provisioning(group.name) for group in self.groups}
        plan = scale_up.plan_scale_up(waiting, self.groups, coming, self.snapshot, self.view, self.options)
        reasons = "; ".join(f"{group}: {reason}" for group, reason in sorted(plan.reasons.items()))
        if plan.group is None:
            self._report_no_scale_up(plan, reasons)
            return False
        before = len(nodes_of(plan.group, self.view)) + self._count_provisioning(plan.group.name)
        self._provision(plan.group, plan.nodes)
        change = f"{plan.group.name} {before}->{before + plan.nodes} (max: {plan.group.most})"
        for pod in plan.pods:
            self.api.emit_event(pod, "Normal", "TriggeredScaleUp", f"pod triggered scale-up: [{{{change}}}]", COMPONENT)
        self.reported = ""
        self.why = say(
            "Scaling up {group} by {count} nodes for {pods} pending Pods{said}",
            group=plan.group.name,
            count=plan.nodes,
            pods=len(plan.pods),
            said=f" ({reasons})" if reasons else "",
        )
        if plan.left:
            self.times.append(self.now + self.options.scan)
        return True

    def _report_no_scale_up(self, plan: scale_up.ScaleUpPlan, reasons: str) -> None:
        """Emit the Events of a scan in which no group can grow, unless they are the same as last time."""
        report = f"{reasons} {sorted(name(pod) for pod in plan.left)}"
        if report == self.reported:
            return
        self.reported = report
        for pod in plan.left:
            message = f"pod didn't trigger scale-up: {reasons}" if reasons else "pod didn't trigger scale-up: "
            self.api.emit_event(pod, "Normal", "NotTriggerScaleUp", message, COMPONENT)
        self._set_reason(say("No scale-up for {pods} pending Pods: {said}", pods=len(plan.left), said=reasons))

    # Scale-down

    def _scale_down(self) -> None:
        review = scale_down.find_candidates(self.groups, self.snapshot, self.view, self.options)
        unneeded = {name(candidate.node) for candidate in review.candidates}
        self.since = {node: time for node, time in self.since.items() if node in unneeded}
        for candidate in review.candidates:
            self.since.setdefault(name(candidate.node), self.now)
        cooldown_end = -math.inf if self.scanned_at is None else self.scanned_at + self.options.after_add
        if self.now < cooldown_end:
            self.times += [cooldown_end] if unneeded else []
            return
        for candidate in scale_down.choose_due(review.candidates, self.since, self.now, self.options):
            self._drain(candidate)
        left = [time for node, time in self.since.items() if self.view.get("Node", node) is not None]
        self.times += [max(time + self.options.unneeded, self.now + self.options.scan) for time in left]

    def _drain(self, candidate: scale_down.Candidate) -> None:
        """Evict the Node's Pods and taint it; delete it if it is empty. Source: scaledown/actuation."""
        self.since.pop(name(candidate.node), None)
        try:
            for pod in candidate.pods:
                evict(pod, self.api)
        except WriteRefused as refused:
            self._set_reason(say("Keeping node {node}: {reason}", node=name(candidate.node), reason=refused.message))
            self.times.append(self.now + self.options.scan)
            return
        self.api.emit_event(
            candidate.node, "Normal", "ScaleDown", "marked the node as toBeDeleted/unschedulable", COMPONENT
        )
        self._set_reason(
            say(
                "Removing node {node}: {percent} % used for {seconds} seconds, {pods} Pods move",
                node=name(candidate.node),
                percent=round(candidate.used * 100),
                seconds=round(self.options.unneeded),
                pods=len(candidate.pods),
            )
        )
        if not candidate.pods:
            self.api.delete(candidate.node)
            return
        taints = [*(spec(candidate.node).get("taints") or ()), _TAINT]
        self.api.update(with_spec(candidate.node, taints=taints))
        self.times.append(self.now + 1.0)

    def _finish_deletions(self) -> None:
        for node in self.view.of_kind("Node"):
            if not scale_down.is_being_removed(node):
                continue
            if all(is_daemon(pod) or is_finished(pod) for pod in self.view.pods_on(name(node))):
                self.api.delete(node)
                self.snapshot.remove_node(name(node))
                self._set_reason(say("Removing empty node {node}", node=name(node)))
            else:
                self.times.append(self.now + 1.0)
