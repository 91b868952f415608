"""Lines of text about durations of extension points and plugins."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

Answer = Mapping[str, Any]


def rerun_lines(answer: Answer) -> Iterator[str]:
    """Yield the lines of one attempt's durations, a result of `times_of_rerun`."""
    steps = answer["steps"]
    yield f"{short_time(sum(step['seconds'] for step in steps))} in all, measured just now, up to the choice of a node"
    for point, group in groupby(steps, key=lambda step: step["point"]):
        point_steps = list(group)
        yield f"  {short_time(sum(step['seconds'] for step in point_steps)):>8}  {point}"
        for step in point_steps:
            if step["plugin"]:
                skips = "  skips" if step["code"] == "Skip" else ""
                yield f"  {short_time(step['seconds']):>8}    {step['plugin']}{skips}"


def run_lines(answer: Answer) -> Iterator[str]:
    """Yield the lines of a run's durations, a result of `TimeSums.describe`."""
    per_attempt = answer["seconds"] / max(1, answer["attempts"])
    yield f"{short_time(answer['seconds'])} in {answer['attempts']:,} attempts, {short_time(per_attempt)} each"
    for point in answer["points"]:
        yield f"  {short_time(point['seconds']):>8}  {point['point']}"
        for row in point["plugins"]:
            if row["plugin"]:
                often = f"{row['runs']:,}×" + (f", skips {row['skips']:,}×" if row["skips"] else "")
                longest = short_time(row["longest"])
                yield f"  {short_time(row['seconds']):>8}    {row['plugin']}  {often}, {longest} at most"


def short_time(seconds: float) -> str:
    """Return a text such as `31 µs`, `2.10 ms` or `12.3 s`."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1000:.{2 if seconds < 0.01 else 1}f} ms"
    return f"{seconds:.{2 if seconds < 10 else 1}f} s"
