"""Reset through the API: it says before what stays and what goes, and everything that goes back follows the rule."""

from typing import Any

import pytest

from playground.comparisons import run_worker
from tests.web import Api, node, pod


@pytest.fixture
def cluster(api: Api, questions: None) -> int:
    """A node that is cordoned by hand, one that is edited, one that has failed; a pod that is placed."""
    made = api.cluster([node("a"), node("b"), node("c"), pod("web")])
    api.command(made, kind="run", until="idle")
    api.command(made, kind="cordon", node="a")
    api.command(made, kind="update", objects=[node("b", cpu="16")])
    api.command(made, kind="fail_node", node="c")
    return made


def test_the_plan_names_what_stays_and_what_is_undone(api: Api, cluster: int) -> None:
    plan = api.get(f"clusters/{cluster}/reset/")
    keeps, undoes = plan["keeps"], plan["undoes"]
    assert keeps["cordoned"] == {"count": 1, "names": ["a"]}
    assert [one["what"] for one in keeps["changes"]] == ["update Node b", "create 4 objects"]
    assert undoes["nodes"] == {"count": 1, "names": ["c"]}
    assert undoes["placed"]["count"] + undoes["gone"]["count"] == 1
    assert undoes["seconds"] > 0 and undoes["seed"] is None
    # Nothing has changed by asking.
    assert api.get(f"clusters/{cluster}/reset/") == plan


def test_a_change_that_was_taken_back_is_not_listed(api: Api, cluster: int) -> None:
    from playground.engine import command_runner

    for _ in range(2):
        api.post(f"clusters/{cluster}/undo/")
        command_runner.apply_commands(cluster)
    found = api.get(f"clusters/{cluster}/reset/")["keeps"]
    assert [one["what"] for one in found["changes"]] == ["create 4 objects"]


def test_a_reset_keeps_what_was_edited_by_form_and_by_hand(api: Api, cluster: int) -> None:
    assert api.command(cluster, kind="reset")["state"] == "done"
    nodes = api.get(f"clusters/{cluster}/nodes/")
    assert dict(zip(nodes["names"], nodes["unschedulable"], strict=True)) == {"a": True, "b": False, "c": False}
    assert dict(zip(nodes["names"], nodes["allocatable"]["cpu"], strict=True)) == {"a": 4000, "b": 16000, "c": 4000}
    assert nodes["taints"] == [[], [], []] and sum(nodes["pods"]) == 0
    # What undo takes back then is the last change, as before.
    assert api.get(f"clusters/{cluster}/")["can_undo"]["what"] == "fail node c"


def test_a_reset_with_a_key_is_one_reset(api: Api, cluster: int) -> None:
    numbers = {api.post(f"clusters/{cluster}/commands/", {"kind": "reset", "key": "once"})["number"] for _ in range(2)}
    assert len(numbers) == 1


@pytest.mark.parametrize("keeps", ["cordons", ["everything"], [5]])
def test_what_a_reset_keeps_is_one_of_a_list(api: Api, cluster: int, keeps: Any) -> None:
    refused = api.post(f"clusters/{cluster}/commands/", {"kind": "reset", "keeps": keeps}, status=400)
    assert refused["problems"][0]["path"] == "keeps"


def test_a_comparison_from_the_start_follows_the_same_rule(api: Api, cluster: int) -> None:
    made = api.post(
        f"clusters/{cluster}/comparisons/", {"sides": [{"config": "default"}, {"config": "current"}], "at": "start"}
    )
    while run_worker.do_next_run():
        pass
    opened = api.post(f"clusters/{cluster}/comparisons/{made['id']}/open/", {"side": 0, "seed": 0, "attempts": 1})
    from playground.engine import command_runner

    command_runner.apply_commands(opened["id"])
    nodes = api.get(f"clusters/{opened['id']}/nodes/")
    assert nodes["unschedulable"] == [True, False, False] and nodes["allocatable"]["cpu"] == [4000, 16000, 4000]
    # One run asks the edited node or the one that is well again, never the cordoned one.
    assert nodes["pods"][0] == 0 and sum(nodes["pods"]) == 1
