"""A fresh clone on a machine with nothing of ours: `make run`, the command line, and a service behind a proxy."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clean_machine.clean_environment import PYTHON, play, run, running
from tests.clean_machine.one_machine import SECRET, command_with, started, unit
from tests.deployment.front import Front, Somebody, proxy
from tests.packages import PACKAGES

PASSWORD = "a password for tests"
# Every module of our packages, as something that runs them would meet it.
IMPORT_ALL = """
import importlib, os, pkgutil, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "playground.settings"
import django
django.setup()
import examples.plugins
packages = [importlib.import_module(name) for name in sys.argv[1:]]
names = [
    found.name
    for package in packages
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
    counted = int(
        run([".venv/bin/python", "-c", IMPORT_ALL, *PACKAGES], cloned, DATA_DIR=str(tmp_path)).splitlines()[-1]
    )
    files = [path for name in PACKAGES for path in (cloned / name).rglob("*.py")]
    assert counted == len(files) - len(PACKAGES), "no package counts itself, or a folder has no __init__.py"


def test_make_run_plays_a_cluster_to_its_end_and_stops(cloned: Path, tmp_path: Path) -> None:
    command = ["make", "run", f"PYTHON={PYTHON}", "PORT=0", "NO_BROWSER=1"]
    with running(command, cloned, tmp_path / "log", {}) as url:
        play(url)
    assert (cloned / "data" / "playground.sqlite3").exists()


def test_the_command_line(cloned: Path) -> None:
    told = run([".venv/bin/python", "-m", "playground", "lessons", "lessons/01-what-a-cycle-is"], cloned)
    assert "01-what-a-cycle-is" in told
    conformance = run(["make", "conformance", "VECTORS=tests/conformance/taints.jsonl.gz", f"PYTHON={PYTHON}"], cloned)
    assert "taints" in conformance


@pytest.fixture(scope="module")
def front(cloned: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Front, Path]]:
    folder = tmp_path_factory.mktemp("machine")
    with started(cloned, folder / "data") as url, proxy(url, folder / "front") as found:
        yield found, folder / "data"


def test_the_first_user_logs_in_and_a_backup_is_made(front: tuple[Front, Path], cloned: Path, tmp_path: Path) -> None:
    through, data_dir = front
    command = command_with("createsuperuser")
    assert command.startswith("sudo -u playground env DATA_DIR=/var/lib/playground $(sudo cat /etc/playground.env) ")
    program = shlex.split(command.rpartition(") ")[2])
    given = {"DATA_DIR": str(data_dir), "SECRET_KEY": SECRET}
    arguments = ["--noinput", "--username", "teacher", "--email", ""]
    run([*program, *arguments], cloned, **given, DJANGO_SUPERUSER_PASSWORD=PASSWORD)
    assert Somebody(through).log_in("teacher", PASSWORD)[0] == 302
    run([program[0], "manage.py", "backup", str(tmp_path / "playground.gz")], cloned, **given)
    assert (tmp_path / "playground.gz").exists()


def test_the_environment_is_there_before_the_unit_may_write_nothing(cloned: Path) -> None:
    assert "make -C /srv/playground env" in command_with("make -C")
    assert unit()["ProtectSystem"] == "strict"
    assert (cloned / ".venv" / "installed-runtime").exists()
