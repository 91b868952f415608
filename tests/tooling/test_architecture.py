"""ARCHITECTURE.md says where things are: every file, folder and function that it names is there."""

import re
from pathlib import Path

import pytest

from tests.packages import PACKAGES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
PLACES = sorted(set(re.findall(r"`([\w.]+(?:/[\w.]*)+)`", TEXT)))
# A file, and the function named right after it: `a/b.py` `Some.thing()`.
CALLS = sorted(set(re.findall(r"`([\w./]+\.(?:py|js))`\s+`([\w.]+)(?:\(\))?`", TEXT)))


def defines(file: str, name: str) -> bool:
    source = (ROOT / file).read_text()
    return re.search(rf"^\s*(?:export )?(?:async )?(?:def|class|function) {name}\b", source, re.MULTILINE) is not None


def test_every_place_is_there() -> None:
    assert [place for place in PLACES if not (ROOT / place).exists()] == []


def test_every_function_is_there() -> None:
    parts = [(file, part) for file, name in CALLS for part in name.split(".")]
    assert [each for each in parts if not defines(*each)] == []


def test_the_journeys_name_functions() -> None:
    assert len(CALLS) > 35


def test_the_journey_of_a_write_names_a_module_for_each_stage_in_order() -> None:
    journey = TEXT.partition("**Journey of kubectl apply.**")[2].partition("\n**")[0]
    stages = re.findall(r"^\d+\. (\w+)[\w ]*: .*?`[\w/]+\.py`", journey, re.MULTILINE)
    wanted = ["Convert", "Decode", "Default", "Manage", "Admit", "Prepare", "Validate", "Encode", "Store"]
    assert stages == ["Route", "Authorize", "Handle", *wanted]


def test_every_package_is_on_the_map() -> None:
    assert [name for name in PACKAGES if f"| `{name}/` |" not in TEXT] == []


@pytest.mark.parametrize("package", ["scheduler_core", "simulator"])
def test_every_folder_of_the_engine_is_on_the_map(package: str) -> None:
    """Folders of a few files that another folder uses need no line."""
    small = {"comparison", "exchange", "importers", "lessons"}
    folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    assert {folder for folder in folders - small if f"{package}/{folder}/" not in TEXT} == set()


def test_every_room_of_the_playground_is_on_the_map() -> None:
    rooms = {path.parent.name for path in (ROOT / "playground").glob("*/__init__.py")} - {"management", "migrations"}
    assert {room for room in rooms if f"playground/{room}/" not in TEXT} == set()
