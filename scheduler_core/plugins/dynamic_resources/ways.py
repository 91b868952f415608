"""Sets of edits of ResourceClaims after which the allocator finds devices."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from kube_objects.devices import ResourceClaim
from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from scheduler_core.edits.edit import Change, Edit, Edits, apply_changes, total_cost

# The limits: variants of one claim, sets of variants that are ordered by cost, and sets that are tried on a node.
MOST_WAYS, MOST_SETS, MOST_TRIED = 200, 20_000, 120

Allocates = Callable[[Sequence[ResourceClaim]], bool]


@dataclass(frozen=True, slots=True)
class ClaimVariant:
    """A variant of a claim after `edits`; `claim` None: the pod needs no claim, or one that is allocated already."""

    edits: Edits
    claim: ResourceClaim | None

    @property
    def cost(self) -> int:
        return total_cost(self.edits)


def list_claim_variants(
    claim: ResourceClaim, choices: Sequence[Sequence[Edit]], instead: Iterable[ClaimVariant] = ()
) -> list[ClaimVariant]:
    """Return the unchanged claim, its variants by at most one edit of each list in `choices`, and `instead`;
    cheapest first.

    Edits from different lists of `choices` can be made together.
    """
    ways = [ClaimVariant(frozenset(), claim), *instead]
    for chosen in product(*((None, *edits) for edits in choices)):
        edits = [edit for edit in chosen if edit is not None]
        if not edits:
            continue
        changes: list[Change] = [edit.change for edit in edits if edit.change is not None]
        ways.append(ClaimVariant(frozenset(edits), _as_claim(parse_object(apply_changes(claim, changes)), claim)))
        if len(ways) > MOST_WAYS:
            break
    return sorted(ways, key=lambda way: (way.cost, sum(edit.tie for edit in way.edits)))


def _as_claim(made: KubeObject, claim: ResourceClaim) -> ResourceClaim:
    assert isinstance(made, ResourceClaim)
    made.uid, made.allocation = claim.uid, None
    return made


def find_minimal_variants(ways: Sequence[Sequence[ClaimVariant]], allocates: Allocates) -> tuple[list[Edits], bool]:
    """Return the minimal sets of edits with which all claims are allocated, and True if all sets were tried."""
    minimal: list[Edits] = []
    tried, complete = 0, prod(map(len, ways)) <= MOST_SETS and all(len(variants) <= MOST_WAYS for variants in ways)
    for chosen in _combinations_by_cost(ways):
        edits = frozenset[Edit]().union(*(way.edits for way in chosen))
        if not edits or any(known <= edits for known in minimal):
            continue
        if tried == MOST_TRIED:
            complete = False
            break
        tried += 1
        if allocates(_changed_claims(chosen)):
            minimal.append(edits)
    return minimal, complete


def _changed_claims(chosen: Sequence[ClaimVariant]) -> list[ResourceClaim]:
    """Return the claims to allocate, each as often as the pod names it, in its changed version."""
    changed_last = sorted(chosen, key=lambda way: sum(edit.of.kind == "ResourceClaim" for edit in way.edits))
    made = {way.claim.key: way.claim for way in changed_last if way.claim is not None}
    return [made[way.claim.key] for way in chosen if way.claim is not None]


def _combinations_by_cost(ways: Sequence[Sequence[ClaimVariant]]) -> Iterator[Sequence[ClaimVariant]]:
    """Return one variant of each claim, the cheapest combination first. `ways` are ordered by cost."""
    if not all(ways):
        return
    start = (0,) * len(ways)
    heap = [(sum(variants[0].cost for variants in ways), start)]
    seen = {start}
    while heap:
        _, positions = heapq.heappop(heap)
        yield [variants[position] for variants, position in zip(ways, positions, strict=True)]
        for i, place in enumerate(positions):
            next_positions = (*positions[:i], place + 1, *positions[i + 1 :])
            if place + 1 < len(ways[i]) and next_positions not in seen and len(seen) < MOST_SETS:
                seen.add(next_positions)
                cost = sum(variants[i].cost for variants, i in zip(ways, next_positions, strict=True))
                heapq.heappush(heap, (cost, next_positions))
