"""The lines of a repair, run by kubectl, give the pod of any owner a node. `repair_table` has all of them."""

from pathlib import Path

import pytest

from tests.clients.repair_table import Bench
from tests.core.repair.owners_and_needs import NEEDS
from tests.services import Playground

CASES = (
    ("Deployment", "toleration and request"),
    ("StatefulSet", "toleration and request"),
    ("Job", "toleration and request"),
    ("CronJob", "node label and request"),
    ("DaemonSet", "priority"),
    ("Pod", "a Deployment's pod elsewhere"),
)


@pytest.mark.parametrize(("owner", "need"), CASES)
def test_the_printed_lines_give_the_pod_a_node(
    playground_server: Playground, tmp_path: Path, owner: str, need: str
) -> None:
    bench = Bench(playground_server.url, tmp_path)
    number, lines = bench.lines(owner, NEEDS[need])
    assert lines
    bench.run(number, lines)
    assert bench.places(number), lines
    bench.drop(number)
