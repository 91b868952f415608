"""The class bench measures what it says: small, on the real processes."""

import pytest

from tests.bench import classroom
from tests.services import Playground


def test_a_small_one(capsys: pytest.CaptureFixture[str], playground_server: Playground) -> None:
    # Whether it is quick enough is for a quiet machine to say.
    wanted = ["--followers", "5", "--moves", "4", "--rest", "0", "--pages", "--most", "60000"]
    assert classroom.main(wanted, playground_server) == 0
    row = [cell.strip() for cell in capsys.readouterr().out.splitlines()[2].strip("| ").split(" | ")]
    assert row[1:3] == ["5", "4"]
    assert 0 <= float(row[3]) <= float(row[4]) <= float(row[5]) <= float(row[6])
    assert row[7] == "0"
