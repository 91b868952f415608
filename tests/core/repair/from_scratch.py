"""Every repair that the command line prints, applied by the command line: `python -m tests.core.repair.from_scratch`.

The whole cluster of each conformance case is written to a file and run. For each pending Pod `repair` searches repairs,
the output of `repair --apply N` is given to `run`, and the Pod must have a Node.
"""

import argparse
import contextlib
import io
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.edits.costs import Prices
from scheduler_core.emulations import ORIGINAL_VERSION
from simulator.cli import playing, repair
from simulator.cli.errors import InputError
from simulator.repair.capacity import pending_pods
from simulator.repair.finder import Finder, Limits
from simulator.simulation import Simulation
from tests.conformance.cli.recorded import files_of
from tests.conformance.cli.vectors import family_of, label_of, read_vectors, version_of

VECTORS = Path(__file__).parents[2] / "conformance"


def given(folder: Path, vector: Mapping[str, Any], file: Path) -> argparse.Namespace:
    """Return the arguments of a command line that runs the case."""
    scenario = vector["scenario"]
    pods = scenario.get("pending", ())
    added = [obj for step in scenario.get("steps", ()) if step["op"] == "add" for obj in step["objects"]]
    path = folder / "scenario.yaml"
    path.write_text("---\n".join(dump_yaml(dict(obj)) for obj in (*scenario["objects"], *pods, *added)))
    words = [str(path)]
    if scenario.get("config"):
        (folder / "config.yaml").write_text(scenario["config"])
        words += ["--config", str(folder / "config.yaml")]
    if version_of(file) is not ORIGINAL_VERSION:
        words += ["--emulate", version_of(file).version]
    if gates := scenario.get("gates"):
        words += ["--feature-gates", ",".join(f"{gate}={str(on).lower()}" for gate, on in gates.items())]
    return parsed(words)


def parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", nargs="+")
    playing.add_arguments(parser)
    return parser.parse_args(words)


def again(arguments: argparse.Namespace, text: str, folder: Path) -> Simulation:
    """Return the result of `run` for the YAML that `--apply` prints, which includes its configuration."""
    path = folder / "repaired.yaml"
    path.write_text(text)
    return repair.run_scenario(argparse.Namespace(**{**vars(arguments), "scenario": [str(path)], "config": None}))


def told(simulation: Simulation, key: str) -> str:
    pod = simulation.cluster.find_pod(key)
    node = pod.node_name if pod is not None else ""
    return node if simulation.cluster.store.get("Node", node) is not None else ""


def problems(arguments: argparse.Namespace, folder: Path, limit: int, seconds: float) -> Iterator[tuple[str, str]]:
    """Of each pod that waits: its key, and what is wrong with its repairs ("" where nothing is)."""
    simulation = repair.run_scenario(arguments)
    gated = [pod.key for pod in simulation.cluster.store.list("Pod") if pod.scheduling_gates and not pod.node_name]
    for key in dict.fromkeys((*pending_pods(simulation), *gated)):
        finder = Finder(simulation, key, Prices(), time.perf_counter, Limits(limit, seconds))
        wrong: list[str] = []
        for number, found in enumerate(finder.find(), 1):
            try:
                where = told(again(arguments, repair.repaired_scenario(simulation, found, key), folder), key)
            except InputError as error:
                where, wrong = "", [*wrong, str(error)[:300]]
            if not where:
                edits = sorted(edit.sentence["text"] for edit in found.edits)
                wrong.append(f"{number} of {key} does not place it: {edits}")
        yield key, "; ".join(wrong)
        data = finder.outcome.as_dict()
        json.dumps(data)
        if not data["repairs"] and not data["exhaustive"]:
            yield key, "open"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, default=VECTORS, help="a folder of vectors, or a file of them")
    parser.add_argument("--only", default="", help="files whose label has this in it")
    parser.add_argument("--each", type=int, default=1, help="of each file every so-manieth vector")
    parser.add_argument("--limit", type=int, default=8, help="repairs of each pod")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each pod")
    chosen = parser.parse_args()
    counts: Counter[str] = Counter()
    for file in files_of(chosen.vectors):
        if chosen.only not in label_of(file) or "legacy" in file.parts or family_of(file).startswith("read_"):
            continue
        before = Counter(counts)
        for number, vector in enumerate(read_vectors(file)):
            if number % chosen.each or not {"pending", "steps"} & vector["scenario"].keys():
                continue
            with tempfile.TemporaryDirectory() as name, contextlib.redirect_stderr(io.StringIO()):
                for key, wrong in problems(given(Path(name), vector, file), Path(name), chosen.limit, chosen.seconds):
                    counts["pods" if not wrong else "open" if wrong == "open" else "wrong"] += 1
                    if wrong:
                        print(f"{label_of(file)} {vector['scenario']['name']} {key}: {wrong}", flush=True)
        print(label_of(file), dict(counts - before), flush=True)
    print(dict(counts))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
