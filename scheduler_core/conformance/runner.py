"""Run folders of vector files, family by family, and say where the first difference is.

A file is `<family>.jsonl[.gz]`: one JSON object a line, `{"scenario", "expected"}`. The family selects the runner. A
folder named like a version (`v1.36`) in the path of a file says what it was measured from; without one it is v1.34.1,
and v1.20.2 for the families that only that version has.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scheduler_core.config import check as check_config
from scheduler_core.conformance import extenders, gangs, legacy_traces, policies, queue_scripts, sampling, traces
from scheduler_core.conformance.compare import Difference, first_difference
from scheduler_core.emulations import EMULATIONS, V1_34_1
from scheduler_core.framework.emulation import Emulation
from scheduler_core.legacy.emulation import V1_20_2


def _run_config(scenario: Mapping[str, Any], emulation: Emulation) -> Any:
    assert emulation.rules is not None  # these are configurations of the API v1
    return {"name": scenario["name"], **check_config(scenario["yaml"], rules=emulation.rules)}


Runner = Callable[[Mapping[str, Any], Emulation], Any]

# By the names of the folders that say so.
VERSIONS: Mapping[str, Emulation] = {
    ".".join(version.split(".")[:2]): emulation for version, emulation in EMULATIONS.items()
}
_OF_V1_20 = ("legacy_", "policy_", "read_policy")

# Families with a form of their own; all others are traces.
RUNNERS: Mapping[str, Runner] = {
    "config": _run_config,
    "queue": queue_scripts.run,
    "sampling": sampling.run,
    "extenders": extenders.run,
    "gang": gangs.run,
    "production": sampling.run_production,
    "legacy_default": legacy_traces.run,
    "legacy_autoscaler": legacy_traces.run,
    "legacy_policy": legacy_traces.run,
    "legacy_plugins": legacy_traces.run,
    "policy_config": policies.run,
    "policy_table": policies.run,
    "read_config": _run_config,
    "read_policy": policies.run,
    "read_queue": queue_scripts.run,
    "read_sampling": sampling.run,
}
# What is compared of `expected`, and of the answer, where that is not all of it.
COMPARABLE: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "production": sampling.comparable_production,
    "policy_config": policies.comparable,
    "policy_table": policies.comparable,
    "read_policy": policies.comparable,
}


@dataclass(slots=True)
class FamilyResult:
    family: str
    passed: int = 0
    failures: list[tuple[str, Difference]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.passed + len(self.failures)


def vector_files(path: Path) -> list[Path]:
    """The vector files in `path` (a folder, looked through with its subfolders, or one file)."""
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*.jsonl*") if file.suffix in (".gz", ".jsonl"))


def family_of(file: Path) -> str:
    return file.name.split(".")[0]


def version_of(file: Path) -> Emulation:
    """The version of kube-scheduler that a file is about."""
    if family_of(file).startswith(_OF_V1_20):
        return V1_20_2
    return next((VERSIONS[part] for part in reversed(file.parts) if part in VERSIONS), V1_34_1)


def label_of(file: Path) -> str:
    """The family, with the folder of its version before it if it has one."""
    folder = next((part for part in reversed(file.parent.parts) if part in VERSIONS), None)
    return f"{folder}/{family_of(file)}" if folder else family_of(file)


def read_vectors(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt") if file.suffix == ".gz" else file.open() as lines:
        for line in lines:
            yield json.loads(line)


def check(family: str, vector: Mapping[str, Any], emulation: Emulation) -> Difference | None:
    """Run one vector; None if every field of `expected` is met."""
    run: Runner = RUNNERS.get(family) or traces.run
    try:
        got = run(vector["scenario"], emulation)
    except Exception as error:  # a crash is a failed vector, not the end of the run
        return Difference("(crash)", "an answer", f"{type(error).__name__}: {error}")
    compared = COMPARABLE.get(family) or dict
    return first_difference(compared(vector["expected"]), compared(got))


def run_file(file: Path) -> FamilyResult:
    result, family, emulation = FamilyResult(label_of(file)), family_of(file), version_of(file)
    for vector in read_vectors(file):
        difference = check(family, vector, emulation)
        if difference is None:
            result.passed += 1
        else:
            result.failures.append((vector["scenario"]["name"], difference))
    return result
