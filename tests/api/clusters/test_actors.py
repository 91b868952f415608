"""Controllers of a cluster through the API: switched on, asked for, taken back, in a branch."""

import pytest

from playground.engine import runner
from tests.core.actors.storms import workload
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
    assert state["can_undo"]["what"] == "switch all controllers on"
    api.post(f"clusters/{cluster}/undo/", {})
    runner.drain(cluster)
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
