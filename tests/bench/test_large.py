"""The bench of large clusters does what it says: small, in a playground that really runs."""

import pytest

from tests.bench import large
from tests.services import Playground


def test_a_small_one(capsys: pytest.CaptureFixture[str], playground_server: Playground) -> None:
    assert large.main(["--nodes", "20", "--pods", "600"], playground_server) == 0
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    exports = [f"export for {target}, {form}" for target in ("playground", "kubectl") for form in ("json", "yaml")]
    assert [row[0] for row in rows[2:]] == ["import", "creation by the worker", *exports]
    assert all(0 < float(amount) < 300 for row in rows[2:] for amount in row[3:])
