"""The selection of points over virtual time that a chart shows."""

from collections.abc import Iterable


def select_points(points: Iterable[tuple[int, float]], most: int) -> set[int]:
    """Select at most `most` points of `(seq, t)` since the last reset. Return their numbers."""
    since: list[tuple[int, float]] = []
    for seq, t in points:
        if since and t < since[-1][1]:
            since.clear()
        since.append((seq, t))
    if len(since) <= most:
        return {seq for seq, _ in since}
    begin, whole = since[0][1], since[-1][1] - since[0][1]
    return set({int((t - begin) / whole * (most - 1)) if whole else 0: seq for seq, t in since}.values())
