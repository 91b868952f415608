"""Steps: what a person types, each with the simulation's commands that do the same."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scheduler_core.framework.handle import Lister
from scheduler_core.sentences import Data

Command = dict[str, Any]


def nothing(lister: Lister) -> Sequence[Command]:
    return ()


@dataclass(frozen=True, slots=True)
class Step:
    """`text` is a line for a shell. `commands` reads the objects as they are when the line's turn has come."""

    text: str
    commands: Callable[[Lister], Sequence[Command]] = nothing
    note: Data | None = None
    replaces: bool = False
    """Whether a controller makes another pod in place of the one that waits."""


def quoted(value: Any) -> str:
    """Return a value as JSON, quoted for a shell."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "'" + text.replace("'", "'\\''") + "'"


def creating(manifest: Any) -> str:
    """Return the line that creates an object."""
    return f"echo {quoted(manifest)} | kubectl create -f -"
