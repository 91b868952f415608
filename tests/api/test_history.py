"""Records, timeline, cycles and matrices."""

import json
from collections import Counter
from typing import Any

import pytest

from playground.models import Cluster
from playground.news.frames import brief
from tests.web import Api, node, pod


@pytest.fixture
def played(api: Api, small: Cluster) -> int:
    """The small cluster, played to the end: record 1 made the objects, 2 … 9 are its cycles 1 … 8."""
    api.command(small.pk, kind="run", until="idle")
    return small.pk


PAGES = [
    # query                        numbers
    ({}, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ({"after": 7}, [8, 9]),
    ({"after": 2, "limit": 3}, [3, 4, 5]),
    ({"after": 9}, []),
    ({"after": 10**17}, []),
]


@pytest.mark.parametrize(("query", "numbers"), PAGES)
def test_pages_of_records(api: Api, played: int, query: dict[str, int], numbers: list[int]) -> None:
    page = api.get(f"clusters/{played}/records/", **query)
    assert ([record["seq"] for record in page["records"]], page["last"]) == (numbers, 9)


@pytest.mark.parametrize("query", [{"after": -1}, {"limit": 0}, {"limit": 1001}, {"after": "x"}, {"after": 10**19}])
def test_pages_that_are_none(api: Api, played: int, query: dict[str, Any]) -> None:
    problems = api.get(f"clusters/{played}/records/", 400, **query)["problems"]
    assert [problem["path"] for problem in problems] == list(query)


def test_brief_records_have_neither_steps_nor_ties(api: Api, played: int) -> None:
    full = api.get(f"clusters/{played}/records/", after=1)["records"]
    short = api.get(f"clusters/{played}/records/", after=1, brief=1)["records"]
    assert all(record["cycle"]["steps"] for record in full)
    assert any("ties" in record["cycle"] for record in full)
    for record in full:
        del record["cycle"]["steps"]
        record["cycle"].pop("ties", None)
    assert short == full


def test_brief_records_count_their_long_lists() -> None:
    moves = [{"pod": f"default/{i}"} for i in range(101)]
    body = json.dumps({"seq": 1, "moves": moves, "events": [{"reason": "x"}], "writes": moves})
    assert json.loads(brief(body)) == {"seq": 1, "events": [{"reason": "x"}], "omitted": {"moves": 101, "writes": 101}}


def test_timeline(api: Api, played: int) -> None:
    line = api.get(f"clusters/{played}/cycles/")
    assert (line["from"], line["to"], line["seq"]) == (1, 8, [2, 3, 4, 5, 6, 7, 8, 9])
    assert line["pod"] == [*(f"default/web-{i}" for i in range(7)), "default/large"]
    assert line["outcome"] == ["scheduled"] * 7 + ["unschedulable"]
    assert (line["node"][-1], line["t"][-1]) == (None, 0.008)
    part = api.get(f"clusters/{played}/cycles/", **{"from": 3, "to": 4})
    assert (part["from"], part["to"], part["pod"]) == (3, 4, ["default/web-2", "default/web-3"])
    nothing = api.get(f"clusters/{played}/cycles/", **{"from": 50})
    assert (nothing["from"], nothing["to"], nothing["pod"]) == (50, 49, [])


def test_a_cycle_is_its_record(api: Api, played: int) -> None:
    record = api.get(f"clusters/{played}/cycles/8/")
    assert (record["seq"], record["cycle"]["outcome"]) == (9, "unschedulable")
    assert "0/3 nodes are available: 3 Insufficient cpu" in record["cycle"]["message"]
    assert {step["point"] for step in record["cycle"]["steps"]} >= {"QueueSort", "PreFilter", "Filter", "PostFilter"}
    api.get(f"clusters/{played}/cycles/9/", 404)


def test_times_add_up_over_all_attempts(api: Api, played: int) -> None:
    steps = [step for n in range(1, 9) for step in api.get(f"clusters/{played}/cycles/{n}/")["cycle"]["steps"]]
    recorded = Counter((step["point"], step.get("plugin", ""), step["code"] == "Skip") for step in steps)
    found = api.get(f"clusters/{played}/timings/")
    assert (found["measured"], found["attempts"]) == ("run", 8)
    told: Counter[tuple[str, str, bool]] = Counter()
    for point in found["points"]:
        assert point["seconds"] == pytest.approx(sum(each["seconds"] for each in point["plugins"]), abs=1e-5)
        for each in point["plugins"]:
            told[point["point"], each["plugin"], False] += each["runs"]
            told[point["point"], each["plugin"], True] += each["skips"]
            assert 0 <= each["longest"] <= each["seconds"]
    assert +told == recorded
    assert found["seconds"] == pytest.approx(sum(point["seconds"] for point in found["points"]), abs=1e-5)
    order = [point["point"] for point in found["points"]]
    assert order[:3] == ["QueueSort", "PreFilter", "Filter"]
    assert order.index("PostFilter") < order.index("SelectHost") < order.index("Assume") < order.index("Bind")


def test_nothing_was_measured_yet(api: Api) -> None:
    nothing = {"measured": "run", "attempts": 0, "seconds": 0, "points": []}
    assert api.get(f"clusters/{api.cluster([node('a')])}/timings/") == nothing


def test_matrix(api: Api, played: int) -> None:
    matrix = api.get(f"clusters/{played}/cycles/1/matrix/")
    assert sorted(matrix["names"]) == ["node-0", "node-1", "node-2"]
    assert matrix["status"] == [0, 0, 0]
    assert len(matrix["totals"]) == 3
    assert len(matrix["raw"]) == len(matrix["scorePlugins"]) == len(matrix["weights"])
    refused = api.get(f"clusters/{played}/cycles/8/matrix/")
    assert [refused["statuses"][status]["plugin"] for status in refused["status"]] == ["NodeResourcesFit"] * 3
    assert (refused["feasible"], refused["totals"]) == ([], [])
    api.get(f"clusters/{played}/cycles/99/matrix/", 404)


def test_a_matrix_names_the_nodes_of_its_time(api: Api) -> None:
    cluster = api.cluster([node("a"), node("b"), pod("p"), pod("q")])
    api.command(cluster, kind="schedule_one")
    chosen = api.get(f"clusters/{cluster}/cycles/1/")["cycle"]["node"]
    api.command(cluster, kind="create", objects=[node("0-new")])
    other = "a" if chosen == "b" else "b"
    api.command(cluster, kind="delete", objects=[{"kind": "Node", "name": other}])
    api.command(cluster, kind="schedule_one")
    assert sorted(api.get(f"clusters/{cluster}/cycles/1/matrix/")["names"]) == ["a", "b"]
    assert sorted(api.get(f"clusters/{cluster}/cycles/2/matrix/")["names"]) == sorted(["0-new", chosen])


def test_history_stays_readable_after_a_reset(api: Api, played: int) -> None:
    before = api.get(f"clusters/{played}/cycles/3/")
    api.command(played, kind="reset")
    state = api.get(f"clusters/{played}/")
    assert (state["first_cycle"], state["cycle"], state["t"], state["lanes"]) == (9, 8, 0.0, {"active": 8})
    assert api.get(f"clusters/{played}/cycles/3/") == before
    api.command(played, kind="run", until="idle")
    line = api.get(f"clusters/{played}/cycles/", **{"from": 9})
    assert (line["from"], line["to"]) == (9, 16)
    assert line["node"] == api.get(f"clusters/{played}/cycles/", to=8)["node"]
