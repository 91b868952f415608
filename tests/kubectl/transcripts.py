"""Transcripts: the recorded output of kubectl and helm with a real API server.

`transcripts.jsonl.gz` was recorded with kubectl v1.34.5 and helm v4.1.4 against kube-apiserver v1.36.2: 143 scenarios,
each from an empty cluster. `more-transcripts.jsonl.gz` was measured in the same way from the same versions, twice; it
lacks the requests of the steps. A user's folder has files of the same form, one scenario per line.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Parallel:
    """A line that is started `after` so many seconds, in the background."""

    after: float
    run: str


@dataclass(frozen=True, slots=True)
class Step:
    run: str
    exit: int
    stdout: str
    stderr: str
    stdin: str = ""
    parallel: tuple[Parallel, ...] = ()
    paused_before: bool = False
    stdout_unordered: bool = False
    stderr_unordered: bool = False


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    files: dict[str, str]
    steps: tuple[Step, ...]
    generate_names: tuple[str, ...] = ()
    normalise: tuple[tuple[str, str], ...] = ()
    controllers: bool = False


def load(folder: Path = SHIPPED) -> list[Scenario]:
    """Return every scenario of the folder's `*.jsonl` and `*.jsonl.gz`; other files are ignored."""
    return [_scenario(each) for each in _lines(folder) if each.get("steps") and "run" in each["steps"][0]]


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")]):
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in text.splitlines():
            # Settled states of controllers, which may lie beside, have nodes and are played by another tool.
            if line.strip() and "nodes" not in (found := json.loads(line)):
                yield found


def _scenario(found: dict[str, Any]) -> Scenario:
    return Scenario(
        name=found["name"],
        files=found.get("files") or {},
        steps=tuple(_step(each) for each in found["steps"]),
        generate_names=tuple(found.get("generateNames") or ()),
        normalise=tuple((pattern, replacement) for pattern, replacement in found.get("normalise") or ()),
        controllers=bool(found.get("controllers")),
    )


def _step(found: dict[str, Any]) -> Step:
    return Step(
        run=found["run"],
        exit=found["exit"],
        stdout=found["stdout"],
        stderr=found["stderr"],
        stdin=found.get("stdin") or "",
        parallel=tuple(Parallel(each["after"], each["run"]) for each in found.get("parallel") or ()),
        paused_before=bool(found.get("sleepBefore")),
        stdout_unordered=bool(found.get("stdoutLinesUnordered")),
        stderr_unordered=bool(found.get("stderrLinesUnordered")),
    )
