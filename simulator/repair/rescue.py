"""Rescue: a repair that is sure rather than cheap, for a search that finds nothing in its time.

On the nodes that need least, the pod gives up whatever keeps it out, need by need, until it is placed.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from scheduler_core.edits.edit import Edit, Edits, agree
from scheduler_core.edits.question import Need
from simulator.repair.search import Search

# What helps by itself, whatever else is in the way; anything else comes after these.
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


def rescued(search: Search) -> Iterator[Edits | None]:
    """The sets that were seen to place the pod, each once it is found; None between two looks."""
    for node, base in search.openings[:MOST_NODES]:
        edits: Edits | None = base
        for _ in range(MOST_ROUNDS):
            yield None
            found = None if edits is None or search.out_of_time() else search.look(edits)
            if edits is None or found is None:
                break
            if found.places:
                yield edits
                break
            row = found.nodes.table.rows.get(node)
            edits = None if row is None else _with_all(edits, found.needs(row))


def _with_all(edits: Edits, needs: list[Need]) -> Edits | None:
    """Something done about each need; None where nothing can be."""
    made = edits
    for need in needs:
        if any(option <= made and not option <= edits for option in need.options):
            continue
        ways = [option for option in need.options if not option <= made and agree(made | option)]
        if not ways:
            return None
        made |= min(ways, key=_unsure)
    return made if made != edits else None


def _unsure(option: AbstractSet[Edit]) -> tuple[int, int]:
    return max(SURE.index(edit.kind) if edit.kind in SURE else len(SURE) for edit in option), sum(
        edit.cost for edit in option
    )
