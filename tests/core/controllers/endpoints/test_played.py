"""Endpoints and EndpointSlices are as kube-controller-manager v1.36.2 made them, but for names and what is drawn."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_controllers.endpoints.slices import MOST
from kube_objects.manifests import is_deleted, name
from tests.core.controllers.endpoints.endpoints_replay import Object, Played, found, in_order, sequences

SEQUENCES = {one["name"]: one["steps"] for one in sequences()}


@pytest.mark.parametrize("of", SEQUENCES)
def test_a_sequence_comes_out_as_it_was_measured(of: str) -> None:
    played, steps = Played(), SEQUENCES[of]
    for number, step in enumerate(steps):
        played.step(step)
        for kind in ("Endpoints", "EndpointSlice"):
            wanted, made = in_order(kind, step["want"][kind]), found(played, kind)
            if _is_of_many(steps[: number + 1]):
                wanted, made = _union(wanted), _union(made)
            elif _was_ended_at_once(steps[: number + 1]):
                wanted, made = _uncounted(wanted), _uncounted(made)
            assert made == wanted, f"step {number}: {kind}"
        assert _told(played.events) == _told(step["want"]["events"]), f"step {number}"


def test_enough_was_measured() -> None:
    assert len(SEQUENCES) >= 29
    assert sum(len(steps) for steps in SEQUENCES.values()) >= 212


def _is_of_many(steps: Sequence[Mapping[str, Any]]) -> bool:
    """Whether so many pods came at once that it was chance which slice has which, and when it was written."""
    return any(step.get("bulk") for step in steps)


def _was_ended_at_once(steps: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a pod was deleted without grace: upstream's API server writes that it is to go, and then that it went,
    and it is chance whether a controller sees both; how often it writes follows from that.
    """
    terminating = {name(obj) for step in steps for obj in step["put"] if is_deleted(obj)}
    return any(kind == "Pod" and named not in terminating for step in steps for kind, named in step["gone"])


def _uncounted(objects: Sequence[Object]) -> list[Object]:
    return [{**one, "metadata": {**one["metadata"], "generation": 0}} for one in objects]


def _union(objects: Sequence[Object]) -> Any:
    """What all slices have together, and whether each has no more than it may."""
    notes = ("annotations", "generation")
    heads = [{field: value for field, value in one["metadata"].items() if field not in notes} for one in objects]
    endpoints = [each for one in objects for each in one.get("endpoints") or ()]
    return (
        heads,
        sorted(endpoints, key=str),
        [one.get("subsets") for one in objects],
        all(len(one.get("endpoints") or ()) <= MOST for one in objects),
        ["over-capacity" in str(one["metadata"].get("annotations")) for one in objects],
    )


def _told(events: Sequence[Mapping[str, Any]]) -> set[tuple[str, ...]]:
    fields = ("kind", "name", "type", "reason", "message", "by")
    return {tuple(str(one[field]) for field in fields) for one in events}
