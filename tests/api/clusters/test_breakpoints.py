"""Breakpoints of a cluster, and runs that stop at them."""

from typing import Any

import pytest

from playground.clusters import commands
from playground.engine import command_runner, loaded_clusters, worker_session
from playground.models import Cluster, Command
from tests.resilience.command_story import bodies
from tests.web import Api

UNTIL = {"breakpoint": True}


def put(api: Api, cluster: int, value: Any, status: int = 200) -> Any:
    answer = api.client.put(f"/api/v1/clusters/{cluster}/breakpoints/", value, "application/json", headers=api.headers)
    assert answer.status_code == status, answer.content
    return answer.json()


def test_a_run_stops_and_says_at_what(api: Api, small: Cluster) -> None:
    wanted = [{"kind": "pod", "pod": "default/web-2"}, {"kind": "rejection", "plugin": "NodeResourcesFit"}]
    assert api.get(f"clusters/{small.pk}/breakpoints/") == []
    assert put(api, small.pk, wanted) == wanted == api.get(f"clusters/{small.pk}/breakpoints/")
    first = api.command(small.pk, kind="run", until=UNTIL)
    assert (first["stopped_by"], first["progress"]["cycles"]) == (wanted[0], 3)
    state = api.get(f"clusters/{small.pk}/")
    assert (state["stopped_by"], state["breakpoints"], state["state"]) == (wanted[0], 2, "idle")
    assert api.get(f"clusters/{small.pk}/cycles/3/")["stoppedBy"] == wanted[0]
    second = api.command(small.pk, kind="run", until=UNTIL)
    assert (second["stopped_by"], second["progress"]["cycles"]) == (wanted[1], 5)
    third = api.command(small.pk, kind="run", until=UNTIL)
    assert (third["state"], "stopped_by" in third) == ("done", False)
    stopped = api.get(f"clusters/{small.pk}/cycles/")["stopped"]
    assert stopped == [{"cycle": 3, "by": wanted[0]}, {"cycle": 8, "by": wanted[1]}]
    assert api.get(f"clusters/{small.pk}/")["stopped_by"] is None


def test_a_posted_run_keeps_its_breakpoints(api: Api, small: Cluster) -> None:
    put(api, small.pk, [{"kind": "pod", "pod": "default/web-1"}])
    posted = commands.submit(small.pk, {"kind": "run", "until": UNTIL}, key="k")
    put(api, small.pk, [])
    assert commands.submit(small.pk, {"kind": "run", "until": UNTIL}, key="k").number == posted.number
    command_runner.apply_commands(small.pk)
    assert Command.objects.get(cluster=small, number=posted.number).cycles == 2
    loaded_clusters.forget_all()
    replayed = loaded_clusters.load(Cluster.objects.get(pk=small.pk)).simulation
    assert (replayed.seq, replayed.cycle) == (3, 2)
    assert api.command(small.pk, kind="run", until=UNTIL)["progress"]["cycles"] == 6


def test_killed_at_a_breakpoint_the_run_stays_there(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_session, "CHUNK_RECORDS", 1)
    monkeypatch.setattr(worker_session, "CHECKPOINT_RECORDS", 1)
    monkeypatch.setattr(worker_session, "CHECKPOINT_SHARE", 1000.0)
    stop = {"kind": "pod", "pod": "default/web-2"}
    commands.submit(small.pk, {"kind": "run", "until": UNTIL, "breakpoints": [stop]})
    finish = worker_session.WorkerSession._finish

    def killed(*_: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(worker_session.WorkerSession, "_finish", killed)
    with pytest.raises(KeyboardInterrupt):
        command_runner.apply_commands(small.pk)
    monkeypatch.setattr(worker_session.WorkerSession, "_finish", finish)
    assert len(bodies(small.pk)) == 4
    loaded_clusters.forget_all()
    command_runner.apply_commands(small.pk)
    command = Command.objects.get(cluster=small, kind="run")
    assert (command.state, command.cycles, command.stopped_by, len(bodies(small.pk))) == ("done", 3, stop, 4)


BAD = [
    ({}, ""),
    ([{"kind": "pod"}], "[0].pod"),
    ([{"kind": "preemption"}, {"kind": "failure", "point": "Nowhere"}], "[1].point"),
    ([{"kind": "preemption"}] * 51, ""),
    ([[[]]], "[0]"),
]


@pytest.mark.parametrize(("value", "path"), BAD)
def test_bad_breakpoints(api: Api, small: Cluster, value: Any, path: str) -> None:
    assert [problem["path"] for problem in put(api, small.pk, value, 400)["problems"]] == [path]
    assert api.get(f"clusters/{small.pk}/breakpoints/") == []
