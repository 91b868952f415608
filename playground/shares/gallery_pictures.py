"""The gallery's pictures: each Node's result in the moment's cycle, and its CPU usage.

`manage.py draw_gallery` draws them from the moments, and a test compares them.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, TypedDict

from playground import plugins
from playground.response_types import About
from scheduler_core.emulations import EMULATIONS
from simulator.exchange.share_file import Share
from simulator.simulation import Record, Simulation

FILE = Path(__file__).resolve().parent.parent / "gallery" / "pictures.json"
CHOSEN, FEASIBLE, REJECTED, NOT_EVALUATED = "cfrn"


class PictureAnswer(TypedDict):
    states: Annotated[str, About(text="a letter a node: chosen, feasible, rejected, not evaluated")]
    used: list[Annotated[int, About(at_least=0, at_most=100)]]


@cache
def read_picture() -> dict[str, PictureAnswer]:
    """Return the pictures that ship, by slug."""
    pictures: dict[str, PictureAnswer] = json.loads(FILE.read_text(encoding="utf-8"))
    return pictures


def store_picture(pictures: Mapping[str, PictureAnswer]) -> None:
    FILE.write_text(json.dumps(pictures, separators=(",", ":")).replace("},", "},\n") + "\n", encoding="utf-8")


def draw_picture(share: Share) -> PictureAnswer:
    """Return a letter and the percentage of requested CPU for every Node, in the order of names."""
    scenario = share.scenario
    emulation = EMULATIONS[scenario.emulates]
    registry = plugins.registry(scenario.emulates)
    simulation = Simulation.create(
        seed=scenario.seed, config=scenario.config or None, emulation=emulation, registry=registry
    )
    shown: Record | None = None
    for command in scenario.commands:
        for record in simulation.apply(command):
            cycle = record.data.get("cycle", {}).get("number")
            if record.data["kind"] == "cycle" and share.cursor.cycle in (None, cycle):
                shown = record
    assert shown is not None
    states = _node_states(shown, simulation.node_names)
    table = simulation.cluster.cache.table
    has, requested = table.allocatable("cpu").values, table.requested("cpu").values
    used = {name: min(100, int(100 * requested[i] / max(1, has[i]))) for i, name in enumerate(simulation.node_names)}
    names = sorted(used)
    return {"states": "".join(states[name] for name in names), "used": [used[name] for name in names]}


def _node_states(record: Record, names: list[str]) -> dict[str, str]:
    states = dict.fromkeys(names, NOT_EVALUATED)
    if record.matrix is not None:
        matrix = record.matrix.to_json(names)
        for name, status in zip(matrix["names"], matrix["status"], strict=True):
            states[name] = REJECTED if status else FEASIBLE
    chosen = record.data["cycle"]["node"]
    return states | ({chosen: CHOSEN} if chosen else {})
