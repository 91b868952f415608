"""Controllers of a cluster through the API: switched on, asked for, taken back, in a branch."""

import time

import pytest

from playground.clusters import commands
from playground.engine import command_runner
from playground.models import Command
from tests.core.controllers.chaos import workload
from tests.web import Api, node


@pytest.fixture
def cluster(api: Api) -> int:
    made = api.cluster([node("a"), node("b"), workload("Deployment", "web", replicas=2)])
    assert api.command(made, kind="set_actors", actors="all")["state"] == "done"
    api.command(made, kind="run", until="idle")
    return made


def test_they_are_a_setting_of_the_cluster(api: Api, cluster: int) -> None:
    state = api.get(f"clusters/{cluster}/")
    assert "deployment" in state["actors"]
    assert state["counts"]["pods"] == state["counts"]["bound"] == 2
    assert state["can_undo"]["what"] == "start all controllers"
    api.post(f"clusters/{cluster}/undo/", {})
    command_runner.apply_commands(cluster)
    assert api.get(f"clusters/{cluster}/")["actors"] == []


def test_what_they_do_is_in_the_history(api: Api, cluster: int) -> None:
    records = api.get(f"clusters/{cluster}/records/", after=0, limit=500)["records"]
    told = [record["reason"]["text"] for record in records if record["kind"] == "reconcile" and "reason" in record]
    assert any("is ready" in reason for reason in told)


def test_a_branch_has_those_of_its_moment(api: Api, cluster: int) -> None:
    before = api.post(f"clusters/{cluster}/branches/", {"at": {"seq": 1}})
    after = api.post(f"clusters/{cluster}/branches/", {"at": "now"})
    assert before["actors"] == []
    assert after["actors"] == api.get(f"clusters/{cluster}/")["actors"]
    api.command(after["id"], kind="delete", objects=[{"kind": "Node", "name": "a"}])
    api.command(after["id"], kind="run", until={"seconds": 60})
    assert api.get(f"clusters/{after['id']}/")["counts"]["bound"] == 2


def test_a_live_cluster_goes_on_after_every_change(api: Api, cluster: int) -> None:
    assert api.post(f"clusters/{cluster}/pace/", {"live": True})["live"]
    command_runner.apply_commands(cluster)
    more = workload("Deployment", "web", replicas=3)
    assert api.command(cluster, kind="update", objects=[more])["state"] == "done"
    state = api.get(f"clusters/{cluster}/")
    assert (state["counts"]["bound"], state["can_undo"]["what"]) == (3, "update Deployment default/web")
    # What the change made the scheduler and the controllers do goes with it.
    api.post(f"clusters/{cluster}/undo/", {})
    command_runner.apply_commands(cluster)
    assert api.get(f"clusters/{cluster}/")["counts"]["bound"] == 2
    assert not api.post(f"clusters/{cluster}/pace/", {"live": False})["live"]
    before = Command.objects.filter(cluster_id=cluster).count()
    api.command(cluster, kind="update", objects=[more])
    assert Command.objects.filter(cluster_id=cluster).count() == before + 1


def test_virtual_time_can_go_by_the_clock_on_the_wall(api: Api, cluster: int) -> None:
    pods = api.get(f"clusters/{cluster}/export/cluster/", format="json")["items"]
    name = next(obj["metadata"]["name"] for obj in pods if obj["kind"] == "Pod")
    assert api.post(f"clusters/{cluster}/pace/", {"seconds_per_second": 10})["speed"] == 10
    commands.submit(cluster, {"kind": "evict", "pod": f"default/{name}"})
    commands.submit(cluster, {"kind": "run", "until": "idle"})
    began = time.monotonic()
    command_runner.apply_commands(cluster)
    # A second until it has stopped, two until the other one has started.
    assert 0.15 <= time.monotonic() - began < 10


def test_time_that_goes_in_no_way_is_refused(api: Api, cluster: int) -> None:
    for name, value in (("seconds_per_second", -1), ("seconds_per_second", 1e9), ("live", "often")):
        problems = api.post(f"clusters/{cluster}/pace/", {name: value}, status=400)["problems"]
        assert [problem["path"] for problem in problems] == [name]
