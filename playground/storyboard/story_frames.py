"""The frames of a cycle's storyboard: the result of each step, and the state of every Node after it."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from kube_objects.sentences import say
from playground.request_language import in_words
from simulator.explain.steps import SKIP, point_of, step_sentence

GOOD = ("Success", SKIP)
# The limit of score rows, for a readable page. It always includes the best and the chosen Node.
MOST_ROWS = 200


def story(record: Mapping[str, Any], matrix: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return `{frames, nodes, scores, chosen, picked}` of a cycle's record and of its matrix as the API gives it.

    `frames`: `[{point, actor, text, bad}]`. `nodes`: `[[name, frame that rejected it or null, why]]`. `scores`:
    `{plugins: [{name, weight, raw, normalized}], rows: [{node, raw, normalized, total}]}`; a plugin's `raw` and
    `normalized` are the frames that first show these numbers. `picked` is the frame that chose the Node.
    """
    cycle = record["cycle"]
    frames, place = _frames(cycle)
    result: dict[str, Any] = {
        "frames": frames,
        "nodes": [],
        "scores": {"plugins": [], "rows": []},
        "chosen": cycle["node"],
        "nominated": cycle.get("nominated"),
        "picked": place.get(("SelectHost", "SelectHost")),
    }
    if matrix is not None:
        last = max((index for (point, _), index in place.items() if point == "Filter"), default=0)
        result["nodes"] = [_node(matrix, row, place, last) for row in range(len(matrix["names"]))]
        result["scores"] = _scores(matrix, place, cycle["node"])
    return result


def _frames(cycle: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[tuple[str, str], int]]:
    """Return the frames, and the frame index of each (point, plugin). Consecutive skipped plugins share a frame."""
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
    result = matrix["statuses"][status]
    why = ", ".join(result["reasons"]) or result["code"]
    return [matrix["names"][row], place.get(("Filter", result["plugin"]), last), f"{result['plugin']}: {why}"]


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
