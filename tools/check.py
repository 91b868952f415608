"""Every check and test in the order that fails fastest: `python tools/check.py lint|all`.

All checks run even when an earlier one failed, so that one run shows every problem; pytest comes last and prints
its closing line last. Types take a minute of one processor and run beside the others, the tests among them.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

LINT = [
    ("format", ["ruff", "format", "--check"]),
    ("lint", ["ruff", "check"]),
    ("imports", ["lint-imports", "--no-cache"]),
    ("migrations", ["python", "manage.py", "makemigrations", "--check", "--dry-run"]),
]
TYPES = ("types", ["mypy"])
# Two processes fit two cores; a file's tests stay together, so a server that a file starts is started once.
TESTS = ("tests", ["pytest", "--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder"])


def run(name: str, command: list[str], beside: bool = False) -> bool:
    """Run one check of the environment this Python belongs to; say how it went, `beside` others only at its end."""
    head = f"── {name}: {' '.join(command)}"
    if not beside:
        print(head, flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="playground-check-") as data_dir:
        # Types and migrations read Django's settings, which must not touch the developer's data.
        environ = {**os.environ, "DATA_DIR": data_dir}
        out, err = (subprocess.PIPE, subprocess.STDOUT) if beside else (None, None)
        done = subprocess.run(
            [BIN / command[0], *command[1:]], cwd=ROOT, env=environ, stdout=out, stderr=err, text=True
        )
    tail = f"   {name} {'ok' if done.returncode == 0 else 'FAILED'} ({time.monotonic() - started:.1f} s)"
    print(f"\n{head}\n{done.stdout}{tail}" if beside else tail, flush=True)
    return done.returncode == 0


def main() -> None:
    if sys.argv[1:] not in (["lint"], ["all"]):
        sys.exit("usage: python tools/check.py lint|all")
    with ThreadPoolExecutor() as pool:
        types = pool.submit(run, *TYPES, beside=True)
        failed = [name for name, command in LINT if not run(name, command)]
        if sys.argv[1] == "all":
            subprocess.run([sys.executable, ROOT / "tools" / "chromium.py"], check=True)
            if not run(*TESTS):
                failed.append(TESTS[0])
        if not types.result():
            failed.append(TYPES[0])
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}")


if __name__ == "__main__":
    main()
