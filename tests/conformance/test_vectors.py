"""Every vector, one test a family: the same check as `make conformance`."""

import json
from pathlib import Path

import pytest

from tests.conformance.cli.recorded import files_of
from tests.conformance.cli.vectors import label_of, read_vectors, run_file

FILES = files_of(Path(__file__).parent)


@pytest.mark.parametrize("file", FILES, ids=[label_of(file) for file in FILES])
def test_family(file: Path) -> None:
    result = run_file(file)
    assert result.total > 0
    assert [f"{name}: {difference}" for name, difference in result.failures] == []


def test_the_table_that_is_shipped_is_that_of_these_vectors() -> None:
    """`make conformance` prints what docs/conformance.json shows; the page has it from there."""
    table = json.loads((Path(__file__).parents[2] / "docs" / "conformance.json").read_text())
    counts = {label_of(file): sum(1 for _ in read_vectors(file)) for file in FILES}
    assert {row["family"]: row["total"] for row in table} == counts
    assert [row for row in table if row["passed"] != row["total"]] == []
