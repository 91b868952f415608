"""The processes of docker-compose.yml as they are started without containers: the same commands, the same settings.

What a container would have for itself and a machine has once is replaced: ports, the listening address, /tmp. And a
container has a host name of its own, by which Celery tells workers apart.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
COMPOSE_FILE = ROOT / "docker-compose.yml"
# $$, ${NAME}, ${NAME:-default}, ${NAME:?message}
_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)(?::([-?])((?:[^{}]|\{[^}]*\})*))?\})")


class Compose:
    """docker-compose.yml with its variables filled in."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.document: dict[str, Any] = fill_in(yaml.safe_load(COMPOSE_FILE.read_text()), variables)

    def command(self, service: str, replace: Mapping[str, str] | None = None) -> list[str]:
        """The command line of a service. `replace`: what to write for a word of it."""
        words: list[str] = self.document["services"][service]["command"]
        missing = set(replace or {}).difference(words)
        assert not missing, f"{service} has no {missing} in its command: {words}"
        return [(replace or {}).get(word, word) for word in words]

    def environment(self, service: str) -> dict[str, str]:
        return {name: str(value) for name, value in self.document["services"][service]["environment"].items()}


def fill_in(part: Any, variables: Mapping[str, str]) -> Any:
    """A part of the document with its variables filled in; a KeyError names one that has no value."""
    if isinstance(part, dict):
        return {key: fill_in(value, variables) for key, value in part.items()}
    if isinstance(part, list):
        return [fill_in(value, variables) for value in part]
    if not isinstance(part, str):
        return part

    def value(found: re.Match[str]) -> str:
        dollar, name, operator, word = found.groups()
        if dollar:
            return "$"
        if operator == "-":
            return variables.get(name) or word
        return variables[name]

    return _VARIABLE.sub(value, part)
