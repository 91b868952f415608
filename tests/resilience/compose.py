"""The processes of docker-compose.yml started without containers: the same commands, settings and files.

Things that each container has for itself are replaced: ports, the listening address, /tmp, and the host name by which
Celery distinguishes workers.
"""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
COMPOSE_FILE = ROOT / "docker-compose.yml"
# What it cannot do without; as passwords are when somebody else chooses them.
VARIABLES = {
    "PUBLIC_HOST": "play.example.org",
    "SECRET_KEY": "secret",
    "POSTGRES_PASSWORD": "a/b@c:d#e?f%g",
    "REDIS_PASSWORD": "h/i@j:k#l?m%n",
}
# $$, ${NAME}, ${NAME:-default}, ${NAME:?message}
_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)(?::([-?])((?:[^{}]|\{[^}]*\})*))?\})")


class Compose:
    """docker-compose.yml with its variables filled in."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.document: dict[str, Any] = fill_in(yaml.safe_load(COMPOSE_FILE.read_text()), variables)

    def command(self, service: str, replace: Mapping[str, str] | None = None) -> list[str]:
        """Return the command line of a service. `replace` maps words of it to replacements."""
        words: list[str] = self.document["services"][service]["command"]
        missing = set(replace or {}).difference(words)
        assert not missing, f"{service} has no {missing} in its command: {words}"
        return [(replace or {}).get(word, word) for word in words]

    def environment(self, service: str) -> dict[str, str]:
        return {name: str(value) for name, value in self.document["services"][service]["environment"].items()}


def fill_in(part: Any, variables: Mapping[str, str]) -> Any:
    """Return a part of the document with its variables filled in. A KeyError names one that has no value."""
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


def build(folder: Path) -> Path:
    """Return the folder in which the image's processes run, with only the files that the Dockerfile copies."""
    made = folder / "app"
    for line in (ROOT / "Dockerfile").read_text().splitlines():
        words = line.split()
        if words[:1] != ["COPY"] or words[1].startswith("--from") or words[1] == "requirements.txt":
            continue
        _, source, target = words
        assert f"!{source}" in (ROOT / ".dockerignore").read_text().splitlines(), f".dockerignore leaves {source} out"
        where = made / target
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, where, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            where = where / source if target.endswith("/") else where
            where.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / source, where)
    return made
