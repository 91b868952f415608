"""Feature gates by version: their defaults, and the values that a command line may set.

Source: component-base/featuregate/feature_gate.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from scheduler_core.gates.known import TABLE, VERSIONS

ALL_ALPHA, ALL_BETA = "AllAlpha", "AllBeta"
ALPHA, BETA, GA, DEPRECATED, PRE_ALPHA = "Alpha", "Beta", "GA", "Deprecated", "PreAlpha"
_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE = frozenset({"0", "f", "F", "false", "FALSE", "False"})
# Longer than a text that sets every gate.
MAX_TEXT = 10_000


class GateError(ValueError):
    """Raised if a gate can't be set; the message is upstream's."""


@dataclass(slots=True, frozen=True)
class Gate:
    """A feature gate. `needs` are the gates that must be enabled for this one."""

    name: str
    stage: str
    default: bool
    locked: bool = False
    needs: tuple[str, ...] = ()


def _read(column: int) -> dict[str, Gate]:
    gates = {}
    for row in TABLE.strip().split("\n"):
        name, *states = row.split(" | ")
        state = states[min(column, len(states) - 1)]
        if state != "-":
            stage, default, *rest = state.split()
            needs = tuple(rest[-1].split(",")) if "needs" in rest else ()
            gates[name] = Gate(name, stage, default == "on", "locked" in rest, needs)
    return gates


@cache
def gates_of(version: str) -> Mapping[str, Gate]:
    """Return all gates of a version by name; empty if its gates aren't emulated."""
    return _read(VERSIONS.index(version)) if version in VERSIONS else {}


def parse_gates(text: str) -> dict[str, bool]:
    """Parse the value of `--feature-gates`: `A=true,B=false`. Raises GateError."""
    if len(text) > MAX_TEXT:
        raise GateError(f"must be no more than {MAX_TEXT} characters")
    gates = {}
    for part in text.split(","):
        if not part:
            continue
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise GateError(f"missing bool value for {name}")
        if value not in _TRUE | _FALSE:
            quoted = value.replace("\\", "\\\\").replace('"', '\\"')
            why = f'strconv.ParseBool: parsing "{quoted}": invalid syntax'
            raise GateError(f"invalid value of {name}={value}, err: {why}")
        gates[name] = value in _TRUE
    return gates


def check_gates(version: str, given: Mapping[str, bool]) -> dict[str, bool]:
    """Return the gates that differ from the version's defaults after setting the `given` ones, by name.

    Raises GateError. If several gates are wrong, upstream reports a random one; here the message lists all, sorted by
    name.
    """
    known = gates_of(version)
    problems, enabled = [], {}
    for name in sorted(given):
        gate, value = known.get(name), given[name]
        if gate is None:
            raise GateError(f"unrecognized feature gate: {name}")
        if gate.locked and gate.default != value:
            problems.append(f"cannot set feature gate {name} to {_go(value)}, feature is locked to {_go(gate.default)}")
        elif gate.stage == PRE_ALPHA:
            problems.append(_too_early(name, value, version))
        else:
            enabled[name] = value
    for special, stage in ((ALL_ALPHA, ALPHA), (ALL_BETA, BETA)):
        if special in enabled:
            others = {name for name, gate in known.items() if gate.stage == stage and name not in (ALL_ALPHA, ALL_BETA)}
            enabled = {**dict.fromkeys(others, enabled[special]), **enabled}
    state = {name: enabled.get(name, gate.default) for name, gate in known.items()}
    for name in sorted(known) if not problems else ():
        off = [need for need in sorted(known[name].needs) if state[name] and not state.get(need, False)]
        if off:
            problems.append(f"{name} is enabled, but depends on features that are disabled: [{' '.join(off)}]")
    if problems:
        raise GateError(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    return {name: state[name] for name in sorted(known) if state[name] != known[name].default}


def _too_early(name: str, value: bool, version: str) -> str:
    major, minor = version.removeprefix("v").split(".")[:2]
    versions = f"emulated version {major}.{minor}, min compatibility version {major}.{int(minor) - 1}"
    return f"cannot set feature gate {name} to {_go(value)}, feature is PreAlpha at {versions}"


def gates_text(gates: Mapping[str, bool]) -> str:
    """Return the value of `--feature-gates`, sorted by name."""
    return ",".join(f"{name}={_go(gates[name])}" for name in sorted(gates))


def _go(value: bool) -> str:
    return "true" if value else "false"
