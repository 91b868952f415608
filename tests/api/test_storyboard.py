"""A cycle as one file: all of it is in there, and nothing of it is taken for markup."""

import base64
import hashlib
import json
import re
from html import unescape
from typing import Any

import pytest
from django.utils.html import escape

from tests.web import Api, node, pod

EVIL = "</script><script>alert(1)</script><!--\u2028&amp;"
TAINT = {"key": "example.com/x", "value": "y", "effect": "NoSchedule"}


def storyboard(api: Api, cluster: int, number: int = 1, status: int = 200, **query: str) -> str:
    answer = api.client.get(f"/api/v1/clusters/{cluster}/cycles/{number}/storyboard/", query)
    assert answer.status_code == status
    if status == 200:
        assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return str(answer.content.decode())


def data_of(page: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


@pytest.fixture
def cluster(api: Api) -> int:
    objects = [node("large", cpu="8"), node("small", cpu="1"), node("tainted", taints=[TAINT]), node("other", cpu="6")]
    made = api.cluster([*objects, pod("web", cpu="2")], seed=5)
    api.command(made, kind="run", until="idle")
    return made


def test_what_it_tells(api: Api, cluster: int) -> None:
    data = data_of(storyboard(api, cluster))
    cycle = api.get(f"clusters/{cluster}/cycles/1/")["cycle"]
    matrix = api.get(f"clusters/{cluster}/cycles/1/matrix/")
    assert data["chosen"] == cycle["node"] == "large"
    assert data["frames"][0]["point"] == "QueueSort"
    assert data["frames"][-1]["point"] in ("Bind", "PostBind")
    out = {name: (data["frames"][at]["actor"] if at is not None else None) for name, at, _ in data["nodes"]}
    assert out == {"large": None, "other": None, "small": "NodeResourcesFit", "tainted": "TaintToleration"}
    assert {name: why for name, _, why in data["nodes"]}["small"] == "NodeResourcesFit: Insufficient cpu"
    assert [row["node"] for row in data["scores"]["rows"]] == ["large", "other"]
    totals = dict(zip((matrix["names"][at] for at in matrix["feasible"]), matrix["totals"], strict=True))
    for row in data["scores"]["rows"]:
        assert row["total"] == totals[row["node"]]
        weights = [plugin["weight"] for plugin in data["scores"]["plugins"]]
        assert sum(n * w for n, w in zip(row["normalized"], weights, strict=True)) == row["total"]
    assert data["frames"][data["picked"]]["text"] == f"large has the best total, {totals['large']}"
    # Every plugin that skipped is named, in one breath with those beside it.
    skipped = {step["plugin"] for step in cycle["steps"] if step["code"] == "Skip"}
    assert all(any(name in frame["actor"] + frame["text"] for frame in data["frames"]) for name in skipped)


def test_nodes_that_nobody_asked_are_counted(api: Api) -> None:
    cluster = api.cluster([node(f"n{i:03}") for i in range(120)] + [pod("p")])
    api.command(cluster, kind="run", until="idle")
    page = storyboard(api, cluster)
    assert "20 nodes not evaluated" in page
    assert len(data_of(page)["nodes"]) == 100


def test_a_pod_that_no_node_takes(api: Api) -> None:
    cluster = api.cluster([node("n"), pod("big", cpu="9")])
    api.command(cluster, kind="run", until="idle")
    page = storyboard(api, cluster)
    data = data_of(page)
    assert data["chosen"] is None
    assert data["scores"]["rows"] == []
    assert any(frame["bad"] for frame in data["frames"])
    assert "0/1 nodes are available" in page


def test_it_asks_nobody_for_anything(api: Api, cluster: int) -> None:
    page = storyboard(api, cluster)
    assert not re.findall(r"https?:|src=|href=|url\(|@import|fetch\(|XMLHttp|WebSocket|import\(", page)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    policy = unescape(policy)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, tag in (("script", r"<script>(.*?)</script>"), ("style", r"<style>(.*?)</style>")):
        (text,) = re.findall(tag, page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_names_are_no_markup(api: Api) -> None:
    cluster = api.cluster([node("n"), pod("p")], name=EVIL)
    api.command(cluster, kind="run", until="idle")
    page = storyboard(api, cluster)
    assert "<script>alert" not in page
    assert page.count("</script>") == 2
    assert escape(EVIL) in page


def test_data_is_no_markup(web: None) -> None:
    """Names and messages that no API server would let in, as an extender or a plugin of somebody's may say them."""
    from playground.storyboard.storyboard_page import render

    steps = [{"point": "Filter", "plugin": EVIL, "code": "Error", "reasons": [EVIL], "in": 1, "out": 0}]
    nodes = {"total": 1, "toFind": 1, "evaluated": 1, "feasible": 0, "start": 0, "next": 0}
    cycle = {"number": 1, "pod": EVIL, "priority": 0, "node": None, "outcome": "error", "message": EVIL, "nodes": nodes}
    status = [{"plugin": "", "code": "Success", "reasons": []}, {"plugin": EVIL, "code": "Error", "reasons": [EVIL]}]
    matrix = {"names": [EVIL], "status": [1], "statuses": status, "feasible": [], "scorePlugins": [], "weights": []}
    page = render(
        {"cycle": {**cycle, "steps": steps}}, {**matrix, "raw": [], "normalized": [], "totals": []}, EVIL, "v", 0
    )
    assert page.count("</script>") == 2
    assert "<!--" not in page
    assert data_of(page)["nodes"] == [[EVIL, 0, f"{EVIL}: {EVIL}"]]


@pytest.mark.parametrize(
    ("language", "said"), [("en", "cycle 1"), ("zh-hans", "周期"), ("ko", "사이클"), ("xx", "cycle 1")]
)
def test_languages(api: Api, cluster: int, language: str, said: str) -> None:
    page = storyboard(api, cluster, lang=language)
    assert said in page
    assert f'<html lang="{language if language != "xx" else "en"}">' in page


def test_there_is_no_such_cycle(api: Api, cluster: int) -> None:
    storyboard(api, cluster, 99, 404)
