"""Steps: lines that a user types, with the simulation's commands that have the same effect."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kube_objects.sentences import Data
from scheduler_core.framework.handle import Lister

Command = dict[str, Any]


def no_commands(lister: Lister) -> Sequence[Command]:
    return ()


@dataclass(frozen=True, slots=True)
class Step:
    """A line for a shell. `commands` reads the objects as they are when the line runs."""

    text: str
    commands: Callable[[Lister], Sequence[Command]] = no_commands
    note: Data | None = None
    replaces: bool = False
    """True if a controller creates another pod in place of the pending one."""


def quote_json(value: Any) -> str:
    """Return a value as JSON, quoted for a shell."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "'" + text.replace("'", "'\\''") + "'"


def create_command_line(manifest: Any) -> str:
    """Return the line that creates an object; for a Node it also removes added taints.

    An API server adds `node.kubernetes.io/not-ready` to each new Node, and only controllers remove it.
    Source: plugin/pkg/admission/nodetaint.
    """
    line = f"echo {quote_json(manifest)} | kubectl create -f -"
    if manifest["kind"] != "Node":
        return line
    taints = {"spec": {"taints": (manifest.get("spec") or {}).get("taints") or None}}
    return f"{line} && kubectl patch node {manifest['metadata']['name']} --type=merge -p {quote_json(taints)}"
