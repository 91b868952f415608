"""The load bench measures what it says: small, on the real processes."""

import pytest

from tests.bench import load


def test_a_small_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert load.main(["--clusters", "3", "--viewers", "8", "--pace", "20", "--workers", "1"]) == 0
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    viewers, records = [[row[column].replace(",", "") for row in rows[2:]] for column in (1, 2)]
    assert (viewers, records) == (["3", "8", "8"], ["300", "100", "1000"])
    assert all(0 < float(row[4]) <= float(row[5]) <= float(row[6]) for row in rows[2:])
