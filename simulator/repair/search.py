"""A* search for sets of edits with which a dry run places the pod, cheapest first.

The repair rules of a node's plugins give its needs, and each need's options. A set that makes the node take the pod
contains an option of each need. So the cost of the cheapest such set is a lower bound, and the search pops sets in the
order of their bounds. A set that still fails is diagnosed again, and the remaining rejections become further needs.
This finds edits that undo each other, and counts an edit that fixes two needs once.
"""

import heapq
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.edits.costs import ARGUE, EVICT, Prices
from scheduler_core.edits.edit import Edits, apply_changes, are_compatible, sort_edits, total_cost
from scheduler_core.edits.question import Need
from simulator.repair import bounds
from simulator.repair.commands import plan_repair
from simulator.repair.moved_pods import moved_pods_fit
from simulator.repair.node_shapes import add_node_edits
from simulator.repair.pod_diagnosis import PodDiagnosis, diagnose_pod
from simulator.simulation.commands.command import CommandError
from simulator.simulation.fork import fork
from simulator.simulation.object_changes import parse_all
from simulator.simulation.simulation import Simulation

NOTHING: Edits = frozenset()
# Order of entries with equal bounds: complete sets, then partial sets, then nodes without a diagnosis.
_WHOLE, _PART, _NODE = range(3)
# Size of the cache of diagnoses, since many nodes try the same edits: at least so many, or for so many nodes in total.
_CACHED_DIAGNOSES, _CACHED_NODES = 8, 4_000
MOST_EDITS = 12
# Limits after the first result: nodes opened with edits of other pods, and failed sets of one shape.
MOST_OPENED, MOST_ALIKE = 60, 20


@dataclass(frozen=True, slots=True)
class Partial:
    """A node and `edits`, which fix some of `needs`; the needs are those of the node with `base` made.

    `besides` is a lower bound of the cost of evictions; the needs are then those of the emptied node.
    """

    node: str
    base: Edits
    needs: tuple[Need, ...]
    edits: Edits
    besides: int = 0


@dataclass(frozen=True, slots=True)
class Opening:
    """A node to diagnose with `edits` made; `others` allows edits of other pods."""

    node: str
    edits: Edits
    others: bool = False


@dataclass(slots=True)
class Tally:
    """Statistics of a search.

    `diagnoses` counts runs of the plugins, `nodes` counts nodes with known needs. `exhaustive` is true while no cheaper
    set was skipped.
    """

    diagnoses: int = 0
    nodes: int = 0
    tried: int = 0
    exhaustive: bool = True


@dataclass(slots=True)
class Search:
    """A search for one pod; iterate over `candidates()`.

    `openings` are the nodes where it begins, lowest bound first.
    """

    simulation: Simulation
    pod_key: str
    prices: Prices
    out_of_time: Callable[[], bool]
    tally: Tally = field(default_factory=Tally)
    found: bool = False
    openings: list[tuple[str, Edits]] = field(default_factory=list)
    _opened: int = 0
    _skip: Callable[[Edits], bool] = field(default=lambda edits: False)
    _heap: list[Any] = field(default_factory=list)
    _serial: Iterator[int] = field(default_factory=count)
    _seen: set[tuple[str, Edits, int]] = field(default_factory=set)
    _reopened: set[tuple[str, Edits]] = field(default_factory=set)
    _failed_shapes: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _evicts: bool = False
    _diagnoses: "OrderedDict[Edits, PodDiagnosis | None]" = field(default_factory=OrderedDict)

    @property
    def bound(self) -> int | None:
        """Return a lower bound of the cost of all further candidates, None if there are none."""
        return self._heap[0][0] if self._heap else None

    def candidates(self, skip: Callable[[Edits], bool]) -> Iterator[Edits | None]:
        """Yield sets in the order of their costs, and None between two steps so that callers can pause.

        1. Push an opening for each node, by its lower bound.
        2. Pop the entry with the least bound.
        3. Opening: diagnose the node, and push its needs as a partial set.
        4. Partial set: push one entry per option of its narrowest need.
        5. Complete set: diagnose it. Yield it if the pod is placed; otherwise push the remaining needs.

        `skip` returns True for sets that are like known results.
        """
        self._skip = skip
        self._push_openings()
        while self._heap:
            yield None
            if self.out_of_time():
                self.tally.exhaustive = False
                return
            _, stage, _, _, entry = heapq.heappop(self._heap)
            if stage == _NODE:
                self._open(entry)
            elif stage == _PART:
                self._extend(entry)
            elif not skip(entry.edits) and not self._should_skip(entry.edits, entry.besides):
                self.tally.tried += 1
                diagnosis = self.diagnose(entry.edits)
                if diagnosis is not None and diagnosis.places:
                    self.found = True
                    yield entry.edits
                    self._evicts = self._evicts or (_is_eviction(entry.edits) and skip(entry.edits))
                    self._push_gang_need(entry.node, entry.edits, diagnosis)
                    continue
                if diagnosis is not None:
                    self._push_remaining(entry.node, entry.edits, diagnosis, others=False)
                self._push_other_ways(entry, diagnosis)

    def try_first_in_queue(self, edits: Edits) -> None:
        """Try a set again with the pod first in the queue, because other pods took the room that it makes."""
        diagnosis = self.diagnose(edits)
        first = None if diagnosis is None else diagnosis.first_in_queue()
        if first is not None and are_compatible(edits | {first}):
            self._add(Partial("", edits, (), edits | {first}))

    def _should_skip(self, edits: Edits, besides: int = 0) -> bool:
        """Return True if the set is not worth a diagnosis.

        Skip a set with evictions if an eviction alone works. After the first result, skip a set after MOST_ALIKE failed
        sets of the same shape.
        """
        if besides and self._evicts:
            return True
        if not self.found:
            return False
        shape = tuple(sorted(edit.shape for edit in edits))
        self._failed_shapes[shape] += 1
        if self._failed_shapes[shape] <= MOST_ALIKE:
            return False
        self.tally.exhaustive = False
        return True

    # Diagnoses

    def diagnose(self, edits: Edits) -> PodDiagnosis | None:
        """Return the diagnosis of the pod with these edits made, or None if they cannot be made."""
        if edits in self._diagnoses:
            self._diagnoses.move_to_end(edits)
            return self._diagnoses[edits]
        self.tally.diagnoses += 1
        diagnosis = self._diagnose_uncached(edits)
        self._diagnoses[edits] = diagnosis
        nodes = len(self.simulation.cluster.cache.table.rows)
        while len(self._diagnoses) > max(_CACHED_DIAGNOSES, _CACHED_NODES // max(nodes, 1)):
            self._diagnoses.popitem(last=False)
        return diagnosis

    def _diagnose_uncached(self, edits: Edits) -> PodDiagnosis | None:
        pod = self.simulation.cluster.find_pod(self.pod_key)
        if pod is None:
            return None
        try:
            own = ("Pod", pod.key)
            if all(edit.change is not None and not edit.made and (edit.of.kind, edit.of.key) == own for edit in edits):
                # Edits of the pod alone need no copy of the cluster.
                manifest = apply_changes(pod, [edit.change for edit in edits if edit.change is not None])
                (other,) = parse_all([manifest], self.simulation.cluster.store) if edits else (pod,)
                if isinstance(other, Pod) and (not edits or not self._may_evict(other)):
                    return diagnose_pod(self.simulation, other, self.prices)
            trial = fork(self.simulation)
            plan_repair(trial, edits, self.pod_key).carry_out(trial, self.pod_key)
        except CommandError:
            return None
        live = trial.cluster.find_pod(self.pod_key)
        if not moved_pods_fit(trial, edits):
            return None
        return None if live is None else diagnose_pod(trial, live, self.prices)

    def _may_evict(self, pod: Pod) -> bool:
        """Return True if the pod may preempt. Then the store must hold the changed pod, which the scheduler reads."""
        return bool((Nodes(self.simulation.cluster.cache.table).lowest_priority < pod.priority).any())

    # Nodes

    def _push_openings(self) -> None:
        root = self.diagnose(NOTHING)
        if root is None:
            return
        lower_bounds = bounds.lower_bounds(root, self.prices)
        shortage, failing = bounds.relative_shortage(root), root.failing
        for row in np.lexsort((shortage, failing, lower_bounds)).tolist():
            if lower_bounds[row] < bounds.NEVER:
                tie = (float(failing[row]) + float(shortage[row]), row)
                self._push(int(lower_bounds[row]), _NODE, tie, Opening(root.nodes[row].name, NOTHING))
                self.openings.append((root.nodes[row].name, NOTHING))
        for edit in add_node_edits(self.simulation.cluster.store, self.prices):
            if self.prices.allows(edit):
                self._push(edit.cost, _NODE, (0.0, 0), Opening(edit.of.name, frozenset([edit])))
                self.openings.append((edit.of.name, frozenset([edit])))

    def _push(self, bound: int, stage: int, tie: tuple[float, int], entry: Any) -> None:
        heapq.heappush(self._heap, (bound, stage, tie, next(self._serial), entry))

    def _open(self, entry: "Opening") -> None:
        """Push the needs of a node, first without edits of other pods."""
        if entry.edits and not entry.others and entry.edits not in self._diagnoses and self._should_skip(entry.edits):
            return
        if entry.others and self.found:
            # Most further results would be known ones on another node.
            self._opened += 1
            if self._opened > MOST_OPENED:
                self.tally.exhaustive = False
                return
        diagnosis = self.diagnose(entry.edits)
        self.tally.nodes += not entry.others
        if diagnosis is not None and entry.edits and diagnosis.places:
            self._add(Partial(entry.node, entry.edits, (), entry.edits))
        elif diagnosis is not None:
            self._push_remaining(entry.node, entry.edits, diagnosis, entry.others)

    def _push_remaining(self, node: str, edits: Edits, diagnosis: PodDiagnosis, others: bool) -> None:
        """Push the needs that remain with these edits made."""
        row = diagnosis.nodes.table.rows.get(node)
        if row is None:
            return
        needs = diagnosis.needs(row, others)
        if any(need.is_hopeless for need in needs):
            return
        if not needs and diagnosis.places:
            self._push_gang_need(node, edits, diagnosis)
            return
        if needs and all(need.options for need in needs):
            self._add(Partial(node, edits, tuple(needs), edits))
        elif not needs and not diagnosis.places:
            # The filters accept the node but the pod is not placed, and no repair rule covers the reason.
            self.tally.exhaustive = False
        if (evicted_needs := diagnosis.needs_after_preemption(row, others)) and all(
            need.options for need in evicted_needs
        ):
            self._add(Partial(node, edits, tuple(evicted_needs), edits))
        despite_eviction = diagnosis.plugins_despite_eviction(row) if others else frozenset()
        evicting = self.prices.least(*EVICT)
        if others and evicting is not None and not self._evicts:
            # Once these needs are fixed, a higher priority may fix all the others.
            despite = tuple(need for need in needs if need.plugin in despite_eviction)
            with_args = tuple(need for need in needs if need.options and (need in despite or _has_args_option(need)))
            for first in dict.fromkeys((despite, with_args, *diagnosis.needs_with_higher_priority(row))):
                bound = total_cost(edits) + evicting + bounds.bound_of_needs(first, edits)
                if first and bound < bounds.NEVER:
                    self._push(bound, _PART, (0.0, 0), Partial(node, edits, first, edits, evicting))
        if needs and not others:
            bound = total_cost(edits) + bounds.bound_with_evictions(needs, edits, self.prices)
            if bound < bounds.NEVER:
                self._push(bound, _NODE, (float(len(needs)), row), Opening(node, edits, others=True))

    def _push_gang_need(self, node: str, edits: Edits, diagnosis: PodDiagnosis) -> None:
        """Push the need of an incomplete gang: with these edits the pod has a node but stays pending."""
        need = diagnosis.gang_need()
        if need is not None or not edits:
            # The search covers neither repairs of the gang's other pods, nor a pod with a node that is never tried.
            self.tally.exhaustive = False
        if need is not None:
            self._add(Partial(node, edits, (need,), edits))

    # Sets

    def _push_other_ways(self, entry: Partial, diagnosis: PodDiagnosis | None) -> None:
        """Push variants of a failed set in which a moved pod goes elsewhere or is deleted.

        `diagnosis` is None if the moved pods do not fit on their nodes.
        """
        moved = [edit for edit in sort_edits(entry.edits) if edit.moved_to]
        row = None if diagnosis is None else diagnosis.nodes.table.rows.get(entry.node)
        if not moved or (diagnosis is not None and row is not None and not diagnosis.depends_on_other_nodes(row)):
            return
        for edit in moved:
            rest = entry.edits - {edit}
            before = self.diagnose(rest)
            for other in () if before is None else before.edits_to_leave(entry.node, edit.of.key):
                self._add(Partial(entry.node, entry.base, (), rest | {other}, entry.besides))

    def _add(self, entry: Partial) -> None:
        key = (entry.node, entry.edits, entry.besides)
        open_needs = [need for need in entry.needs if not _is_met(need, entry)]
        if open_needs or key not in self._seen:
            cost = total_cost(entry.edits) + entry.besides
            tie = (sum(edit.tie for edit in entry.edits), 0)
            if not open_needs:
                self._seen.add(key)
                self._push(cost, _WHOLE, tie, entry)
                self._reopen_without_amounts(entry, cost)
                return
            extra = bounds.bound_of_needs(open_needs, entry.edits)
            left = replace(entry, needs=tuple(open_needs))
            if extra < bounds.NEVER and len(entry.edits) < MOST_EDITS:
                self._push(cost + extra, _PART, tie, left)
            elif extra < bounds.NEVER:
                self.tally.exhaustive = False

    def _reopen_without_amounts(self, entry: Partial, cost: int) -> None:
        """Open the node again without amounts: other changes may leave more room, so that smaller amounts suffice."""
        if self._skip(entry.edits):
            return
        amounts = frozenset(edit for edit in entry.edits if edit.kind in _AMOUNTS)
        rest = entry.edits - amounts
        changes = any(edit.gone or edit.moved_to or edit.kind in _LABELS for edit in rest)
        if amounts and changes and (entry.node, rest) not in self._reopened:
            self._reopened.add((entry.node, rest))
            least = sum(self.prices.cost_of(edit.kind) or 0 for edit in amounts)
            self._push(min(total_cost(rest) + least, cost), _NODE, (0.0, 0), Opening(entry.node, rest))

    def _extend(self, entry: Partial) -> None:
        need = min(entry.needs, key=lambda need: len(need.options))
        for option in need.options:
            edits = entry.edits | option
            if len(edits) > len(entry.edits) and are_compatible(edits):
                self._add(replace(entry, edits=edits))


# Kinds of edits whose amount depends on the other edits.
_AMOUNTS = ("lower_request", "raise_skew", "fewer_devices", "widen")
_LABELS = ("label", "relabel")


def _is_eviction(edits: Edits) -> bool:
    """Return True if the only edit lets the scheduler evict other pods."""
    return len(edits) == 1 and all(edit.kind in EVICT for edit in edits)


def _has_args_option(need: Need) -> bool:
    """Return True if changing a plugin's arguments in the profile fixes the need."""
    return any(edit.kind == ARGUE for option in need.options for edit in option)


def _is_met(need: Need, entry: Partial) -> bool:
    return any(option <= entry.edits and not option <= entry.base for option in need.options)


def without_one(edits: Edits) -> Iterator[Edits]:
    """Yield the set without each edit, in a stable order, so that `--apply 2` finds the same second repair again."""
    for edit in sort_edits(edits):
        yield edits - {edit}
