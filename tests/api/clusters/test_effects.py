"""After a change: what moved and by which hint, what stays and why; before it: what a cluster would refuse."""

from typing import Any

import pytest

from kube_objects.pod_update import TOLERATIONS
from tests.web import Api, node, pod

GOLD = {"key": "dedicated", "operator": "Equal", "value": "gold", "effect": "NoSchedule"}
TYPO = {**GOLD, "key": "dedicatd"}
TAINT = {"key": "dedicated", "value": "gold", "effect": "NoSchedule"}


@pytest.fixture
def cluster(api: Api) -> int:
    """A pod whose toleration has a typo waits for a tainted node."""
    made = api.cluster([node("a", taints=[TAINT]), pod("web", tolerations=[TYPO])])
    api.command(made, kind="run", until="idle")
    return made


def effect(api: Api, cluster: int, **command: Any) -> Any:
    done = api.command(cluster, **command)
    assert done["state"] == "done", done
    return api.get(f"clusters/{cluster}/commands/{done['number']}/effect/")


def test_a_corrected_toleration_moves_nothing_and_the_answer_says_why(api: Api, cluster: int) -> None:
    found = effect(api, cluster, kind="update", objects=[pod("web", tolerations=[GOLD])])
    assert (found["what"], found["moved"], found["stayed_total"]) == ("update Pod default/web", [], 1)
    (stayed,) = found["stayed"]
    assert (stayed["pod"], stayed["lane"]) == ("default/web", "unschedulable")
    assert "changed in place" in stayed["why"]["text"]
    assert stayed["helps"] == ["activate", "recreate"]
    # Both of what would help does.
    moved = effect(api, cluster, kind="activate", pod="default/web")["moved"]
    assert [(one["from"], one["to"], one["event"]) for one in moved] == [("unschedulable", "active", "ForceActivate")]


def test_created_again_it_is_tried(api: Api, cluster: int) -> None:
    assert effect(api, cluster, kind="recreate", objects=[pod("web", tolerations=[GOLD])])["stayed"] == []
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/pods/default/web/")["node"] == "a"
    # It is a change like others: it can be taken back.
    assert api.get(f"clusters/{cluster}/")["can_undo"]["what"] == "recreate Pod default/web"


def test_an_added_toleration_moves_it_by_the_plugins_hint(api: Api, cluster: int) -> None:
    found = effect(api, cluster, kind="update", as_cluster=True, objects=[pod("web", tolerations=[TYPO, GOLD])])
    (move,) = found["moved"]
    assert (move["pod"], move["to"], move["plugin"], move["hint"]) == (
        "default/web",
        "backoff",
        "TaintToleration",
        "Queue",
    )
    assert found["stayed"] == []


STAYS: list[tuple[str, dict[str, Any], str]] = [
    (
        "a hint that says no",
        {"kind": "update", "objects": [node("a", taints=[{**TAINT, "value": "x"}])]},
        "TaintToleration was asked about",
    ),
    (
        "an event nobody waits for",
        {"kind": "update", "objects": [node("a", cpu="9", taints=[TAINT])]},
        "TaintToleration rejected it, and does not wait for NodeUpdateNodeAllocatable",
    ),
    (
        "nothing of interest",
        {"kind": "update", "objects": [node("a", taints=[TAINT], providerID="x")]},
        "nothing changed that a scheduler looks at",
    ),
]


@pytest.mark.parametrize(("command", "why"), [case[1:] for case in STAYS], ids=[case[0] for case in STAYS])
def test_why_it_stays(api: Api, cluster: int, command: dict[str, Any], why: str) -> None:
    (stayed,) = effect(api, cluster, **command)["stayed"]
    assert why in stayed["why"]["text"] and stayed["helps"] == ["activate"]


def test_a_lifted_taint_moves_it(api: Api, cluster: int) -> None:
    (move,) = effect(api, cluster, kind="update", objects=[node("a")])["moved"]
    assert (move["event"], move["plugin"], move["hint"]) == ("NodeUpdateNodeTaint", "TaintToleration", "Queue")


def test_what_a_drain_leaves_is_told(api: Api) -> None:
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "keep", "namespace": "default"},
        "spec": {"selector": {}},
        "status": {"disruptionsAllowed": 1},
    }
    made = api.cluster([node("a"), pod("db-0", nodeName="a"), pod("db-1", nodeName="a"), budget])
    found = effect(api, made, kind="drain", node="a")
    assert (found["remaining_total"], [one["pod"] for one in found["remaining"]]) == (1, ["default/db-1"])
    assert "PodDisruptionBudget default/keep allows no disruption" in found["remaining"][0]["reason"]


def test_where_nobody_waits_nothing_is_told(api: Api) -> None:
    made = api.cluster([node("a"), node("b")])
    found = effect(api, made, kind="cordon", node="b")
    assert (found["moved"], found["stayed"], found["remaining"]) == ([], [], [])


def test_a_change_that_is_refused_or_unknown_has_no_effect(api: Api, cluster: int) -> None:
    refused = api.command(cluster, kind="update", as_cluster=True, objects=[pod("web", tolerations=[GOLD])])
    assert refused["state"] == "failed" and refused["problems"][0]["rule"] == f"Forbidden: {TOLERATIONS}"
    api.get(f"clusters/{cluster}/commands/{refused['number']}/effect/", 404)
    api.get(f"clusters/{cluster}/commands/999/effect/", 404)


TEXT = """apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec:
  containers: [{name: main, image: other, resources: {requests: {cpu: 500m, memory: 512Mi}}}]
  tolerations:
  - {key: dedicated, operator: Equal, value: gold, effect: NoSchedule}
"""


def test_what_a_cluster_would_refuse_is_told_before_with_its_line(api: Api, cluster: int) -> None:
    (refused,) = api.post(f"clusters/{cluster}/objects/check/", {"text": TEXT})["refused"]
    assert (refused["key"], refused["fields"]) == ("default/web", ["spec.tolerations"])
    (problem,) = refused["problems"]
    assert (problem["path"], problem["rule"], problem["line"]) == ("spec.tolerations", f"Forbidden: {TOLERATIONS}", 6)
    assert api.post(f"clusters/{cluster}/objects/check/", {"text": TEXT.replace("dedicated", "dedicatd")}) == {
        "refused": []
    }
    # The editor does not undo a change that another user made after the text was read.
    sent = {"text": TEXT.replace("500m", "250m").replace("image: other", "image: more")}
    assert len(api.post(f"clusters/{cluster}/objects/check/", sent)["refused"]) == 1
    read = {"read": TEXT.replace("500m", "250m")}
    assert api.post(f"clusters/{cluster}/objects/check/", sent | read) == {"refused": []}
    other = TEXT.replace("name: web", "name: another")
    assert api.post(f"clusters/{cluster}/objects/check/", {"text": other}) == {"refused": []}
    assert api.post(f"clusters/{cluster}/objects/check/", {"text": "{"}, status=400)["problems"]
