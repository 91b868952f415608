"""The search: sets of edits, the cheapest first, each looked at by the scheduler's plugins before it is believed.

For each node the rules of the plugins that reject it say which edits would mend it; any set that makes the pod fit
there has to take one option of each need. So the cost of the cheapest such set is a bound, and the sets come in the
order of their bounds (A*). A set that still fails is looked at again: what rejects the node now are further needs. That
is how edits that undo each other are found out, and edits that mend two things at once cost once.
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
from scheduler_core.edits.edit import Edits, agree, changed, cost_of, in_order
from scheduler_core.edits.question import Need
from simulator.repair import bounds
from simulator.repair.commands import plan
from simulator.repair.look import Look, look
from simulator.repair.moves import fit_together
from simulator.repair.shapes import added_nodes
from simulator.simulation.commands.command import CommandError
from simulator.simulation.fork import fork
from simulator.simulation.objects import parse_all
from simulator.simulation.simulation import Simulation

NOTHING: Edits = frozenset()
# Whole sets before their parts, those before nodes that nobody has looked at: with equal bounds the answer comes first.
_WHOLE, _PART, _NODE = range(3)
# Looks that are kept, the same edits are tried for many nodes: so many, and no more than of so many nodes together.
_CACHED_LOOKS, _CACHED_NODES = 8, 4_000
MOST_EDITS = 12
# Once something is found: nodes whose other pods are weighed, and sets of one shape that are tried in vain.
MOST_OPENED, MOST_ALIKE = 60, 20


@dataclass(frozen=True, slots=True)
class Partial:
    """For a node: `edits` mend some of `needs`, which are those that the node has with `base`.

    `besides`: what it costs at least that others are evicted. The needs are those of the emptied node then.
    """

    node: str
    base: Edits
    needs: tuple[Need, ...]
    edits: Edits
    besides: int = 0


@dataclass(frozen=True, slots=True)
class Opening:
    """A node whose needs are still to be found out, with `edits` made; `others`: other pods may be touched."""

    node: str
    edits: Edits
    others: bool = False


@dataclass(slots=True)
class Tally:
    """`looks`: how often the plugins were asked; `nodes`: how many nodes' needs are known; `exhaustive`: nothing that
    costs less than what comes next was passed over.
    """

    looks: int = 0
    nodes: int = 0
    tried: int = 0
    exhaustive: bool = True


@dataclass(slots=True)
class Search:
    """Iterate over `candidates()`: sets that an attempt was seen to place the pod with.

    `openings`: where a search begins, the node that needs the least first.
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
    _in_vain: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _evicts: bool = False
    _looks: "OrderedDict[Edits, Look | None]" = field(default_factory=OrderedDict)

    @property
    def bound(self) -> int | None:
        """Whatever is still to come costs at least that; None if nothing is."""
        return self._heap[0][0] if self._heap else None

    def candidates(self, skip: Callable[[Edits], bool]) -> Iterator[Edits | None]:
        """In the order of their costs. `skip` says which are not worth looking at: others like them are known.

        None comes between two steps, so that whoever searches may rest.
        """
        self._skip = skip
        self._begin()
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
            elif not skip(entry.edits) and not self._is_in_vain(entry.edits, entry.besides):
                self.tally.tried += 1
                found = self.look(entry.edits)
                if found is not None and found.places:
                    self.found = True
                    yield entry.edits
                    self._evicts = self._evicts or (_is_eviction(entry.edits) and skip(entry.edits))
                    self._with_gang(entry.node, entry.edits, found)
                    continue
                if found is not None:
                    self._go_on(entry.node, entry.edits, found, others=False)
                self._other_ways(entry, found)

    def come_first(self, edits: Edits) -> None:
        """A set that makes room which others take: once more, with the pod before them."""
        found = self.look(edits)
        first = None if found is None else found.first_in_line()
        if first is not None and agree(edits | {first}):
            self._add(Partial("", edits, (), edits | {first}))

    def _is_in_vain(self, edits: Edits, besides: int = 0) -> bool:
        """Once something is found: enough sets of this shape were tried, or an eviction alone is known to do."""
        if besides and self._evicts:
            return True
        if not self.found:
            return False
        shape = tuple(sorted(edit.shape for edit in edits))
        self._in_vain[shape] += 1
        if self._in_vain[shape] <= MOST_ALIKE:
            return False
        self.tally.exhaustive = False
        return True

    # Looking

    def look(self, edits: Edits) -> Look | None:
        """The cluster with these edits made, None where they cannot be made."""
        if edits in self._looks:
            self._looks.move_to_end(edits)
            return self._looks[edits]
        self.tally.looks += 1
        found = self._look(edits)
        self._looks[edits] = found
        nodes = len(self.simulation.cluster.cache.table.rows)
        while len(self._looks) > max(_CACHED_LOOKS, _CACHED_NODES // max(nodes, 1)):
            self._looks.popitem(last=False)
        return found

    def _look(self, edits: Edits) -> Look | None:
        pod = self.simulation.cluster.find_pod(self.pod_key)
        if pod is None:
            return None
        try:
            own = ("Pod", pod.key)
            if all(edit.change is not None and not edit.made and (edit.of.kind, edit.of.key) == own for edit in edits):
                # Where only the pod is another one, the cluster need not be copied.
                manifest = changed(pod, [edit.change for edit in edits if edit.change is not None])
                (other,) = parse_all([manifest], self.simulation.cluster.store) if edits else (pod,)
                if isinstance(other, Pod) and (not edits or not self._may_evict(other)):
                    return look(self.simulation, other, self.prices)
            trial = fork(self.simulation)
            plan(trial, edits, self.pod_key).carry_out(trial, self.pod_key)
        except CommandError:
            return None
        live = trial.cluster.find_pod(self.pod_key)
        if not fit_together(trial, edits):
            return None
        return None if live is None else look(trial, live, self.prices)

    def _may_evict(self, pod: Pod) -> bool:
        """Then the scheduler reads the pod as it is stored, and it has to be."""
        return bool((Nodes(self.simulation.cluster.cache.table).lowest_priority < pod.priority).any())

    # Nodes

    def _begin(self) -> None:
        root = self.look(NOTHING)
        if root is None:
            return
        floors = bounds.floors(root, self.prices)
        shortage, failing = bounds.shortage(root), root.failing
        for row in np.lexsort((shortage, failing, floors)).tolist():
            if floors[row] < bounds.NEVER:
                tie = (float(failing[row]) + float(shortage[row]), row)
                self._push(int(floors[row]), _NODE, tie, Opening(root.nodes[row].name, NOTHING))
                self.openings.append((root.nodes[row].name, NOTHING))
        for edit in added_nodes(self.simulation.cluster.store, self.prices):
            if self.prices.allows(edit):
                self._push(edit.cost, _NODE, (0.0, 0), Opening(edit.of.name, frozenset([edit])))
                self.openings.append((edit.of.name, frozenset([edit])))

    def _push(self, bound: int, stage: int, tie: tuple[float, int], entry: Any) -> None:
        heapq.heappush(self._heap, (bound, stage, tie, next(self._serial), entry))

    def _open(self, entry: "Opening") -> None:
        """What does this node need? First as far as other pods need not be touched."""
        if entry.edits and not entry.others and entry.edits not in self._looks and self._is_in_vain(entry.edits):
            return
        if entry.others and self.found:
            # Most of what would come is like what is known, on another node.
            self._opened += 1
            if self._opened > MOST_OPENED:
                self.tally.exhaustive = False
                return
        found = self.look(entry.edits)
        self.tally.nodes += not entry.others
        if found is not None and entry.edits and found.places:
            self._add(Partial(entry.node, entry.edits, (), entry.edits))
        elif found is not None:
            self._go_on(entry.node, entry.edits, found, entry.others)

    def _go_on(self, node: str, edits: Edits, found: Look, others: bool) -> None:
        """The needs that are left with these edits made."""
        row = found.nodes.table.rows.get(node)
        if row is None:
            return
        needs = found.needs(row, others)
        if any(need.is_hopeless for need in needs):
            return
        if not needs and found.places:
            self._with_gang(node, edits, found)
            return
        if needs and all(need.options for need in needs):
            self._add(Partial(node, edits, tuple(needs), edits))
        elif not needs and not found.places:
            # The node takes the pod, and yet it is not placed: no rule speaks of what is in the way.
            self.tally.exhaustive = False
        if (instead := found.once_evicted(row, others)) and all(need.options for need in instead):
            self._add(Partial(node, edits, tuple(instead), edits))
        lasting = found.lasting(row) if others else frozenset()
        evicting = self.prices.least(*EVICT)
        if others and evicting is not None and not self._evicts:
            # A higher priority may do for all others, once these are mended: until then it helps nobody.
            mended = tuple(need for need in needs if need.plugin in lasting)
            with_args = tuple(one for one in needs if one.options and (one in mended or _may_be_argued(one)))
            for first in dict.fromkeys((mended, with_args, *found.once_raised(row))):
                bound = cost_of(edits) + evicting + bounds.of_needs(first, edits)
                if first and bound < bounds.NEVER:
                    self._push(bound, _PART, (0.0, 0), Partial(node, edits, first, edits, evicting))
        if needs and not others:
            bound = cost_of(edits) + bounds.with_others(needs, edits, self.prices)
            if bound < bounds.NEVER:
                self._push(bound, _NODE, (float(len(needs)), row), Opening(node, edits, others=True))

    def _with_gang(self, node: str, edits: Edits, found: Look) -> None:
        """The pod has a node with these edits, and stays pending if it is of a gang that is not complete."""
        need = found.of_gang()
        if need is not None or not edits:
            # What would help the others of the gang is not looked for; nor why nobody tries a pod that has a node.
            self.tally.exhaustive = False
        if need is not None:
            self._add(Partial(node, edits, (need,), edits))

    # Sets

    def _other_ways(self, entry: Partial, found: Look | None) -> None:
        """A set that fails, maybe because of where the pods that it moves go: each of them elsewhere, or deleted.

        `found` is None where they do not fit there together.
        """
        moved = [edit for edit in in_order(entry.edits) if edit.moved_to]
        row = None if found is None else found.nodes.table.rows.get(entry.node)
        if not moved or (found is not None and row is not None and not found.looks_elsewhere(row)):
            return
        for edit in moved:
            rest = entry.edits - {edit}
            before = self.look(rest)
            for other in () if before is None else before.ways_out(entry.node, edit.of.key):
                self._add(Partial(entry.node, entry.base, (), rest | {other}, entry.besides))

    def _add(self, entry: Partial) -> None:
        key = (entry.node, entry.edits, entry.besides)
        open_needs = [need for need in entry.needs if not _is_met(need, entry)]
        if open_needs or key not in self._seen:
            cost = cost_of(entry.edits) + entry.besides
            tie = (sum(edit.tie for edit in entry.edits), 0)
            if not open_needs:
                self._seen.add(key)
                self._push(cost, _WHOLE, tie, entry)
                self._without_amounts(entry, cost)
                return
            extra = bounds.of_needs(open_needs, entry.edits)
            left = replace(entry, needs=tuple(open_needs))
            if extra < bounds.NEVER and len(entry.edits) < MOST_EDITS:
                self._push(cost + extra, _PART, tie, left)
            elif extra < bounds.NEVER:
                self.tally.exhaustive = False

    def _without_amounts(self, entry: Partial, cost: int) -> None:
        """What is made of a node may leave more of what the pod asks for: then it is lowered by less than was said."""
        if self._skip(entry.edits):
            return
        amounts = frozenset(edit for edit in entry.edits if edit.kind in _AMOUNTS)
        rest = entry.edits - amounts
        changes = any(edit.gone or edit.moved_to or edit.kind in _LABELS for edit in rest)
        if amounts and changes and (entry.node, rest) not in self._reopened:
            self._reopened.add((entry.node, rest))
            least = sum(self.prices.of(edit.kind) or 0 for edit in amounts)
            self._push(min(cost_of(rest) + least, cost), _NODE, (0.0, 0), Opening(entry.node, rest))

    def _extend(self, entry: Partial) -> None:
        need = min(entry.needs, key=lambda one: len(one.options))
        for option in need.options:
            edits = entry.edits | option
            if len(edits) > len(entry.edits) and agree(edits):
                self._add(replace(entry, edits=edits))


# Edits whose amount depends on what else is changed.
_AMOUNTS = ("lower_request", "raise_skew", "fewer_devices", "widen")
_LABELS = ("label", "relabel")


def _is_eviction(edits: Edits) -> bool:
    """Nothing but that others are evicted."""
    return len(edits) == 1 and all(edit.kind in EVICT for edit in edits)


def _may_be_argued(need: Need) -> bool:
    """What no eviction makes room for, the profile may be told not to look at."""
    return any(edit.kind == ARGUE for option in need.options for edit in option)


def _is_met(need: Need, entry: Partial) -> bool:
    return any(option <= entry.edits and not option <= entry.base for option in need.options)


def without_one(edits: Edits) -> Iterator[Edits]:
    """In the same order in every process: what `--apply 2` makes is what was second before."""
    for edit in in_order(edits):
        yield edits - {edit}
