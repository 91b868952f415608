"""Repairs of every unschedulable Pod of the conformance cases: `python -m tests.core.repair.vectors`.

Each is searched in a simulation in which the Pods before it have the Nodes that kube-scheduler gave them. A repair is
found and tried from scratch, or the search proves that no edits of the catalogue help.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scheduler_core.edits.costs import Prices
from scheduler_core.framework.emulation import Emulation
from simulator.repair.finder import Finder, Limits
from simulator.simulation import Simulation
from tests.conformance.cli.recorded import files_of
from tests.conformance.cli.vectors import family_of, label_of, read_vectors, version_of
from tests.conformance.runner import RUNNERS
from tests.core.repair.random_clusters import places

VECTORS = Path(__file__).parents[2] / "conformance"
REPAIRED, PROVEN, FITS, OPEN, WRONG = "repaired", "proven that none exists", "fits by itself", "open", "wrong"
# Not Unschedulable: a profile without the PreFilter, or PreScore, that its plugin reads from.
NO_VERDICT = ("error", "schedulingError")
Vector = Mapping[str, Any]


def waiting(vector: Vector, emulation: Emulation) -> Iterator[tuple[str, Simulation]]:
    """Yield each Pod without a Node in the recording, with the simulation in which it is pending."""
    scenario, expected = vector["scenario"], vector["expected"]
    placed: list[Mapping[str, Any]] = []
    for manifest, answer in zip(scenario["pending"], expected["pods"], strict=True):
        if answer["selected"]:
            running = {**manifest, "spec": {**manifest["spec"], "nodeName": answer["selected"]}}
            placed.append({**running, "status": {**manifest.get("status", {}), "phase": "Running"}})
        elif not any(name in answer for name in NO_VERDICT):
            simulation = Simulation.create(record_steps=False, config=scenario["config"], emulation=emulation)
            for command in (
                {"kind": "create", "objects": [*scenario["objects"], *placed, manifest]},
                {"kind": "run", "until": "idle"},
            ):
                list(simulation.apply(command))
            yield answer["pod"], simulation


def outcome(simulation: Simulation, key: str) -> str:
    finder = Finder(simulation, key, Prices(), time.process_time, Limits(results=1, seconds=10))
    found = list(finder.find())
    if finder.outcome.why is not None:
        return FITS
    if found:
        return REPAIRED if places(simulation, found[0].edits, key) else WRONG
    return PROVEN if finder.outcome.as_dict()["exhaustive"] else OPEN


def outcomes(files: Iterable[Path], most: int | None = None) -> Iterator[tuple[str, str, str]]:
    """Yield file, case, Pod and outcome; of each file the first `most` Pods."""
    for file in files:
        number = 0
        for vector in read_vectors(file):
            if number == most:
                break
            for key, simulation in waiting(vector, version_of(file)):
                number += 1
                yield label_of(file), f"{vector['scenario']['name']} {key}", outcome(simulation, key)
                if number == most:
                    break


def files() -> list[Path]:
    """Return the files whose cases are clusters with Pods that are tried one after the other."""
    return [file for file in files_of(VECTORS) if family_of(file) not in RUNNERS]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="files whose label has this in it")
    arguments = parser.parse_args()
    tables: dict[str, Counter[str]] = {}
    for label, name, result in outcomes(file for file in files() if arguments.only in label_of(file)):
        tables.setdefault(label, Counter())[result] += 1
        if result in (OPEN, WRONG):
            print(f"{label} {name}: {result}", flush=True)
    for label, counts in tables.items():
        print(f"{label}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    total = sum(tables.values(), Counter[str]())
    print("all: " + ", ".join(f"{count} {what}" for what, count in total.items()))
    return 1 if total[OPEN] or total[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
