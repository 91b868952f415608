"""Files of recorded test cases: `<family>.jsonl[.gz]`, one JSON object per line, `{"scenario", "expected"}`.

A folder in a file's path that is named like a version (`v1.36`) is the recorded version. The default is v1.34.1, and
v1.20.2 for the families that only that version has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scheduler_core.emulations import EMULATIONS, ORIGINAL_VERSION
from scheduler_core.framework.emulation import Emulation
from scheduler_core.legacy.emulation import V1_20_2
from tests.conformance.cli.recorded import read
from tests.conformance.compare import Difference
from tests.conformance.runner import check

# By the names of the folders that say so.
VERSIONS: Mapping[str, Emulation] = {
    ".".join(version.split(".")[:2]): emulation for version, emulation in EMULATIONS.items()
}
_OF_V1_20 = ("legacy_", "policy_", "read_policy")


@dataclass(slots=True)
class FamilyResult:
    family: str
    passed: int = 0
    failures: list[tuple[str, Difference]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.passed + len(self.failures)


def family_of(file: Path) -> str:
    return file.name.split(".")[0]


def version_of(file: Path) -> Emulation:
    """Return the version of kube-scheduler that a file was recorded from."""
    if family_of(file).startswith(_OF_V1_20):
        return V1_20_2
    return next((VERSIONS[part] for part in reversed(file.parts) if part in VERSIONS), ORIGINAL_VERSION)


def label_of(file: Path) -> str:
    """Return the family, prefixed with the folder of its version if it has one."""
    folder = next((part for part in reversed(file.parent.parts) if part in VERSIONS), None)
    return f"{folder}/{family_of(file)}" if folder else family_of(file)


def read_vectors(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of a file. Raises InputError for other recordings."""
    return read(file, "a vector of kube-scheduler", ("scenario.name", "expected"))


def run_file(file: Path) -> FamilyResult:
    result, family, emulation = FamilyResult(label_of(file)), family_of(file), version_of(file)
    for vector in read_vectors(file):
        difference = check(family, vector, emulation)
        if difference is None:
            result.passed += 1
        else:
            result.failures.append((vector["scenario"]["name"], difference))
    return result
