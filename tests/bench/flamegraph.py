"""Draw flame graphs: `python -m tests.bench.flamegraph attempt|step` writes docs/images/flamegraph-….svg.

Needs py-spy on the PATH (`pip install py-spy`), which samples the running process from outside.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "docs" / "images"
SAMPLES_PER_S = 250
PODS, STEPS = 30_000, 1500


def attempts() -> None:
    from tests.conformance.bench.measure import DECISIONS, measure
    from tests.conformance.bench.workloads import synthetic

    measure("basic", lambda: synthetic("basic", 5000, PODS), DECISIONS)


def steps() -> None:
    """Run the request and the worker's part in one process."""
    from tests.bench.jump import database
    from tests.conformance.bench.workloads import node_manifest, pod_manifest

    with database():
        from playground.engine import command_runner
        from tests.web import Api

        api = Api()
        objects = [node_manifest(i, "32", "256Gi") for i in range(1000)]
        objects += [pod_manifest(f"pod-{i}", {"app": "one"}) for i in range(STEPS)]
        cluster = api.post("clusters/", {"name": "steps", "seed": 7})["id"]
        api.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
        command_runner.apply_commands(cluster)
        for _ in range(STEPS):
            api.post(f"clusters/{cluster}/commands/", {"kind": "schedule_one"})
            command_runner.apply_commands(cluster)


# What is drawn: the work, and its title.
DRAWN: dict[str, tuple[Callable[[], None], str]] = {
    "attempt": (attempts, f"basic, 5,000 nodes, {PODS:,} pods, decisions only"),
    "step": (steps, f"{STEPS:,} steps, 1,000 nodes: the request and the worker's part, SQLite"),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.flamegraph", description=__doc__)
    parser.add_argument("what", choices=DRAWN)
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout of the project")
    parser.add_argument("--run", action="store_true", help="only the work, with nobody looking")
    given = parser.parse_args()
    work, title = DRAWN[given.what]
    if given.run:
        work()
        return 0
    program = shutil.which("py-spy")
    if program is None:
        print("py-spy is not on the PATH; `pip install py-spy` brings it", file=sys.stderr)
        return 1
    before = "" if given.tree == ROOT else "-before"
    picture = PICTURES / f"flamegraph-{given.what}{before}.svg"
    record = [program, "record", "--rate", str(SAMPLES_PER_S), "--function", "--nonblocking", "--output", str(picture)]
    run = [sys.executable, __file__, given.what, "--run"]
    environment = {**os.environ, "PYTHONPATH": str(given.tree)}
    subprocess.run([*record, "--", *run], cwd=given.tree, env=environment, check=True)
    # py-spy's title is its command line, with this machine's folders in it.
    picture.write_text(re.sub(r"[^>]*py-spy record[^<]*", title, picture.read_text(), count=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
