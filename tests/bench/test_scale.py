"""The simulation of the queueing says what theory and a measured point say, and finds what ends it."""

import pytest

from tests.bench.scale import Costs, Site, main, most, simulate

FREE = Costs(request=0.0, step=0.0, store=0.0, tell=0.0, write=0.0)
# At 0ebf3aa: seconds of CPU of a step on SQLite, whose statements are the worker's own work, and its median then on a
# quiet machine, from POST to record.
MEASURED = Costs(request=0.0075, step=0.0263, store=0.0, tell=0.0005, write=0.00005)
MEASURED_P50 = (0.031, 0.033)


def test_one_after_the_other_takes_what_was_measured() -> None:
    found = simulate(Site(costs=MEASURED), clusters=1, every=5.0, viewers=1)
    assert found.p50 == pytest.approx(sum(MEASURED_P50) / 2, rel=0.1)
    assert found.p50 == pytest.approx(sum(vars(MEASURED).values()))


@pytest.mark.parametrize("busy", [0.5, 0.8])
def test_one_server_is_waited_for_as_in_theory(busy: float) -> None:
    # M/D/1: the mean wait is busy / (2 (1 - busy)) services; of an exponential it would be the double.
    each = 0.01
    costs = Costs(**{**vars(FREE), "step": each})
    found = [
        simulate(Site(workers=1, costs=costs), clusters=int(busy / each), every=1.0, viewers=0, seed=s)
        for s in range(8)
    ]
    assert sum(one.busy["workers"] for one in found) / 8 == pytest.approx(busy, rel=0.03)
    mean = sum(one.mean for one in found) / 8
    assert mean == pytest.approx(each * (1 + busy / (2 * (1 - busy))), rel=0.1)


def test_what_costs_most_ends_it() -> None:
    costs = Costs(**{**vars(FREE), "request": 0.001, "step": 0.05, "store": 0.002})
    found = most(Site(costs=costs), every=1.0, viewers=0, within=0.2)
    assert found.bottleneck == "workers"
    assert 25 < found.clusters < 2 / 0.052
    more = most(Site(workers=4, costs=costs), every=1.0, viewers=0, within=0.2)
    assert more.clusters > 1.9 * found.clusters


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--times", "1", "--times", "2", "--every", "10"]) == 0
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert [len(row) for row in rows] == [12] * 4
    assert int(rows[3][4].replace(",", "")) >= 2 * int(rows[2][4].replace(",", ""))
