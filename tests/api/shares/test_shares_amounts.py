"""How many shared moments may be stored, opened and played."""

from typing import Any

import pytest
from django.test import Client

from playground import limits
from playground.engine import command_runner, loaded_clusters, session_control
from playground.models import Cluster, ShareView
from tests.share_links import Guest, document, folded
from tests.web import Api, node, pod


def test_no_more_than_may_be_stored(owner: Api, played: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARES_PER_USER", 1)
    owner.post(f"clusters/{played}/shares/", {"stored": True}, 201)
    assert "can store at most" in owner.post(f"clusters/{played}/shares/", {"stored": True}, 409)["problems"][0]["rule"]
    monkeypatch.setattr(limits, "SHARES_PER_USER", 9)
    monkeypatch.setattr(limits, "SHARES_BYTES_PER_USER", 10)
    owner.post(f"clusters/{played}/shares/", {"stored": True}, 409)
    monkeypatch.setattr(limits, "SHARE_BYTES", 10)
    owner.post(f"clusters/{played}/shares/", {}, 413)
    monkeypatch.setattr(limits, "SHARE_CYCLES", 3)
    assert "4 cycles" in owner.post(f"clusters/{played}/shares/", {}, 409)["problems"][0]["rule"]


def test_the_longest_unopened_makes_room(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_VIEWS", 2)
    scenario = document()["scenario"]
    links = [folded(document(scenario={**scenario, "seed": seed})) for seed in (1, 2, 3)]
    first, second = Guest().open(link=links[0]), Guest().open(link=links[1])
    Guest().open(link=links[0])
    Guest().open(link=links[2])
    Guest().get(first)
    Guest().get(second, "", 404)
    assert Guest().open(link=links[1])["key"] != second["key"]


def test_an_address_opens_so_many_a_minute(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_VIEWS_PER_MINUTE", 2)
    links = [folded(document(scenario={**document()["scenario"], "seed": 50 + seed})) for seed in range(3)]
    client = Client(REMOTE_ADDR="127.9.9.9")
    answers = [client.post("/api/v1/shares/open/", {"link": link}, "application/json").status_code for link in links]
    assert answers == [200, 200, 429]
    # What is there already costs nothing.
    assert client.post("/api/v1/shares/open/", {"link": links[0]}, "application/json").status_code == 200


def test_few_are_at_work_at_a_time(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_VIEWS_AT_WORK", 1)
    commands = [{"kind": "create", "objects": [node("n")]}]
    links = [
        folded(document(scenario={**document()["scenario"], "seed": seed, "commands": commands})) for seed in (1, 2)
    ]
    opened = Guest().open(link=links[0])
    Guest().open(429, link=links[1])
    command_runner.apply_commands(opened["cluster"])
    Guest().open(link=links[1])


def test_a_shared_moment_has_less_room(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_VIEW_BYTES", 60_000)
    commands: list[Any] = [{"kind": "create", "objects": [node("n"), *(pod(f"p{i}", cpu="1m") for i in range(60))]}]
    commands += [{"kind": "run", "until": "idle"}, {"kind": "reset"}] * 20
    opened = Guest().open(link=folded(document(scenario={**document()["scenario"], "commands": commands})))
    command_runner.apply_commands(opened["cluster"])
    cluster = Cluster.objects.get(pk=opened["cluster"])
    assert cluster.applied == cluster.submitted
    assert cluster.cycle < 300


@pytest.mark.parametrize(("limit", "most"), [("SHARE_VIEW_OBJECTS", 20), ("SHARE_VIEW_WORK_SECONDS", 0)])
def test_a_shared_moment_has_a_budget_of_objects_and_time(
    web: None, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(limits, limit, most)
    creating = [{"kind": "create", "objects": [node("n"), *(pod(f"p{i}", cpu="1m") for i in range(60))]}]
    commands: list[Any] = [*creating, {"kind": "run", "until": "idle"}]
    scenario = {**document()["scenario"], "seed": 900 + most, "commands": commands}
    opened = Guest().open(link=folded(document(scenario=scenario)))
    command_runner.apply_commands(opened["cluster"])
    cluster = Cluster.objects.get(pk=opened["cluster"])
    assert (cluster.applied, cluster.cycle) == (cluster.submitted, 0)
    problems = cluster.commands.order_by("-number").values_list("problems", flat=True)[0]
    assert "a shared snapshot can have" in str(problems)


def test_several_workers_share_the_budget_of_a_moment(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next worker has the simulation in its own memory, and nothing of what the worker before it counted."""
    creating = {"kind": "create", "objects": [node("n"), *(pod(f"p{i}", cpu="1m") for i in range(60))]}
    steps = [{"kind": "schedule_one"}] * 30
    scenario = {**document()["scenario"], "seed": 903, "commands": [creating, *steps]}
    opened = Guest().open(link=folded(document(scenario=scenario)))
    worked = [0.0]
    with monkeypatch.context() as patch:
        patch.setattr(session_control.SessionControl, "must_end", lambda self: True)
        for _ in range(2):
            loaded_clusters.forget_all()
            command_runner.apply_commands(opened["cluster"])
            worked.append(ShareView.objects.get(cluster=opened["cluster"]).worked)
    assert worked == sorted(set(worked))
    monkeypatch.setattr(limits, "SHARE_VIEW_WORK_SECONDS", worked[-1])
    loaded_clusters.forget_all()
    command_runner.apply_commands(opened["cluster"])
    cluster = Cluster.objects.get(pk=opened["cluster"])
    assert cluster.applied == cluster.submitted
    assert 0 < cluster.cycle < 30
    assert "a shared snapshot can have" in str(
        cluster.commands.order_by("-number").values_list("problems", flat=True)[0]
    )
