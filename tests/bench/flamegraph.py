"""Where an attempt's time goes: `python -m tests.bench.flamegraph` makes docs/images/flamegraph.svg.

Needs py-spy on the PATH (`pip install py-spy`; nothing else here does): it looks at the running engine from outside, so
that what it shows is not slowed down by looking.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from scheduler_core.bench.measure import DECISIONS, measure
from scheduler_core.bench.workloads import synthetic

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURE = ROOT / "docs" / "images" / "flamegraph.svg"
WORKLOAD, NODES, PODS = "basic", 5000, 30_000
SAMPLES_PER_S = 250


def main() -> int:
    if "run" in sys.argv[1:]:
        measure(WORKLOAD, lambda: synthetic(WORKLOAD, NODES, PODS), DECISIONS)
        return 0
    program = shutil.which("py-spy")
    if program is None:
        print("py-spy is not on the PATH; `pip install py-spy` brings it", file=sys.stderr)
        return 1
    record = [program, "record", "--rate", str(SAMPLES_PER_S), "--function", "--nonblocking"]
    run = [sys.executable, "-m", "tests.bench.flamegraph", "run"]
    subprocess.run([*record, "--output", str(PICTURE), "--", *run], cwd=ROOT, check=True)
    # py-spy's title is its command line, with this machine's folders in it.
    title = f"{WORKLOAD}, {NODES:,} nodes, {PODS:,} pods, decisions only"
    PICTURE.write_text(re.sub(r"[^>]*py-spy record[^<]*", title, PICTURE.read_text(), count=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
