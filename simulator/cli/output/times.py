"""What extension points and plugins took, as lines for a terminal."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

Answer = Mapping[str, Any]


def of_rerun(answer: Answer) -> Iterator[str]:
    """What `times.times_of_rerun` gives."""
    steps = answer["steps"]
    yield f"{short_time(sum(step['seconds'] for step in steps))} in all, measured just now, up to the choice of a node"
    for point, group in groupby(steps, key=lambda step: step["point"]):
        found = list(group)
        yield f"  {short_time(sum(step['seconds'] for step in found)):>8}  {point}"
        for step in found:
            if step["plugin"]:
                skips = "  skips" if step["code"] == "Skip" else ""
                yield f"  {short_time(step['seconds']):>8}    {step['plugin']}{skips}"


def of_run(answer: Answer) -> Iterator[str]:
    """What `TimeSums.describe` gives."""
    each = answer["seconds"] / max(1, answer["attempts"])
    yield f"{short_time(answer['seconds'])} in {answer['attempts']:,} attempts, {short_time(each)} each"
    for point in answer["points"]:
        yield f"  {short_time(point['seconds']):>8}  {point['point']}"
        for row in point["plugins"]:
            if row["plugin"]:
                often = f"{row['runs']:,}×" + (f", skips {row['skips']:,}×" if row["skips"] else "")
                longest = short_time(row["longest"])
                yield f"  {short_time(row['seconds']):>8}    {row['plugin']}  {often}, {longest} at most"


def short_time(seconds: float) -> str:
    """`31 µs`, `2.10 ms`, `12.3 s`."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1000:.{2 if seconds < 0.01 else 1}f} ms"
    return f"{seconds:.{2 if seconds < 10 else 1}f} s"
