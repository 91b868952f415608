"""Ways by which a pod leaves a node: which one is right may only show once everything else is put together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scheduler_core.edits.edit import Edit
from scheduler_core.edits.question import Need


def one_way(needs: Sequence[Need], node: str) -> list[Need]:
    """Needs may each have a pod leave by a way of its own: all take the cheapest, other ways are tried later."""
    ways: dict[str, Edit] = {}
    for edit in (edit for need in needs for option in need.options for edit in option):
        if _leaves(edit, node):
            known = ways.setdefault(edit.of.key, edit)
            ways[edit.of.key] = edit if edit.cost < known.cost else known
    if not ways:
        return list(needs)
    merged = [[frozenset(_way(edit, ways, node) for edit in option) for option in need.options] for need in needs]
    return [replace(need, options=tuple(dict.fromkeys(one))) for need, one in zip(needs, merged, strict=True)]


def _leaves(edit: Edit, node: str) -> bool:
    return edit.gone or edit.moved_to not in ("", node)


def _way(edit: Edit, ways: Mapping[str, Edit], node: str) -> Edit:
    return ways[edit.of.key] if _leaves(edit, node) else edit
