"""Trace command: schedule a cluster trace from two CSV files, and print placements and reasons for pending pods."""

import argparse
import resource
import sys
import time
from collections import Counter
from pathlib import Path

from kube_objects.serialize import manifest_of
from scheduler_core.emulations import DEFAULT, EMULATIONS
from simulator.cli.input.inputs import add_gates_argument, read_emulation
from simulator.cli.input.trace_files import DEFAULT_FOLDER, TraceError, read_trace
from simulator.comparison.reasons import reason_kind
from simulator.simulation import Record, Simulation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    text = "a folder with *node*.csv and *pod*.csv, plain or gzip-compressed (default: TRACE_DIR, or %(default)s)"
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT_FOLDER, help=text)
    parser.add_argument("--seed", type=int, default=0, help="the seed that breaks ties between nodes (default 0)")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="a KubeSchedulerConfiguration (default: kube-scheduler's)"
    )
    version = "the version of kube-scheduler to emulate (default %(default)s)"
    parser.add_argument("--emulate", choices=tuple(EMULATIONS), default=DEFAULT.version, help=version)
    add_gates_argument(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="read only the first N Pods")


def run(arguments: argparse.Namespace) -> int:
    """Return exit status 1 if the files cannot be found or read. Raises InputError for feature gates."""
    emulation = read_emulation(arguments)
    try:
        read = read_trace(arguments.folder)
    except TraceError as error:
        print(error)
        return 1
    config = None if arguments.config is None else arguments.config.read_text()
    simulation = Simulation.create(seed=arguments.seed, config=config, emulation=emulation, record_steps=False)
    pods = [obj for obj in read.objects if obj.kind == "Pod"][: arguments.limit]
    nodes = [obj for obj in read.objects if obj.kind == "Node"]
    began = time.perf_counter()
    objects = [dict(manifest_of(obj)) for obj in (*nodes, *pods)]
    for _ in simulation.apply({"kind": "create", "objects": objects}):
        pass
    loaded = time.perf_counter()
    last: dict[str, Record] = {}
    for record in simulation.apply({"kind": "run", "until": "idle"}):
        last[record.data["cycle"]["pod"]] = record
        if simulation.cycle % 1000 == 0:
            print(f"  {simulation.cycle} attempts, {len(last)} of {len(pods)} pods tried", file=sys.stderr)
    _report(len(nodes), len(pods), last, simulation.cycle, loaded - began, time.perf_counter() - loaded)
    return 0


def _report(nodes: int, pods: int, last: dict[str, Record], attempts: int, loading: float, running: float) -> None:
    outcomes = Counter(record.data["cycle"]["outcome"] for record in last.values())
    pending: Counter[str] = Counter()
    for record in last.values():
        if record.data["cycle"]["outcome"] != "scheduled":
            pending[reason_kind(record.data["cycle"]["message"])] += 1
    print(f"{nodes} nodes, {pods} pods, {attempts} attempts")
    print(f"{'placed':<70} {outcomes['scheduled']:>6}")
    for reason, count in pending.most_common():
        print(f"{'pending: ' + reason:<70} {count:>6}")
    if pods > len(last):
        print(f"{'not tried (gated, or no profile has their schedulerName)':<70} {pods - len(last):>6}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    rate = attempts / running if running else 0.0
    print(
        f"loaded in {loading:.1f} s, scheduled in {running:.1f} s ({rate:,.0f} attempts/s), peak memory {peak:.0f} MiB"
    )
