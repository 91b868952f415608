"""`python -m tests.bench.jump`: what a jump to a random moment of the production trace costs, as the page asks for it.

The trace's 1,523 nodes and 8,152 pods are imported through the API as CSV and played to the end, in a database of its
own. A jump is the five requests of the page for a cycle, one after the other; a fork's part is the engine brought to a
random record. All nodes, which the page asks for where the nodes themselves were others, stand beside them. Everything
is measured with the history in full, and again with all of it thinned out that may be. It fails when a jump with the
history in full takes longer than the bound.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import django

from simulator.cli.input.trace_files import DEFAULT_FOLDER

BOUND_MS = 150.0
# One of so many jumps is measured in the engine, too, and with the history thinned out: these take longer.
ENGINE_SHARE = 5
# Records before a cycle's that the page reads for the last moves.
MOVES_BEFORE = 20
# By part: milliseconds of the clock, and of work; on a busy machine they differ.
Times = tuple[float, float]
Measured = dict[str, list[Times]]


@contextmanager
def database() -> Iterator[None]:
    """Start an embedded playground's database in a folder of its own, without a listening worker."""
    with tempfile.TemporaryDirectory(prefix="playground-jump-") as folder:
        os.environ |= {"DATA_DIR": folder, "REDIS_URL": f"unix://{folder}/none.sock", "LOG_LEVEL": "ERROR"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "playground.settings"
        for name in ("DATABASE_URL", "HOST", "ALLOWED_HOSTS", "SECRET_KEY"):
            os.environ.pop(name, None)
        django.setup()
        from django.core.management import call_command
        from django.test.utils import setup_test_environment

        setup_test_environment()
        call_command("migrate", verbosity=0)
        yield


def played(folder: Path) -> int:
    """Import the trace as a cluster and run it to its end; return its id."""
    from playground.engine import command_runner
    from tests.web import Api

    api = Api()
    cluster = int(api.post("clusters/", {"name": "production trace", "seed": 7})["id"])
    nodes, pods = (next(folder.glob(f"*{kind}*.csv.gz")) for kind in ("node", "pod"))
    with nodes.open("rb") as nodes_csv, pods.open("rb") as pods_csv:
        api.upload(f"clusters/{cluster}/import/", {"nodes_csv": nodes_csv, "pods_csv": pods_csv})
    api.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle"})
    while api.get(f"clusters/{cluster}/")["state"] != "idle":
        command_runner.apply_commands(cluster)
    return cluster


def jumps(cluster: int, count: int, seed: int) -> Measured:
    """Return milliseconds by part: the page's requests, their sum, and the engine, at random records."""
    from playground.engine import loaded_clusters
    from playground.models import Cluster, Cycle
    from tests.web import Api

    api, chosen = Api(), random.Random(seed)
    row = Cluster.objects.get(pk=cluster)
    seqs = dict(Cycle.objects.filter(cluster=cluster).values_list("number", "seq"))
    found: Measured = {}
    for _ in range(count):
        number = chosen.randint(1, row.cycle)
        parts = [(name, asked(api, cluster, path)) for name, path in paths(row.revision, number, seqs[number])]
        whole = sum(wall for _, (wall, _) in parts), sum(work for _, (_, work) in parts)
        for name, times in (*parts, ("jump", whole), ("nodes", asked(api, cluster, f"nodes/?cycle={number}"))):
            found.setdefault(name, []).append(times)
    # Afterwards: simulations live in workers, and the garbage of one must not be swept in a web process's time.
    for _ in range(max(1, count // ENGINE_SHARE)):
        to_a_record = partial(loaded_clusters.load_at, row, chosen.randint(1, row.revision))
        found.setdefault("engine", []).append(milliseconds(to_a_record))
    return found


def paths(revision: int, number: int, seq: int) -> Iterator[tuple[str, str]]:
    """Return the requests of a page that jumps to a cycle and knows the current Nodes (`cycle/moment.js`)."""
    yield "cycle", f"cycles/{number}/"
    yield "matrix", f"cycles/{number}/matrix/"
    yield "node-changes", f"node-changes/?since={revision}&cycle={number}"
    yield "queue", f"queue/?cycle={number}&limit=50"
    before = max(0, seq - MOVES_BEFORE)
    yield "records", f"records/?after={before}&limit={seq - before}&brief=1"


def asked(api: Any, cluster: int, path: str) -> Times:
    return milliseconds(partial(api.client.get, f"/api/v1/clusters/{cluster}/{path}"))


def milliseconds(work: Callable[[], Any]) -> Times:
    began, busy = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - began) * 1000, (time.process_time() - busy) * 1000


def at_share(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def table(title: str, found: Measured) -> Iterator[str]:
    yield f"### {title}"
    yield ""
    yield "| | p50 ms | p95 ms | most ms | work p50 ms | work p95 ms |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for name, times in found.items():
        wall, work = ([one[i] for one in times] for i in (0, 1))
        columns = [at_share(wall, 0.5), at_share(wall, 0.95), max(wall), at_share(work, 0.5), at_share(work, 0.95)]
        yield f"| {name} | {' | '.join(f'{value:.0f}' for value in columns)} |"
    yield ""


def is_within(found: Measured) -> bool:
    """Return True if the page's jump stays within the limit."""
    return at_share([wall for wall, _ in found["jump"]], 0.95) < BOUND_MS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.jump", description=__doc__)
    parser.add_argument("--jumps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--traces", type=Path, default=DEFAULT_FOLDER, help="folder of the two CSV files")
    arguments = parser.parse_args()
    if not list(arguments.traces.glob("*pod*.csv.gz")):
        print(f"{arguments.traces}: no trace there; set TRACE_DIR", file=sys.stderr)
        return 2
    with database():
        from playground.branches import services as branches
        from playground.engine import retention
        from playground.models import Checkpoint, Cluster

        played(arguments.traces)
        cluster = Cluster.objects.get()
        checkpoints = Checkpoint.objects.filter(cluster=cluster)
        sizes = [len(body) for body in checkpoints.values_list("body", flat=True)]
        print(f"{cluster.cycle:,} cycles, {len(sizes)} checkpoints, the largest of {max(sizes):,} bytes\n")
        full = jumps(cluster.pk, arguments.jumps, arguments.seed)
        for at in ({"cycle": cluster.cycle // 2}, "now"):
            full.setdefault("whole fork", []).append(milliseconds(partial(branches.fork_cluster, cluster, at)))
        print("\n".join(table("History in full", full)), flush=True)
        gone = retention.thin_cluster(cluster.pk, 100)
        thinned = jumps(cluster.pk, max(1, arguments.jumps // ENGINE_SHARE), arguments.seed + 1)
        print("\n".join(table(f"{gone:,} of {cluster.revision:,} records thinned out", thinned)))
    return 0 if is_within(full) else 1


if __name__ == "__main__":
    sys.exit(main())
