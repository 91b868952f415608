"""Diagnosis of a pod in a cluster: the verdict of every plugin on every node, and the edits that fix each rejection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.config.types import Profile
from scheduler_core.edits import priority
from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edit
from scheduler_core.edits.object_edits import disable_plugin, list_removals
from scheduler_core.edits.question import Need, Question
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import call_filter, call_pre_filter, run_remove_pod
from scheduler_core.framework.interface import FilterPlugin, Plugin, Reads
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Code, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.gang_scheduling.plugin import GangScheduling
from scheduler_core.plugins.gang_scheduling.repairs import need_of_members
from simulator.explain.rerun import dry_dependencies, dry_run
from simulator.repair.repair_rules import find_rule

if TYPE_CHECKING:
    from simulator.simulation.simulation import Simulation


GANG = GangScheduling.name
# Number of priorities tried for the pod on one node. The highest ones, which evict most, are kept.
_MOST_PRIORITIES = 4


@dataclass(slots=True)
class PodDiagnosis:
    """Results of all plugins for a pod, in the cluster that `simulation` holds.

    `node` is where an attempt would place the pod, `nominated` where preemption would make room. `blocked` are plugins
    that reject the pod as a whole. `verdicts` are those of the filters on all nodes, in the order of the nodes'
    creation.
    """

    simulation: "Simulation"
    pod: Pod
    prices: Prices
    framework: ProfileFramework
    profile: Profile
    nodes: Nodes
    state: CycleState = field(default_factory=CycleState)
    blocked: list[tuple[Plugin, Status]] = field(default_factory=list)
    verdicts: list[tuple[Plugin, Verdicts]] = field(default_factory=list)
    allowed: frozenset[str] | None = None
    node: str | None = None
    nominated: str | None = None
    memo: dict[Any, Any] = field(default_factory=dict)

    @property
    def places(self) -> bool:
        return bool(self.node or self.nominated)

    @property
    def failing(self) -> NDArray[np.int64]:
        """Return for each node the number of filters that reject it."""
        size = len(self.nodes)
        columns = [(verdicts.codes > 0).astype(np.int64) for _, verdicts in self.verdicts]
        return np.sum(columns, axis=0) if columns else np.zeros(size, np.int64)

    def rejected_by(self) -> list[tuple[str, BoolColumn]]:
        """Return the rejected nodes of each plugin, except rejections that the scheduler's own preemption may fix."""
        may_evict = self.pod.preemption_policy != "Never" and bool(self.framework.post_filter)
        evictable = (self.nodes.lowest_priority < self.pod.priority) & may_evict
        rejections = []
        for plugin, verdicts in self.verdicts:
            lasting = np.array([status.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE for status in verdicts.statuses])
            rejections.append((plugin.name, (verdicts.codes > 0) & (~evictable | lasting[verdicts.codes])))
        return rejections

    def needs(self, row: int, others: bool = True) -> list[Need]:
        """Return the needs to fix before the node takes the pod. A need without options cannot be fixed.

        Needs that the scheduler's own preemption may fix are left out if other needs exist. With `others` false, only
        edits that do not touch other pods are options.
        """
        if (evicted := self._without_lower_priority(row)) is not None:
            needs = self._remaining_needs(self._needs(row, others), evicted, row, others)
            if needs:
                return self._share_ways(needs, row)
        return self._share_ways(self._needs(row, others), row)

    def _share_ways(self, needs: list[Need], row: int) -> list[Need]:
        return share_cheapest_ways(needs, self.nodes[row].name)

    def needs_after_preemption(self, row: int, others: bool) -> list[Need]:
        """Return the needs on the node after preemption has evicted its pods of lower priority.

        An eviction may cause a need: this pod may have to run near an evicted one. The list is empty if preemption
        evicts nothing, or if `needs` includes these needs already.
        """
        evicted = self._without_lower_priority(row)
        if evicted is None or self._remaining_needs(self._needs(row, others), evicted, row, others):
            return []
        return self._share_ways(self._needs_on_emptied(evicted, row, others), row)

    def needs_with_higher_priority(self, row: int) -> list[tuple[Need, ...]]:
        """Return the needs after preemption with a higher priority, one tuple for each priority to try.

        If the profile has no preemption, return the needs with preemption enabled.
        """
        pod = self.pod
        preempts = bool(self.framework.post_filter)
        above = sorted({other.priority + 1 for other in self.nodes[row].pods if other.priority >= pod.priority})
        priorities = above[-_MOST_PRIORITIES:] if preempts else [pod.priority]
        emptied = [self._needs_on_emptied(self._emptied(row, value), row, True) for value in priorities]
        return [tuple(self._share_ways(needs, row)) for needs in emptied]

    def plugins_despite_eviction(self, row: int) -> frozenset[str]:
        """Return the plugins whose rejection of the node no eviction fixes.

        The set is empty unless other plugins reject the node, too, for reasons that an eviction might fix.
        """
        failing = [(plugin.name, verdicts.statuses[verdicts.codes[row]]) for plugin, verdicts in self.verdicts]
        failing = [(name, status) for name, status in failing if not status.is_success]
        lasting = [name for name, status in failing if status.code != Code.UNSCHEDULABLE]
        lasting += [plugin.name for plugin, _ in self.blocked]
        return frozenset(lasting) if len(failing) + len(self.blocked) > len(lasting) else frozenset()

    def needs_on_all_nodes(self) -> list[Need]:
        """Return the needs that do not depend on a node."""
        return [need for plugin, status in self.blocked for need in self._needs_of(plugin, status, None, True)]

    def gang_need(self) -> Need | None:
        """Return the need of an incomplete gang, which may keep a pod pending that has a node."""
        gated = any(plugin.name == GANG for plugin in self.framework.pre_enqueue)
        return need_of_members(self._question(GANG, Status(), None, True)) if gated else None

    def first_in_queue(self) -> Edit | None:
        """Return the edit that puts the pod first in the queue, or None."""
        edit = priority.raise_above_waiting_pods(self._question(priority.PLUGIN, Status(), None, True))
        return edit if edit is not None and self.prices.allows(edit) else None

    def depends_on_other_nodes(self, row: int) -> bool:
        """Return True if the rejection of the node, or the pending state, may depend on pods of other nodes."""
        rejecting = [plugin for plugin, verdicts in self.verdicts if verdicts.codes[row] > 0]
        return bool(self.blocked) or not rejecting or any(plugin.reads >= Reads.CLUSTER for plugin in rejecting)

    def edits_to_leave(self, node: str, pod_key: str) -> list[Edit]:
        """Return edits by which another pod leaves its node without going to `node`."""
        row, other = self.nodes.table.rows.get(node), self.simulation.cluster.find_pod(pod_key)
        return [] if row is None or other is None else list_removals(self._question("", Status(), row, True), other)

    def _needs(self, row: int, others: bool) -> list[Need]:
        pod_needs = [need for plugin, status in self.blocked for need in self._needs_of(plugin, status, None, others)]
        helpful = not self.blocked
        on_node: list[Need] = []
        for plugin, verdicts in self.verdicts:
            code = int(verdicts.codes[row])
            if code:
                status = verdicts.statuses[code]
                helpful = helpful and status.code == Code.UNSCHEDULABLE
                on_node += self._needs_of(plugin, status, row, others)
        if on_node and helpful and others:
            question = self._question(priority.PLUGIN, Status(), row, others)
            for edit in (priority.raise_priority(question), priority.offer_preemption(question)):
                if edit is not None and self.prices.allows(edit):
                    on_node = [replace(need, options=(*need.options, frozenset([edit]))) for need in on_node]
        if not on_node and not pod_needs and not self._is_allowed(row):
            return [Need("", ())]
        return [*pod_needs, *on_node]

    def _without_lower_priority(self, row: int) -> "tuple[NodeView, CycleState] | None":
        """Return the node without pods of lower priority, or None if no pod can be evicted."""
        pod = self.pod
        least = int(self.nodes[row].as_nodes.lowest_priority[0])
        if least >= pod.priority or pod.preemption_policy == "Never" or not self.framework.post_filter:
            return None
        return self._emptied(row, pod.priority)

    def _emptied(self, row: int, priority: int) -> "tuple[NodeView, CycleState]":
        stripped, state, pod = self.nodes[row].what_if(), self.state.clone(), self.pod
        for other in list(stripped.pods):
            if other.priority < priority:
                stripped.table.remove_pod(other, stripped.name)
                run_remove_pod(self.framework, state, pod, other, stripped)
        return stripped, state

    def _remaining_needs(
        self, needs: list[Need], evicted: "tuple[NodeView, CycleState]", row: int, others: bool
    ) -> list[Need]:
        """Return the needs that remain on the emptied node, with the options that they have there."""
        left = {(need.plugin, need.about): need for need in self._needs_on_emptied(evicted, row, others)}
        blocking = {plugin.name for plugin, _ in self.blocked}
        remaining = []
        for need in needs:
            if need.plugin in blocking:
                remaining.append(need)
            elif (emptied_need := left.get((need.plugin, need.about))) is not None:
                options = tuple(dict.fromkeys((*emptied_need.options, *need.options)))
                leave, besides = min(need.leave, emptied_need.leave), min(need.besides, emptied_need.besides)
                remaining.append(replace(emptied_need, options=options, leave=leave, besides=besides))
        return remaining

    def _needs_on_emptied(self, evicted: "tuple[NodeView, CycleState]", row: int, others: bool) -> list[Need]:
        """Return the needs on the emptied node, and those that do not depend on a node."""
        node, state = evicted
        needs = [need for plugin, status in self.blocked for need in self._needs_of(plugin, status, None, others)]
        for plugin, _ in self.verdicts:
            assert isinstance(plugin, FilterPlugin)
            status = call_filter(plugin, state, self.pod, node.as_nodes).status(0)
            if not status.is_success:
                needs += self._needs_of(plugin, status, row, others, evicted)
        return needs

    def _is_allowed(self, row: int) -> bool:
        return self.allowed is None or self.nodes[row].name in self.allowed

    def _needs_of(
        self,
        plugin: Plugin,
        status: Status,
        row: int | None,
        others: bool,
        instead: "tuple[NodeView, CycleState] | None" = None,
    ) -> list[Need]:
        question = self._question(plugin.name, status, row, others)
        if instead is not None:
            question.node, question.state = instead
        rule = find_rule(plugin)
        if rule is None:
            return [question.need(disable_plugin(question, is_known=False))]
        try:
            needs = list(rule(question))
        except PluginError:
            needs = []  # The rule hit the same unreadable data as the plugin.
        # A rejection for which the rule has no need can only be fixed by disabling the plugin.
        return needs or [question.need(disable_plugin(question))]

    def _question(self, plugin: str, status: Status, row: int | None, others: bool) -> Question:
        return Question(
            plugin=plugin,
            status=status,
            pod=self.pod,
            node=None if row is None else self.nodes[row],
            nodes=self.nodes,
            state=self.state,
            framework=self.framework,
            profile=self.profile,
            lister=self.simulation.cluster.store,
            prices=self.prices,
            others=others,
            memo=self.memo,
        )


def diagnose_pod(simulation: "Simulation", pod: Pod, prices: Prices) -> PodDiagnosis | None:
    """Return the diagnosis of a pod, or None if no profile schedules it.

    1. Run PreEnqueue plugins.
    2. Run all PreFilter and Filter plugins, also those after a rejection.
    3. Unless the pod is gated, run an attempt; preemption is decided but not carried out.
    """
    scheduler = simulation.cluster.scheduler
    framework = scheduler.frameworks.get(pod.scheduler_name)
    if framework is None:
        return None
    profile = next(profile for profile in scheduler.config.profiles if profile.scheduler_name == framework.name)
    dependencies = dry_dependencies(simulation)
    with dry_run(scheduler, dependencies):
        diagnosis = PodDiagnosis(simulation, pod, prices, framework, profile, Nodes(dependencies.cache.table))
        for gate in framework.pre_enqueue:
            status = gate.pre_enqueue(pod)
            if not status.is_success:
                diagnosis.blocked.append((gate, status))
        gated = bool(diagnosis.blocked)
        _run_filters(diagnosis)
        if not gated and len(diagnosis.nodes):
            result = scheduler.run_scheduling_algorithm(framework, pod, None)
            diagnosis.node = result.node
            diagnosis.nominated = result.nominated or None
    return diagnosis


def _run_filters(diagnosis: PodDiagnosis) -> None:
    """Run all PreFilter and Filter plugins, also those after one that rejects."""
    framework, pod, state = diagnosis.framework, diagnosis.pod, diagnosis.state
    silent: set[str] = set()
    known = {plugin.name for plugin, _ in diagnosis.blocked}
    for plugin in framework.pre_filter:
        result = call_pre_filter(plugin, state, pod, diagnosis.nodes)
        if result.status.is_skip:
            silent.add(plugin.name)
        elif not result.status.is_success:
            silent.add(plugin.name)
            if plugin.name not in known:
                diagnosis.blocked.append((plugin, result.status))
        elif result.node_names is not None:
            names = result.node_names
            diagnosis.allowed = names if diagnosis.allowed is None else diagnosis.allowed & names
    state.skip_filter_plugins = frozenset(silent)
    for filtering in framework.filter:
        if filtering.name not in silent:
            diagnosis.verdicts.append((filtering, call_filter(filtering, state, pod, diagnosis.nodes)))


def share_cheapest_ways(needs: Sequence[Need], node: str) -> list[Need]:
    """Replace edits by which another pod leaves the node with the cheapest such edit of that pod.

    Otherwise, two needs could evict one pod and also move it. The search tries the other edits later.
    """
    ways: dict[str, Edit] = {}
    for edit in (edit for need in needs for option in need.options for edit in option):
        if _leaves(edit, node):
            known = ways.setdefault(edit.of.key, edit)
            ways[edit.of.key] = edit if edit.cost < known.cost else known
    if not ways:
        return list(needs)
    merged = [
        [frozenset(_chosen_way(edit, ways, node) for edit in option) for option in need.options] for need in needs
    ]
    return [replace(need, options=tuple(dict.fromkeys(options))) for need, options in zip(needs, merged, strict=True)]


def _leaves(edit: Edit, node: str) -> bool:
    return edit.gone or edit.moved_to not in ("", node)


def _chosen_way(edit: Edit, ways: Mapping[str, Edit], node: str) -> Edit:
    return ways[edit.of.key] if _leaves(edit, node) else edit
