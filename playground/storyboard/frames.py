"""A cycle as a row of frames: what each step said, and what was known of every node after it."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from kube_objects.sentences import say
from playground.language import in_words
from simulator.explain.steps import SKIP, point_of, step_sentence

GOOD = ("Success", SKIP)
# More rows than that nobody reads at a talk; the best and the chosen one are always among them.
MOST_ROWS = 200


def story(record: Mapping[str, Any], matrix: Mapping[str, Any] | None) -> dict[str, Any]:
    """`{frames, nodes, scores, chosen, picked}` of a cycle's record and of its matrix as the API gives it.

    `frames`: `[{point, actor, text, bad}]`. `nodes`: `[[name, frame after which it is out or null, why]]`.
    `scores`: `{plugins: [{name, weight, raw, normalized}], rows: [{node, raw, normalized, total}]}`, the first two
    being the frames from which on the numbers are known. `picked` is the frame that chose the host.
    """
    cycle = record["cycle"]
    frames, place = _frames(cycle)
    found: dict[str, Any] = {
        "frames": frames,
        "nodes": [],
        "scores": {"plugins": [], "rows": []},
        "chosen": cycle["node"],
        "nominated": cycle.get("nominated"),
        "picked": place.get(("SelectHost", "SelectHost")),
    }
    if matrix is not None:
        last = max((index for (point, _), index in place.items() if point == "Filter"), default=0)
        found["nodes"] = [_node(matrix, row, place, last) for row in range(len(matrix["names"]))]
        found["scores"] = _scores(matrix, place, cycle["node"])
    return found


def _frames(cycle: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[tuple[str, str], int]]:
    """The frames, and which one a plugin's step at a point is in. Plugins that skip one after the other are in one."""
    frames: list[dict[str, Any]] = []
    place: dict[tuple[str, str], int] = {}
    steps = cycle.get("steps", [])
    together = groupby(enumerate(steps), lambda pair: pair[1]["point"] if pair[1]["code"] == SKIP else pair[0])
    for _, pairs in together:
        group = [step for _, step in pairs]
        actors = [_actor(step) for step in group]
        for step, actor in zip(group, actors, strict=True):
            place[step["point"], actor] = len(frames)
        step = group[0]
        frames.append(
            {
                "point": point_of(step),
                "actor": actors[0] if len(actors) == 1 else in_words(say("skipped")),
                "text": in_words(step_sentence(step, cycle, actors)),
                "bad": step["code"] not in GOOD or step.get("out") == 0,
            }
        )
    return frames, place


def _actor(step: Mapping[str, Any]) -> str:
    return str(step.get("plugin") or step.get("extender") or step["point"])


def _node(matrix: Mapping[str, Any], row: int, place: Mapping[tuple[str, str], int], last: int) -> list[Any]:
    status = matrix["status"][row]
    if not status:
        return [matrix["names"][row], None, ""]
    found = matrix["statuses"][status]
    why = ", ".join(found["reasons"]) or found["code"]
    return [matrix["names"][row], place.get(("Filter", found["plugin"]), last), f"{found['plugin']}: {why}"]


def _scores(matrix: Mapping[str, Any], place: Mapping[tuple[str, str], int], chosen: str | None) -> dict[str, Any]:
    names: Sequence[str] = matrix["scorePlugins"]
    plugins = []
    for name, weight in zip(names, matrix["weights"], strict=True):
        raw = place.get(("Score", name))
        plugins.append(
            {"name": name, "weight": weight, "raw": raw, "normalized": place.get(("NormalizeScore", name), raw)}
        )
    rows = [
        {
            "node": matrix["names"][at],
            "raw": [scores[i] for scores in matrix["raw"]],
            "normalized": [scores[i] for scores in matrix["normalized"]],
            "total": matrix["totals"][i],
        }
        for i, at in enumerate(matrix["feasible"])
    ]
    rows.sort(key=lambda row: (row["node"] != chosen, -row["total"], row["node"]))
    return {"plugins": plugins, "rows": rows[:MOST_ROWS] if names else []}
