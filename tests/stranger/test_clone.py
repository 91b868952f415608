"""A fresh clone on a machine with nothing of ours: `make run` and the command line, from requirements.txt alone."""

import json
import re
from pathlib import Path

from tests.stranger.machine import PYTHON, play, run, running

# Every module of both packages, as something that runs them would meet it.
IMPORT_ALL = """
import importlib, os, pkgutil
os.environ["DJANGO_SETTINGS_MODULE"] = "playground.settings"
import django
django.setup()
import examples.plugins, playground, scheduler_core
names = [
    found.name
    for package in (playground, scheduler_core)
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def test_the_environment_is_what_is_pinned_and_nothing_more(cloned: Path) -> None:
    pins = re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==", (cloned / "requirements.txt").read_text(), re.MULTILINE)
    listed = json.loads(run([".venv/bin/python", "-m", "pip", "list", "--format=json"], cloned))
    assert {normal(row["name"]) for row in listed} - {"pip", "setuptools"} <= set(map(normal, pins))
    run([".venv/bin/python", "-m", "pip", "check"], cloned)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_module_can_be_imported(cloned: Path, tmp_path: Path) -> None:
    counted = int(run([".venv/bin/python", "-c", IMPORT_ALL], cloned, DATA_DIR=str(tmp_path)).splitlines()[-1])
    files = [path for name in ("playground", "scheduler_core") for path in (cloned / name).rglob("*.py")]
    assert counted == len(files) - 2, "neither package counts itself, or a folder has no __init__.py"


def test_make_run_plays_a_cluster_to_its_end_and_stops(cloned: Path, tmp_path: Path) -> None:
    command = ["make", "run", f"PYTHON={PYTHON}", "PORT=0", "NO_BROWSER=1"]
    with running(command, cloned, tmp_path / "log", {}) as url:
        play(url)
    assert (cloned / "data" / "playground.sqlite3").exists()


def test_the_command_line(cloned: Path) -> None:
    told = run([".venv/bin/python", "-m", "scheduler_core", "lessons", "lessons/01-what-a-cycle-is"], cloned)
    assert "01-what-a-cycle-is" in told
    conformance = run(["make", "conformance", "VECTORS=tests/conformance/taints.jsonl.gz", f"PYTHON={PYTHON}"], cloned)
    assert "taints" in conformance
