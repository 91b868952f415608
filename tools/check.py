"""Every check and test in the order that fails fastest: `python tools/check.py lint|all`.

All checks run even when an earlier one failed, so that one run shows every problem; pytest comes last and prints
its closing line last.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

LINT = [
    ("format", ["ruff", "format", "--check"]),
    ("lint", ["ruff", "check"]),
    ("imports", ["lint-imports", "--no-cache"]),
    ("migrations", ["python", "manage.py", "makemigrations", "--check", "--dry-run"]),
    ("types", ["mypy"]),
]
# Two processes fit two cores; a file's tests stay together, so a server that a file starts is started once.
TESTS = ("tests", ["pytest", "--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder"])


def run(name: str, command: list[str]) -> bool:
    """Run one check of the environment this Python belongs to; say how it went."""
    print(f"── {name}: {' '.join(command)}", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="playground-check-") as data_dir:
        # Types and migrations read Django's settings, which must not touch the developer's data.
        environ = {**os.environ, "DATA_DIR": data_dir}
        code = subprocess.run([BIN / command[0], *command[1:]], cwd=ROOT, env=environ).returncode
    print(f"   {name} {'ok' if code == 0 else 'FAILED'} ({time.monotonic() - started:.1f} s)", flush=True)
    return code == 0


def main() -> None:
    if sys.argv[1:] not in (["lint"], ["all"]):
        sys.exit("usage: python tools/check.py lint|all")
    failed = [name for name, command in LINT if not run(name, command)]
    if sys.argv[1] == "all":
        subprocess.run([sys.executable, ROOT / "tools" / "chromium.py"], check=True)
        if not run(*TESTS):
            failed.append(TESTS[0])
    if failed:
        sys.exit(f"FAILED: {', '.join(failed)}")


if __name__ == "__main__":
    main()
