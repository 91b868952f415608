"""Benches of a playground do what they say: small, in the one that tests share."""

import pytest

from tests.bench import classroom, large, memory
from tests.services import Playground


def rows(printed: str) -> list[list[str]]:
    """The cells of a table, without its head."""
    lines = [line for line in printed.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines][2:]


def test_a_large_cluster(capsys: pytest.CaptureFixture[str], playground_server: Playground) -> None:
    assert large.main(["--nodes", "20", "--pods", "600"], playground_server) == 0
    found = rows(capsys.readouterr().out)
    exports = [f"export for {target}, {form}" for target in ("playground", "kubectl") for form in ("json", "yaml")]
    assert [row[0] for row in found] == ["import", "creation by the worker", *exports]
    assert all(0 < float(amount) < 300 for row in found for amount in row[3:])


def test_a_class(capsys: pytest.CaptureFixture[str], playground_server: Playground) -> None:
    # Whether it is quick enough is for a quiet machine to say.
    wanted = ["--followers", "5", "--moves", "4", "--rest", "0", "--pages", "--most", "60000"]
    assert classroom.main(wanted, playground_server) == 0
    (row,) = rows(capsys.readouterr().out)
    assert row[1:3] == ["5", "4"]
    assert 0 <= float(row[3]) <= float(row[4]) <= float(row[5]) <= float(row[6])
    assert row[7] == "0"


def test_memory(playground_server: Playground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SETTLE_SECONDS", 0)
    found = rows(memory.at_rest_and_large(playground_server, 20, 300))
    *parts, total = [(row[0], [int(cell) for cell in row[1:]]) for row in found]
    assert {"answers", "broker", "supervisor", "web", "worker", "worker's pool"} <= {name for name, _ in parts}
    assert all(abs(sum(sizes[at] for _, sizes in parts) - total[1][at]) <= len(parts) for at in range(3))
