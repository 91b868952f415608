"""The cluster over virtual time: points that come with the records, as columns and as a file."""

import csv
import io
from typing import Any

import pytest

from playground.history import chart_columns
from playground.models import ChartPoint
from tests.core.controllers.test_cluster_autoscaler import group, settings, web
from tests.web import Api, node

PRICE = 0.25


def of(api: Api, cluster: int) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"clusters/{cluster}/charts/")
    return found


@pytest.fixture
def grown(api: Api) -> int:
    cluster = api.cluster([settings(), group("pool", "4", price=PRICE), web(2)])
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until={"seconds": 300})
    return cluster


def test_nodes_come_and_cost(api: Api, grown: int) -> None:
    found = of(api, grown)
    assert {len(found[name]) for name in ("seq", "t", "nodes", "price")} == {len(found["t"])}
    assert found["t"] == sorted(found["t"])
    assert found["seq"] == sorted(set(found["seq"]))
    assert (found["nodes"][0], found["nodes"][-1]) == (0, 2)
    assert (max(found["price"]), found["use"]["cpu"][-1]) == (2 * PRICE, 75.0)
    assert (found["phases"]["Pending"][-1], found["phases"]["Running"][-1]) == (0, 2)
    assert max(found["waiting"]["Unschedulable"]) == 2
    assert found["seq"][-1] == found["revision"]


def test_as_a_file(api: Api, grown: int) -> None:
    answer = api.client.get(f"/api/v1/clusters/{grown}/charts/csv/")
    assert answer.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert len(rows) == len(of(api, grown)["t"])
    assert (rows[-1]["nodes"], float(rows[-1]["price_per_hour"])) == ("2", 2 * PRICE)


def test_what_waits_says_for_which_plugins(api: Api) -> None:
    cluster = api.cluster([node("a"), web(5)])
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    waiting = {name: counts[-1] for name, counts in of(api, cluster)["waiting"].items() if counts[-1]}
    assert waiting == {"NodeResourcesFit": 5 - of(api, cluster)["phases"]["Running"][-1]}


def test_a_reset_begins_anew_and_a_branch_has_the_points_until_it_leaves(api: Api, grown: int) -> None:
    before = of(api, grown)
    branch = api.post(f"clusters/{grown}/branches/", {"at": {"cycle": 1}, "name": "other"})["id"]
    there = of(api, branch)
    assert there["t"]
    assert there["t"] == before["t"][: len(there["t"])]
    api.command(grown, kind="reset")
    after = of(api, grown)
    assert after["t"][0] <= after["t"][-1] < before["t"][-1]


def test_where_there_are_too_many_each_part_has_its_last(api: Api, grown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = of(api, grown)
    monkeypatch.setattr(chart_columns, "MOST_POINTS", 5)
    few = of(api, grown)
    assert 2 <= len(few["t"]) <= 5 < len(whole["t"])
    assert (few["t"][-1], few["seq"][-1]) == (whole["t"][-1], whole["seq"][-1])
    assert ChartPoint.objects.filter(cluster=grown).count() == len(whole["t"])
