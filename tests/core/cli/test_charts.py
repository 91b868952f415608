"""`run --charts`: rows of numbers over virtual time."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
import yaml

from playground.__main__ import main
from simulator.simulation.charts import Meter
from tests.core.controllers.test_cluster_autoscaler import group, settings, web
from tests.core.controllers.test_living import simulation_of

PRICE = 0.25


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "grows.yaml"
    path.write_text(yaml.safe_dump_all([settings(), group("pool", "4", price=PRICE), web(2)]))
    return str(path)


def rows(text: str) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_nodes_come_and_cost(scenario: str, tmp_path: Path) -> None:
    charts = tmp_path / "charts.csv"
    options = ["--controllers", "all", "--until", "5m", "--charts", str(charts), "--charts-every", "30"]
    assert main(["run", scenario, *options]) == 0
    found = rows(charts.read_text())
    use = [f"{one}_requested_percent" for one in ("cpu", "memory", "pods")]
    assert list(found[0])[:5] == ["seconds", "nodes", *use]
    waiting = next(row for row in found if row["why"])
    assert (waiting["pods_without_node"], waiting["why"]) == ("2", "2 Unschedulable")
    last = found[-1]
    assert (last["nodes"], last["pods_running"], last["pods_without_node"]) == ("2", "2", "0")
    assert (float(last["cpu_requested_percent"]), float(last["pods_requested_percent"])) == (75.0, 2.0)
    assert float(last["price_per_hour"]) == 2 * PRICE
    times = [float(row["seconds"]) for row in found]
    assert times == sorted(times)
    assert times[-1] == 300.0


def test_the_report_goes_elsewhere_when_the_rows_are_printed(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", scenario, "--controllers", "all", "--until", "1m", "--charts", "-"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("seconds,nodes,")
    assert "2 pods" in printed.err


@pytest.mark.parametrize("every", ["0", "soon", "-3"])
def test_a_period_is_a_number_of_seconds(scenario: str, every: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", scenario, "--charts", "-", "--charts-every", every])
    assert "must be a number of seconds above 0" in capsys.readouterr().err


def test_what_is_counted_as_records_come_is_what_there_is_at_the_end() -> None:
    simulation = simulation_of(settings(), group("pool", "4", price=PRICE), web(30))
    meter = Meter(simulation)
    for until in (60, 120, 400):
        for record in simulation.apply({"kind": "run", "until": {"seconds": until}}):
            meter.count_record(record)
        anew = Meter(simulation).point()
        counted = meter.point()
        assert (counted["phases"], sum(counted["waiting"].values())) == (anew["phases"], sum(anew["waiting"].values()))
        assert sum(counted["phases"].values()) == len(simulation.cluster.store.list("Pod"))
    assert counted["waiting"], "the group is at its maximum"
