"""The feature gates of a cluster's version, and what each changes."""

from typing import Literal, TypedDict

from playground.response_types import named
from scheduler_core.emulations import EMULATIONS, plain_version
from scheduler_core.gates import gates_of, gates_text
from scheduler_core.gates.words import describe_gate


class GateRow(TypedDict):
    name: str
    stage: Literal["PreAlpha", "Alpha", "Beta", "GA", "Deprecated"]
    default: bool
    locked: bool
    needs: list[str]
    on: bool
    effect: Literal["changes", "notPlayed", "nothing"]
    text: str


@named("GateTableAnswer")
class GateTable(TypedDict):
    version: str
    text: str
    gates: list[GateRow]


def list_gates(emulates: str) -> GateTable:
    """Return the gates of a version, with their state in this emulation."""
    version, set_gates = plain_version(emulates), EMULATIONS[emulates].gates
    rows: list[GateRow] = []
    for gate in gates_of(version).values():
        says, effect = describe_gate(version, gate)
        rows.append(
            {
                "name": gate.name,
                "stage": gate.stage,  # type: ignore[typeddict-item]  # a stage of gates/table.py
                "default": gate.default,
                "locked": gate.locked,
                "needs": list(gate.needs),
                "on": set_gates.get(gate.name, gate.default),
                "effect": effect,  # type: ignore[typeddict-item]  # an effect of gates/words.py
                "text": says,
            }
        )
    return {"version": version, "text": gates_text(set_gates), "gates": rows}
