"""Fallback search for a repair that surely works but may be expensive, for a search that finds nothing in time.

On the nodes with the lowest bounds, it fixes need after need until the pod is placed.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from scheduler_core.edits.edit import Edit, Edits, are_compatible
from scheduler_core.edits.question import Need
from simulator.repair.search import Search

# Kinds of edits that fix their need independently of other edits; other kinds come after these.
SURE = (
    "lift_gate",
    "drop_node_name",
    "tolerate",
    "drop_selector",
    "soften",
    "drop_port",
    "drop_claim",
    "lower_request",
)
MOST_NODES, MOST_ROUNDS = 6, 10


def fallback_candidates(search: Search) -> Iterator[Edits | None]:
    """Yield each set with which a dry run placed the pod, and None between two diagnoses."""
    for node, base in search.openings[:MOST_NODES]:
        edits: Edits | None = base
        for _ in range(MOST_ROUNDS):
            yield None
            diagnosis = None if edits is None or search.out_of_time() else search.diagnose(edits)
            if edits is None or diagnosis is None:
                break
            if diagnosis.places:
                yield edits
                break
            row = diagnosis.nodes.table.rows.get(node)
            edits = None if row is None else _fix_all_needs(edits, diagnosis.needs(row))


def _fix_all_needs(edits: Edits, needs: list[Need]) -> Edits | None:
    """Add an option for each need; return None if a need has no option."""
    fixed = edits
    for need in needs:
        if any(option <= fixed and not option <= edits for option in need.options):
            continue
        ways = [option for option in need.options if not option <= fixed and are_compatible(fixed | option)]
        if not ways:
            return None
        fixed |= min(ways, key=_preference)
    return fixed if fixed != edits else None


def _preference(option: AbstractSet[Edit]) -> tuple[int, int]:
    return max(SURE.index(edit.kind) if edit.kind in SURE else len(SURE) for edit in option), sum(
        edit.cost for edit in option
    )
