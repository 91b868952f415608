"""Every check and every test: `python tools/check.py all|lint`, or one stage of the tests by its name.

All of them run even when an earlier one failed, so that one run shows every problem. The last line counts the passed
and failed tests. The type check takes a minute of one processor and runs beside the others.
"""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

LINT = [
    ("format", ["ruff", "format", "--check"]),
    ("lint", ["ruff", "check"]),
    ("page", ["python", "tools/page.py", "check"]),
    ("page types", ["python", "tools/page.py", "types"]),
    ("page floors", ["python", "tools/page_floors.py"]),
    ("imports", ["lint-imports", "--no-cache"]),
    ("wording", ["python", "tools/wording.py", "check"]),
    ("migrations", ["python", "manage.py", "makemigrations", "--check", "--dry-run"]),
]
TYPES = ("types", ["mypy"])
# Two processes fit two cores, and take tests from one another, so that both end together.
SHARED = ["--numprocesses=2", "--dist=worksteal"]
# What starts a deployment, or makes an environment, does so for a whole file.
BY_FILE = ["--numprocesses=2", "--dist=loadfile"]
# Loaded it takes two seconds of every process, and only the web's tests use it.
LIGHT = ["-p", "no:schemathesis"]
# What these do around each test is most of a small one's time; those of the engine need no database and no browser.
LIGHTEST = [*LIGHT, "-p", "no:django", "-p", "no:playwright", "-p", "no:base_url"]
# name, its folders in tests/ (none: those that no other stage has), how they are shared out
STAGES: list[tuple[str, list[str], list[str]]] = [
    ("core", ["core", "examples", "tooling"], [*SHARED, *LIGHTEST]),
    ("web", [], SHARED),
    ("browser", ["browser"], [*SHARED, *LIGHT]),
    ("resilience", ["bench", "clients", "resilience", "clean_machine", "deployment"], [*BY_FILE, *LIGHT]),
]
NAMES = [name for name, _, _ in STAGES]
# Some tests of each feature again, on the other database; see SELECTION there.
DISTRIBUTED = "distributed"
SELECTED = ["python", "-m", "tests.distributed", "--selected", *SHARED, *LIGHT]
# Names a folder for what the processes of a test run share. Without one nothing is shared.
SHARED_DIR = "TEST_SHARED_DIR"


@dataclass(frozen=True)
class Result:
    """The result of a check; only tests have counts."""

    name: str
    ok: bool
    seconds: float
    passed: int = 0
    failed: int = 0


def run(name: str, command: list[str], beside: bool = False) -> Result:
    """Run one check of this Python's environment and print its result; with `beside`, print only at the end."""
    head = f"── {name}: {' '.join(command)}"
    if not beside:
        print(head, flush=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="playground-check-") as folder:
        report = Path(folder) / "report.xml"
        more = [f"--junitxml={report}"] if command[0] == "pytest" or command == SELECTED else []
        # Types and migrations read Django's settings, which must not touch the developer's data.
        environ = {**os.environ, "DATA_DIR": folder}
        # Hundreds of processes load the same modules: the first to do so keeps what it compiled for the others.
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        out, err = (subprocess.PIPE, subprocess.STDOUT) if beside else (None, None)
        done = subprocess.run(
            [BIN / command[0], *command[1:], *more], cwd=ROOT, env=environ, stdout=out, stderr=err, text=True
        )
        passed, failed = counted(report) if more else (0, 0)
    result = Result(name, done.returncode == 0, time.monotonic() - started, passed, failed)
    tail = f"   {name} {'ok' if result.ok else 'FAILED'} ({result.seconds:.1f} s)"
    print(f"\n{head}\n{done.stdout}{tail}" if beside else tail, flush=True)
    return result


def counted(report: Path) -> tuple[int, int]:
    """Return the passed and failed tests of pytest's report; a missing report is a failure."""
    if not report.exists():
        return 0, 1
    [suite] = ElementTree.parse(report).getroot().iter("testsuite")  # noqa: S314  pytest has just written it
    tests, failed, errors, skipped = (int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
    return max(tests - failed - errors - skipped, 0), failed + errors


def folders(stage: str) -> list[str]:
    """Return the folders of a stage; every folder with tests is in exactly one."""
    named = {name: folders for name, folders, _ in STAGES}
    taken = {folder for folders in named.values() for folder in folders}
    others = sorted(
        {path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")} - taken
    )
    return [f"tests/{folder}" for folder in named[stage] or others]


def test(stage: str) -> Result:
    """Run one stage of the tests."""
    if stage == DISTRIBUTED:
        return run(stage, SELECTED)
    if stage == "browser":
        subprocess.run([sys.executable, ROOT / "tools" / "chromium.py"], check=True)
    [shared] = [shared for name, _, shared in STAGES if name == stage]
    return run(stage, ["pytest", *shared, *folders(stage)])


def main() -> None:
    names = [*NAMES, DISTRIBUTED]
    if len(sys.argv) != 2 or sys.argv[1] not in ("all", "lint", *names):
        sys.exit(f"usage: python tools/check.py all|lint|{'|'.join(names)}")
    [what] = sys.argv[1:]
    stages = names if what == "all" else [name for name in names if name == what]
    # What tests make once they make once for all stages.
    with ThreadPoolExecutor() as pool, tempfile.TemporaryDirectory(prefix="playground-check-shared-") as shared:
        os.environ[SHARED_DIR] = shared
        beside: list[Future[Result]] = []
        results: list[Result] = []
        if what in ("all", "lint"):
            beside = [pool.submit(run, *TYPES, beside=True)]
            results = [run(name, command) for name, command in LINT]
        tested = [test(stage) for stage in stages]
        results += [future.result() for future in beside]
    if tested:
        print("\n── times", flush=True)
        for one in (*results, *tested):
            counts = f"{one.passed:6,} passed {one.failed:4,} failed" if one in tested else ""
            print(f"   {one.name:<12}{one.seconds:7.1f} s   {'ok' if one.ok else 'FAILED':<7}{counts}".rstrip())
    failed = [one.name for one in (*results, *tested) if not one.ok]
    if failed:
        print(f"FAILED: {', '.join(failed)}", flush=True)
    if tested:
        print(f"{sum(one.passed for one in tested)} passed, {sum(one.failed for one in tested)} failed", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
