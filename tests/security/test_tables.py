"""A spreadsheet takes no cell of our CSV for a formula, whatever users call their things."""

import csv
import io
import re
from pathlib import Path

import pytest

from playground import user_files
from playground.comparisons import run_worker
from playground.models import Cluster
from tests.packages import PACKAGES
from tests.web import Api

ROOT = Path(__file__).parents[2]
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201"]
AS_THEY_ARE = ["", "n-1", "a\r=1", "a\n=1", 'a"\r\n=1', "a=b", "'=1", "1+1", 7, -7, 0.5]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_becomes_text(cell: str) -> None:
    head, row = csv.reader(io.StringIO(user_files.table((cell,), [(cell,)]), newline=""))
    assert head == row == [f"'{cell}"]


def test_other_cells_stay() -> None:
    _, row = csv.reader(io.StringIO(user_files.table(("a",) * len(AS_THEY_ARE), [AS_THEY_ARE]), newline=""))
    assert row == [str(cell) for cell in AS_THEY_ARE]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_every_table_of_a_comparison(api: Api, small: Cluster, sign: str) -> None:
    """Labels are the one text of users that may begin so: pods and nodes have names by Kubernetes' rules."""
    label = f'{sign}HYPERLINK("http://example.com")\r{sign}1'
    sides = [{"config": "default", "label": label}, {"config": "default", "label": "plain"}]
    made = api.post(f"clusters/{small.pk}/comparisons/", {"sides": sides})
    while run_worker.do_next_run():
        pass
    path = f"/api/v1/clusters/{small.pk}/comparisons/{made['id']}/export/"
    for query in ({}, {"what": "moved"}):
        cells = [
            cell
            for row in csv.reader(io.StringIO(api.client.get(path, query).content.decode(), newline=""))
            for cell in row
        ]
        assert f"'{label}" in cells
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_nothing_else_writes_tables() -> None:
    writes = re.compile(r"csv\.(writer|DictWriter)\(")
    sources = [path for folder in (*PACKAGES, "tools") for path in (ROOT / folder).rglob("*.py")]
    assert [path.name for path in sources if writes.search(path.read_text())] == ["tables.py"]
