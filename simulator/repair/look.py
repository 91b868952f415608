"""Look: how a cluster meets the pod, every plugin on every node, and what would mend each rejection."""

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
from scheduler_core.edits.other_edits import ways_out, without_plugin
from scheduler_core.edits.question import Need, Question
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import call_filter, call_pre_filter, run_remove_pod
from scheduler_core.framework.interface import FilterPlugin, Plugin, Reads
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Code, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.gang_scheduling.plugin import GangScheduling
from scheduler_core.plugins.gang_scheduling.repairs import need_of_members
from simulator.explain.rerun import dry, dry_surroundings
from simulator.repair.rules import rule_of
from simulator.repair.ways import one_way

if TYPE_CHECKING:
    from simulator.simulation.simulation import Simulation


GANG = GangScheduling.name
# Priorities that are weighed for the pod on one node: the most are those that leave it emptiest.
_MOST_VALUES = 4


@dataclass(slots=True)
class Look:
    """`node` is where an attempt would put the pod, `nominated` where it would have others evicted.

    `blocked`: plugins that reject the pod as a whole. `verdicts`: those of the filters, on all nodes in the order of
    their creation.
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
        """How many filters reject each node."""
        size = len(self.nodes)
        columns = [(verdicts.codes > 0).astype(np.int64) for _, verdicts in self.verdicts]
        return np.sum(columns, axis=0) if columns else np.zeros(size, np.int64)

    def rejected_by(self) -> list[tuple[str, BoolColumn]]:
        """By plugin the nodes that it rejects; without those where the scheduler's own evictions might mend it."""
        may_evict = self.pod.preemption_policy != "Never" and bool(self.framework.post_filter)
        evictable = (self.nodes.lowest_priority < self.pod.priority) & may_evict
        found = []
        for plugin, verdicts in self.verdicts:
            lasting = np.array([status.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE for status in verdicts.statuses])
            found.append((plugin.name, (verdicts.codes > 0) & (~evictable | lasting[verdicts.codes])))
        return found

    def needs(self, row: int, others: bool = True) -> list[Need]:
        """What keeps the pod from a node. A need that nothing mends has no options.

        What the scheduler's own evictions may mend is no need, as long as there are others. `others` false: as far as
        it can be mended without touching other pods.
        """
        if (evicted := self._without_the_less_important(row)) is not None:
            needs = self._lasting(self._needs(row, others), evicted, row, others)
            if needs:
                return self._one_way(needs, row)
        return self._one_way(self._needs(row, others), row)

    def _one_way(self, needs: list[Need], row: int) -> list[Need]:
        return one_way(needs, self.nodes[row].name)

    def once_evicted(self, row: int, others: bool) -> list[Need]:
        """What keeps the pod from a node that the scheduler emptied for it: who leaves may be one it has to be near.

        Nothing where it evicts nobody, or where those needs are among `needs` already.
        """
        evicted = self._without_the_less_important(row)
        if evicted is None or self._lasting(self._needs(row, others), evicted, row, others):
            return []
        return self._one_way(self._needs_there(evicted, row, others), row)

    def once_raised(self, row: int) -> list[tuple[Need, ...]]:
        """The same for each priority that the pod might be given, and for a profile that does not preempt yet."""
        pod = self.pod
        preempts = bool(self.framework.post_filter)
        above = sorted({other.priority + 1 for other in self.nodes[row].pods if other.priority >= pod.priority})
        values = above[-_MOST_VALUES:] if preempts else [pod.priority]
        there = [self._needs_there(self._emptied(row, value), row, True) for value in values]
        return [tuple(self._one_way(needs, row)) for needs in there]

    def lasting(self, row: int) -> frozenset[str]:
        """The plugins whose rejection of a node no eviction mends, where others reject it, too, that one might."""
        failing = [(plugin.name, verdicts.statuses[verdicts.codes[row]]) for plugin, verdicts in self.verdicts]
        failing = [(name, status) for name, status in failing if not status.is_success]
        lasting = [name for name, status in failing if status.code != Code.UNSCHEDULABLE]
        lasting += [plugin.name for plugin, _ in self.blocked]
        return frozenset(lasting) if len(failing) + len(self.blocked) > len(lasting) else frozenset()

    def needs_everywhere(self) -> list[Need]:
        """What keeps it from all of them."""
        return [need for plugin, status in self.blocked for need in self._needs_of(plugin, status, None, True)]

    def of_gang(self) -> Need | None:
        """What else may keep a pod out that would have a node: that its gang is not complete."""
        gated = any(plugin.name == GANG for plugin in self.framework.pre_enqueue)
        return need_of_members(self._question(GANG, Status(), None, True)) if gated else None

    def first_in_line(self) -> Edit | None:
        """How the pod would be tried before all others that wait."""
        found = priority.first_in_line(self._question(priority.PLUGIN, Status(), None, True))
        return found if found is not None and self.prices.allows(found) else None

    def looks_elsewhere(self, row: int) -> bool:
        """Whether what keeps the pod from a node, or keeps it pending, may be about pods of other nodes."""
        rejecting = [plugin for plugin, verdicts in self.verdicts if verdicts.codes[row] > 0]
        return bool(self.blocked) or not rejecting or any(plugin.reads >= Reads.CLUSTER for plugin in rejecting)

    def ways_out(self, node: str, pod_key: str) -> list[Edit]:
        """How another pod might leave, where it is not to go to `node`."""
        row, other = self.nodes.table.rows.get(node), self.simulation.cluster.find_pod(pod_key)
        return [] if row is None or other is None else ways_out(self._question("", Status(), row, True), other)

    def _needs(self, row: int, others: bool) -> list[Need]:
        found = [need for plugin, status in self.blocked for need in self._needs_of(plugin, status, None, others)]
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
            for edit in (priority.raised(question), priority.enabled(question)):
                if edit is not None and self.prices.allows(edit):
                    on_node = [replace(one, options=(*one.options, frozenset([edit]))) for one in on_node]
        if not on_node and not found and not self._is_open(row):
            return [Need("", ())]
        return [*found, *on_node]

    def _without_the_less_important(self, row: int) -> "tuple[NodeView, CycleState] | None":
        """The node once all pods of lower priority have left it; None where nobody can be evicted."""
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

    def _lasting(self, needs: list[Need], evicted: "tuple[NodeView, CycleState]", row: int, others: bool) -> list[Need]:
        """The needs that are left on the emptied node, with the options that they have there."""
        left = {(need.plugin, need.about): need for need in self._needs_there(evicted, row, others)}
        whole = {plugin.name for plugin, _ in self.blocked}
        found = []
        for need in needs:
            if need.plugin in whole:
                found.append(need)
            elif (there := left.get((need.plugin, need.about))) is not None:
                options = tuple(dict.fromkeys((*there.options, *need.options)))
                leave, besides = min(need.leave, there.leave), min(need.besides, there.besides)
                found.append(replace(there, options=options, leave=leave, besides=besides))
        return found

    def _needs_there(self, evicted: "tuple[NodeView, CycleState]", row: int, others: bool) -> list[Need]:
        """What keeps the pod from the emptied node, rejections of the pod as a whole among it."""
        node, state = evicted
        found = [need for plugin, status in self.blocked for need in self._needs_of(plugin, status, None, others)]
        for plugin, _ in self.verdicts:
            assert isinstance(plugin, FilterPlugin)
            status = call_filter(plugin, state, self.pod, node.as_nodes).status(0)
            if not status.is_success:
                found += self._needs_of(plugin, status, row, others, evicted)
        return found

    def _is_open(self, row: int) -> bool:
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
        rule = rule_of(plugin)
        if rule is None:
            return [question.need(without_plugin(question, is_known=False))]
        try:
            needs = list(rule(question))
        except PluginError:
            needs = []  # it reads what the plugin itself cannot read
        # Rejected, and the rule sees nothing wrong: then nothing is known that would mend it.
        return needs or [question.need(without_plugin(question))]

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


def look(simulation: "Simulation", pod: Pod, prices: Prices) -> Look | None:
    """None if no profile schedules the pod. Nothing is written: preemption is decided, not carried out."""
    scheduler = simulation.cluster.scheduler
    framework = scheduler.frameworks.get(pod.scheduler_name)
    if framework is None:
        return None
    profile = next(profile for profile in scheduler.config.profiles if profile.scheduler_name == framework.name)
    surroundings = dry_surroundings(simulation)
    with dry(scheduler, surroundings):
        found = Look(simulation, pod, prices, framework, profile, Nodes(surroundings.cache.table))
        for gate in framework.pre_enqueue:
            status = gate.pre_enqueue(pod)
            if not status.is_success:
                found.blocked.append((gate, status))
        gated = bool(found.blocked)
        _ask(found)
        if not gated and len(found.nodes):
            result = scheduler.schedule(framework, pod, None)
            found.node = result.node
            found.nominated = result.nominated or None
    return found


def _ask(found: Look) -> None:
    """All plugins, also those after one that rejects."""
    framework, pod, state = found.framework, found.pod, found.state
    silent: set[str] = set()
    known = {plugin.name for plugin, _ in found.blocked}
    for plugin in framework.pre_filter:
        result = call_pre_filter(plugin, state, pod, found.nodes)
        if result.status.is_skip:
            silent.add(plugin.name)
        elif not result.status.is_success:
            silent.add(plugin.name)
            if plugin.name not in known:
                found.blocked.append((plugin, result.status))
        elif result.node_names is not None:
            names = result.node_names
            found.allowed = names if found.allowed is None else found.allowed & names
    state.skip_filter_plugins = frozenset(silent)
    for filtering in framework.filter:
        if filtering.name not in silent:
            found.verdicts.append((filtering, call_filter(filtering, state, pod, found.nodes)))
