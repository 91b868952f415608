"""Check the repair, rank and cost that docs/reference/repair-edits.md gives for each scenario."""

import re
from pathlib import Path

import pytest

from scheduler_core.edits.costs import Prices
from simulator.cli.input.inputs import read_scenario
from simulator.repair.capacity import pending_pods
from simulator.repair.finder import Finder, Limits
from tests.core.repair.random_clusters import places, played

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "situations"
ROW = re.compile(r"^\| `([a-z-]+)` \| .+?\(https://github\.com/.+?\) \| (\d)\w\w, (\d+): `(.+?)` \|", re.MULTILINE)
ROWS = ROW.findall((ROOT / "docs" / "reference" / "repair-edits.md").read_text())


@pytest.mark.parametrize(("name", "place", "cost", "sentence"), ROWS, ids=[row[0] for row in ROWS])
def test_the_repair_is_found(name: str, place: str, cost: str, sentence: str) -> None:
    simulation = played(read_scenario([str(FOLDER / f"{name}.yaml")]).manifests)
    (key,) = pending_pods(simulation)
    finder = Finder(simulation, key, Prices(), lambda: 0.0, Limits(results=int(place)))
    *_, repair = finder.find()
    assert [edit.sentence["text"] for edit in repair.edits] == [sentence]
    assert repair.cost == int(cost)
    assert places(simulation, repair.edits, key)


def test_the_page_has_all_of_them() -> None:
    assert {row[0] for row in ROWS} == {file.stem for file in FOLDER.glob("*.yaml")}
    assert len(ROWS) == 10
