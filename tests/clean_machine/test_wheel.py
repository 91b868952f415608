"""The wheel: built from a clone, installed in an empty folder, and started by its commands, with all that it shows."""

import re
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.folders import COMMAND, ROOT
from tests.clean_machine.clean_environment import PYTHON, clone, play, run, running
from tests.packages import PACKAGES

# What is installed is what is pinned: a release of somebody else's, an hour ago, is nothing that this is about.
PIN = re.compile(r"^([\w.-]+(?:\[[\w,-]+\])?==\S+)", re.MULTILINE)
GANG = (
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
    "- plugins:\n    multiPoint:\n      enabled:\n      - name: Gang\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("installed")


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    """Built as `pip install` of a clone builds it."""
    run([PYTHON, "-m", "venv", "env"], folder)
    made = clone(folder / "clone")
    run(["env/bin/python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", ".", str(made)], folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, folder: Path) -> Iterator[Path]:
    """The folder of the commands."""
    pins = folder / "pins.txt"
    pins.write_text("\n".join(PIN.findall((ROOT / "requirements.txt").read_text())))
    run(["env/bin/python", "-m", "pip", "install", "--quiet", "--constraint", str(pins), str(wheel)], folder)
    yield folder / "env" / "bin"


def test_what_is_in_it_and_how_large_it_is(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == set(PACKAGES)
    assert [name for name in names if "__pycache__" in name or name.endswith(".pyc")] == []
    for folder in ("docs", "static", "templates", "lessons", "locale", "examples"):
        # A compiled file of ours, whatever made it, is ignored by git and by the wheel alike.
        here = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
        here = {path for path in here if "__pycache__" not in path.parts}
        packed = {Path(name).relative_to("playground/shipped") for name in names if f"/shipped/{folder}/" in name}
        assert packed == here
    told = re.search(r"A wheel of ([\d.]+) MB", (ROOT / "docs/how-to/install.md").read_text())
    assert told
    assert wheel.stat().st_size / 1e6 == pytest.approx(float(told[1]), rel=0.1)


def test_what_it_asks_for_is_what_we_ask_for(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        (metadata,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        text = files.read(metadata).decode()
    asked = re.findall(r"^Requires-Dist: ([\w.-]+)", text, re.MULTILINE)
    rows = re.findall(r"^([\w.-]+)", (ROOT / "requirements.in").read_text(), re.MULTILINE)
    assert sorted(map(normal, asked)) == sorted(map(normal, rows))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_nothing_is_missing(installed: Path, tmp_path: Path) -> None:
    run([str(installed / "python"), "-m", "pip", "check"], tmp_path)


def test_the_playground_starts_in_any_folder_and_shows_everything(installed: Path, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    # A clone, or anything of the same name, where somebody happens to be.
    for name in ("playground.py", "celery.py", "redis.py", "examples.py"):
        (folder / name).write_text("raise SystemExit('this file is none of the playground')\n")
    settings = {"PORT": "0", "NO_BROWSER": "1", "HOME": str(home)}
    log = tmp_path / "log"
    with running([str(installed / COMMAND)], folder, log, settings) as url:
        client = play(url)
        assert len(client.get("lessons/")) == len(list((ROOT / "lessons").iterdir()))
        assert client.get("conformance/")["families"]
        client.post("clusters/", {"name": "gang", "config": GANG})
        assert b'lang="ko"' in page(url, "/", "ko")
        assert b"Behind a proxy</h2>" in page(url, "/docs/how-to/deploy/")
        assert page(url, "/static/js/main.js") == (ROOT / "static" / "js" / "main.js").read_bytes()
    run([str(installed / COMMAND), "manage", "backup", "kept.gz"], folder, HOME=str(home))
    assert (folder / "kept.gz").stat().st_size > 1000
    (database,) = home.rglob("playground.sqlite3")
    assert f"data in {database.parent}," in log.read_text()
    assert database.parent.name == COMMAND
    assert not any(path.is_dir() for path in folder.iterdir())


def page(url: str, path: str, language: str = "en") -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url + path, headers={"Accept-Language": language})) as answer:
        text: bytes = answer.read()
        return text


def test_the_commands_know_their_names(installed: Path, tmp_path: Path) -> None:
    told = run([str(installed / COMMAND), "--help"], tmp_path)
    assert told.startswith(f"usage: {COMMAND} ")
    assert run([str(installed / COMMAND), "--version"], tmp_path).startswith(f"{COMMAND} ")
    placed = run([str(installed / COMMAND), "run", str(ROOT / "examples" / "scenarios" / "shop.yaml")], tmp_path)
    assert "6 pods: 4 placed" in placed
