"""Why one node beat another: the plugins' scores side by side, by how much they differ."""

from typing import Any

from scheduler_core.explain.scene import Scene
from scheduler_core.explain.sentences import Sentence, Template

BEAT = Template("{winner} beat {loser} by {gap}: mostly {plugin}, {difference} of it")
BY_EXTENDERS = Template("{winner} beat {loser} by {gap}: mostly extenders, {difference} of it")
EQUAL = Template("{a} and {b} have the same total; {chosen} was drawn")
EQUAL_LOSERS = Template("{a} and {b} have the same total")
NOT_SCORED = Template("{node} was not scored")


def compare(scene: Scene, a: str, b: str) -> dict[str, Any]:
    """`{"a", "b", "why": Sentence, "gap", "plugins": [{"plugin", "weight", "a", "b", "difference"}], "extenders"}`.

    `a` and `b` of a plugin are `{"raw", "normalized", "weighted"}`; `difference` is a's weighted score less b's, the
    largest differences come first. `extenders` is `{"a", "b", "difference"}`. Where one of the nodes was not scored,
    `gap` is None and the lists are empty. Raises UnknownNodeError.
    """
    nodes = {"a": a, "b": b}
    for name in nodes.values():
        scene.node(name)
    attempt = scene.attempt
    unscored = next((name for name in nodes.values() if scene.scored_node(name) is None), None)
    if unscored is not None or attempt.totals is None:
        why = NOT_SCORED(node=unscored or a)
        return nodes | {"why": why, "gap": None, "plugins": [], "extenders": None}
    at = {side: scene.position(name) for side, name in nodes.items()}
    rows = [_row(scene, plugin, at) for plugin in attempt.scores.plugins]
    rows.sort(key=lambda row: (-abs(row["difference"]), row["plugin"]))
    totals = {side: int(attempt.totals[i]) for side, i in at.items()}
    extenders: dict[str, Any] | None = None
    if attempt.extender_scores:
        added = {
            side: sum(scores.contributed.get(name, 0) for scores in attempt.extender_scores)
            for side, name in nodes.items()
        }
        extenders = added | {"difference": added["a"] - added["b"]}
    gap = totals["a"] - totals["b"]
    why = _why(scene, a, b, gap, rows, extenders)
    return nodes | {"why": why, "gap": gap, "plugins": rows, "extenders": extenders}


def _row(scene: Scene, plugin: str, at: dict[str, int]) -> dict[str, Any]:
    scores = scene.scores(plugin)
    assert scores is not None  # it is one of the attempt's
    sides = {
        side: {
            "raw": int(scores.raw[i]),
            "normalized": int(scores.normalized[i]),
            "weighted": int(scores.normalized[i]) * scores.weight,
        }
        for side, i in at.items()
    }
    difference = sides["a"]["weighted"] - sides["b"]["weighted"]
    return {"plugin": plugin, "weight": scores.weight, **sides, "difference": difference}


def _why(
    scene: Scene, a: str, b: str, gap: int, rows: list[dict[str, Any]], extenders: dict[str, Any] | None
) -> Sentence:
    chosen = scene.attempt.selected or ""
    if not gap:
        return EQUAL(a=a, b=b, chosen=chosen) if chosen in (a, b) else EQUAL_LOSERS(a=a, b=b)
    sign = 1 if gap > 0 else -1
    places: dict[str, str | int] = {"winner": a if gap > 0 else b, "loser": b if gap > 0 else a, "gap": abs(gap)}
    most = max(rows, key=lambda row: sign * row["difference"], default=None)
    added = 0 if extenders is None else sign * extenders["difference"]
    if most is None or added > sign * most["difference"]:
        return BY_EXTENDERS(**places, difference=added)
    return BEAT(**places, plugin=most["plugin"], difference=sign * most["difference"])
