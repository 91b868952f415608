"""What might be done about a resource claim, tried with the allocator: which sets of edits give it its devices."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from kube_objects.devices import ResourceClaim
from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from scheduler_core.edits.edit import Change, Edit, Edits, changed, cost_of

# Ways of one claim, sets of ways of all claims that are put in order, and those that are tried on a node.
MOST_WAYS, MOST_SETS, MOST_TRIED = 200, 20_000, 120

Allocates = Callable[[Sequence[ResourceClaim]], bool]


@dataclass(frozen=True, slots=True)
class Way:
    """`edits` make it `claim`; None: the pod does without one, or with one that has its devices already."""

    edits: Edits
    claim: ResourceClaim | None

    @property
    def cost(self) -> int:
        return cost_of(self.edits)


def ways_of(claim: ResourceClaim, choices: Sequence[Sequence[Edit]], instead: Iterable[Way] = ()) -> list[Way]:
    """As it is, each choice of at most one edit of each list made, and whatever else takes its place; cheapest first.

    `choices` are edits of the claim that may be made together.
    """
    found = [Way(frozenset(), claim), *instead]
    for chosen in product(*((None, *edits) for edits in choices)):
        edits = [edit for edit in chosen if edit is not None]
        if not edits:
            continue
        made: list[Change] = [edit.change for edit in edits if edit.change is not None]
        found.append(Way(frozenset(edits), _as_claim(parse_object(changed(claim, made)), claim)))
        if len(found) > MOST_WAYS:
            break
    return sorted(found, key=lambda way: (way.cost, sum(edit.tie for edit in way.edits)))


def _as_claim(made: KubeObject, claim: ResourceClaim) -> ResourceClaim:
    assert isinstance(made, ResourceClaim)
    made.uid, made.allocation = claim.uid, None
    return made


def least_sets(ways: Sequence[Sequence[Way]], allocates: Allocates) -> tuple[list[Edits], bool]:
    """Sets of edits with which all claims get their devices, none of which has another of them in it.

    The second is false where not all were tried: then there may be others.
    """
    found: list[Edits] = []
    tried, ended = 0, prod(map(len, ways)) <= MOST_SETS and all(len(each) <= MOST_WAYS for each in ways)
    for chosen in _by_cost(ways):
        edits = frozenset[Edit]().union(*(way.edits for way in chosen))
        if not edits or any(known <= edits for known in found):
            continue
        if tried == MOST_TRIED:
            ended = False
            break
        tried += 1
        if allocates(_claims(chosen)):
            found.append(edits)
    return found, ended


def _claims(chosen: Sequence[Way]) -> list[ResourceClaim]:
    """All that need devices, each as often as it is named: what changes it counts each time."""
    changed_last = sorted(chosen, key=lambda way: sum(edit.of.kind == "ResourceClaim" for edit in way.edits))
    made = {way.claim.key: way.claim for way in changed_last if way.claim is not None}
    return [made[way.claim.key] for way in chosen if way.claim is not None]


def _by_cost(ways: Sequence[Sequence[Way]]) -> Iterator[Sequence[Way]]:
    """One way of each claim, the cheapest together first. `ways` are in the order of their costs."""
    if not all(ways):
        return
    start = (0,) * len(ways)
    heap = [(sum(each[0].cost for each in ways), start)]
    seen = {start}
    while heap:
        _, places = heapq.heappop(heap)
        yield [each[place] for each, place in zip(ways, places, strict=True)]
        for i, place in enumerate(places):
            following = (*places[:i], place + 1, *places[i + 1 :])
            if place + 1 < len(ways[i]) and following not in seen and len(seen) < MOST_SETS:
                seen.add(following)
                cost = sum(each[at].cost for each, at in zip(ways, following, strict=True))
                heapq.heappush(heap, (cost, following))
