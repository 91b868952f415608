"""What is in the cluster, now and then."""

from typing import Any

import pytest

from playground.limits import NODES_NAMED
from playground.models import Cluster
from playground.objects import node_changes, node_reads
from playground.objects.queue_reads import MEMBERS
from tests.core.cycle.test_group import gang
from tests.core.cycle.test_group import pod as gang_pod
from tests.web import Api, node, pod


def test_nodes_as_columns(api: Api) -> None:
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    odd = node("node-10", cpu="2500m", unschedulable=True, taints=[taint, {"key": "x", "effect": "NoExecute"}])
    odd["status"]["allocatable"]["example.com/gpu"] = "4"
    bound = pod("here", cpu="250m", memory="1Gi", nodeName="node-9")
    cluster = api.cluster([odd, node("node-9", zone="z1"), bound])
    assert api.get(f"clusters/{cluster}/nodes/") == {
        "revision": 1,
        "names": ["node-9", "node-10"],
        "labels": {"zone": ["z1", ""], "topology.kubernetes.io/zone": ["z1", ""]},
        "resources": ["cpu", "memory", "example.com/gpu", "pods"],
        "allocatable": {
            "cpu": [4000, 2500],
            "memory": [8 * 2**30, 8 * 2**30],
            "example.com/gpu": [0, 4],
            "pods": [110, 110],
        },
        "requested": {"cpu": [250, 0], "memory": [2**30, 0], "example.com/gpu": [0, 0], "pods": [1, 0]},
        "pods": [1, 0],
        "unschedulable": [False, True],
        "taints": [[], ["gpu=yes:NoSchedule", "x:NoExecute"]],
    }


def test_the_json_of_nodes_is_read_once_for_all_moments_that_have_them(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = api.cluster([node("read-once"), node("read-once-too"), pod("a", cpu="1"), pod("b", cpu="2")])
    api.command(cluster, kind="run", until="idle")
    read: list[int] = []
    as_before = node_reads._read

    def counted(rows: Any) -> Any:
        read.append(len(rows))
        return as_before(rows)

    monkeypatch.setattr(node_reads, "_read", counted)
    url = f"clusters/{cluster}/nodes/"
    seen = [api.get(url), api.get(url, cycle=1), api.get(url, cycle=2)]
    assert read == [2]
    assert [sum(one["requested"]["cpu"]) for one in seen] == [3000, 0, 1000]
    api.command(cluster, kind="update", objects=[node("read-once", unschedulable=True)])
    assert [api.get(url)["unschedulable"] for _ in range(2)] == [[True, False]] * 2
    assert read == [2, 2]
    assert api.get(url, cycle=2)["unschedulable"] == [False, False]


def test_a_node_and_its_pods(api: Api) -> None:
    cluster = api.cluster([node("n"), pod("a", cpu="1", priority=5), pod("b", cpu="2", priority=9)])
    api.command(cluster, kind="run", until="idle")
    found = api.get(f"clusters/{cluster}/nodes/n/")
    assert found["manifest"]["metadata"]["name"] == "n"
    assert [(each["pod"], each["priority"], each["requests"]["cpu"]) for each in found["pods"]] == [
        ("default/b", 9, 2000),
        ("default/a", 5, 1000),
    ]
    api.get(f"clusters/{cluster}/nodes/nope/", 404)


@pytest.mark.parametrize("named", [NODES_NAMED, 1], ids=["by name", "among all pods"])
def test_what_changed_on_the_nodes_leads_from_one_moment_to_another(
    api: Api, monkeypatch: pytest.MonkeyPatch, named: int
) -> None:
    monkeypatch.setattr(node_changes, "NODES_NAMED", named)
    cluster = api.cluster([node(f"n{i}") for i in range(6)] + [pod(f"p{i}", cpu=f"{i + 1}") for i in range(4)])
    moments = [api.get(f"clusters/{cluster}/nodes/")]
    for _ in range(4):
        api.command(cluster, kind="schedule_one")
        moments.append(api.get(f"clusters/{cluster}/nodes/"))
    moments += [api.get(f"clusters/{cluster}/nodes/", cycle=number) for number in (1, 2, 3, 4)]
    for known in moments:
        for wanted in (moments[4], *moments[5:]):
            cycle = {"cycle": wanted["cycle"]} if "cycle" in wanted else {}
            seen = known["revision"] - ("cycle" in known)
            change = api.get(f"clusters/{cluster}/node-changes/", since=seen, **cycle)
            assert not change["whole"]
            found = {"pods": list(known["pods"]), "cpu": list(known["requested"]["cpu"])}
            for name, pods, cpu in zip(
                change["names"], change["pods"], change["requested"].get("cpu", []), strict=False
            ):
                row = known["names"].index(name)
                found["pods"][row], found["cpu"][row] = pods, cpu
            for name in set(change["names"][len(change["requested"].get("cpu", [])) :]):
                found["pods"][known["names"].index(name)] = found["cpu"][known["names"].index(name)] = 0
            assert found == {"pods": wanted["pods"], "cpu": wanted["requested"]["cpu"]}
    assert len(api.get(f"clusters/{cluster}/node-changes/", since=moments[3]["revision"])["names"]) == 1
    api.command(cluster, kind="create", objects=[node("n9")])
    assert api.get(f"clusters/{cluster}/node-changes/", since=moments[4]["revision"])["whole"]
    api.get(f"clusters/{cluster}/node-changes/", 400)


def test_the_pods_of_the_nodes_that_are_named(api: Api) -> None:
    cluster = api.cluster([node("n"), node("empty"), node("other"), pod("here", nodeName="other"), pod("web", cpu="3")])
    api.command(cluster, kind="run", until="idle")
    (web,) = {"n", "empty", "other"} & set(api.get(f"clusters/{cluster}/cycles/")["node"])
    assert api.get(f"clusters/{cluster}/pods/", nodes=web)["pods"][web][-1] == "default/web"
    before = api.get(f"clusters/{cluster}/pods/", nodes="n,empty,other,nope", cycle=1)
    assert before == {"revision": before["revision"], "cycle": 1, "pods": {"other": ["default/here"]}, "owners": {}}
    for wrong in ({}, {"nodes": ",".join(["n"] * 201)}, {"nodes": "n", "cycle": "x"}):
        assert api.get(f"clusters/{cluster}/pods/", 400, **wrong)["problems"]
    api.get(f"clusters/{cluster}/pods/", 404, nodes="n", cycle=9)


def test_queue_in_queue_sort_order(api: Api) -> None:
    pods = [
        pod("low"),
        pod("high", priority=100),
        pod("gated", schedulingGates=[{"name": "example.com/wait"}]),
        pod("later"),
    ]
    cluster = api.cluster([node("n"), *pods])
    queue = api.get(f"clusters/{cluster}/queue/")
    assert queue["counts"] == {"active": 3, "gated": 1}
    assert [entry["pod"] for entry in queue["lanes"]["active"]] == ["default/high", "default/low", "default/later"]
    (gated,) = queue["lanes"]["gated"]
    assert (gated["pod"], gated["plugins"], gated["gate"]) == ("default/gated", ["SchedulingGates"], "SchedulingGates")
    # The engine pops in the very order that is shown.
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/cycles/")["pod"] == ["default/high", "default/low", "default/later"]


def test_a_queue_without_priorities_shows_who_came_first(api: Api) -> None:
    pods = [pod("low"), pod("high", priority=100)]
    cluster = api.cluster([node("n"), *pods], emulates="v1.10-preset")
    want = ["default/low", "default/high"]
    assert [entry["pod"] for entry in api.get(f"clusters/{cluster}/queue/")["lanes"]["active"]] == want
    assert [entry["pod"] for entry in api.get(f"clusters/{cluster}/queue/", lane="active")["lanes"]["active"]] == want
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/cycles/")["pod"] == want


def in_gang(api: Api, gates: str, members: int = 12) -> int:
    """A gang that finds no room, a pod that does not belong to it and came last, and two that are bound."""
    wanted = {"name": "x", "emulates": "v1.36.3", "featureGates": gates}
    number: int = api.post("clusters/", wanted, status=201)["id"]
    waiting = [gang_pod(f"large-{i:02}", "large", cpu="3") for i in range(members)]
    placed = [gang_pod(f"fits-{i}", "fits", cpu="1") for i in range(2)]
    alone = gang_pod("alone", cpu="9")
    groups = [gang("large", members), gang("fits", 2)]
    api.command(number, kind="create", objects=[node("n"), *groups, *placed, *waiting, alone])
    api.command(number, kind="run", until="idle")
    return number


def test_a_gang_is_one_entry_of_its_lane(api: Api) -> None:
    number = in_gang(api, "GangScheduling=true,GenericWorkload=true")
    queue = api.get(f"clusters/{number}/queue/")
    assert queue["counts"] == {"backoff": 12, "bound": 2, "unschedulable": 1}
    assert queue["groups"] == {"default/large": {"counts": {"backoff": 12}, "least": 12}}
    assert {each["group"] for each in queue["lanes"]["backoff"]} == {"default/large"}
    page = api.get(f"clusters/{number}/queue/?lane=backoff&group=default/large&offset=10")
    assert page["counts"] == {"backoff": 12}
    assert len(page["lanes"]["backoff"]) == 2
    # As many as are told of a group at first; the pod that came behind them is not lost by that.
    begun = api.get(f"clusters/{number}/queue/?cycle=1&within=true")
    assert [each.get("group") for each in begun["lanes"]["active"]].count("default/large") == MEMBERS
    assert begun["lanes"]["active"][-1]["pod"] == "default/alone"
    assert begun["groups"]["default/fits"] == {"counts": {"active": 1, "inFlight": 1}, "least": 2}
    alone = api.get(f"clusters/{number}/queue/?group=default/large")
    assert (alone["counts"], list(alone["lanes"])) == ({"backoff": 12}, ["backoff"])


def test_a_gang_says_why_it_waits(api: Api, questions: None) -> None:
    number = in_gang(api, "GangScheduling=true,GenericWorkload=true", members=2)
    (waits,) = api.get(f"clusters/{number}/groups/default/large/")["waits"]
    assert waits["args"]["placed"] == 0 and waits["args"]["pods"] == "large-00, large-01"
    assert waits["text"].startswith("2 pods more of the gang default/large need room")
    assert api.get(f"clusters/{number}/groups/default/fits/") == {"group": "default/fits", "waits": []}
    (problem,) = api.get(f"clusters/{number}/groups/default/nobody/", status=404)["problems"]
    assert (problem["path"], problem["value"]) == ("group", "default/nobody")


def test_without_the_gates_a_pod_group_is_none(api: Api) -> None:
    queue = api.get(f"clusters/{in_gang(api, '')}/queue/")
    assert "groups" not in queue
    assert not [each for entries in queue["lanes"].values() for each in entries if "group" in each]


def test_queue_is_cut_at_the_limit(api: Api, small: Cluster) -> None:
    queue = api.get(f"clusters/{small.pk}/queue/", limit=2)
    assert (queue["counts"], len(queue["lanes"]["active"])) == ({"active": 8}, 2)
    api.get(f"clusters/{small.pk}/queue/", 400, limit=0)


def test_a_pod_and_its_past(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    bound = api.get(f"clusters/{small.pk}/pods/default/web-0/")
    assert (bound["lane"], bound["requests"]) == ("bound", {"cpu": 500, "memory": 512 * 2**20})
    assert bound["node"] == bound["manifest"]["spec"]["nodeName"] == bound["cycles"][0]["node"]
    assert [event["reason"] for event in bound["events"]] == ["Scheduled"]
    large = api.get(f"clusters/{small.pk}/pods/default/large/")
    assert (large["lane"], large["node"]) == ("unschedulable", None)
    assert [(each["number"], each["attempt"], each["outcome"]) for each in large["cycles"]] == [(8, 1, "unschedulable")]
    assert large["events"][0]["message"] == large["cycles"][0]["message"]
    api.get(f"clusters/{small.pk}/pods/default/nobody/", 404)


def test_a_deleted_pod_keeps_its_past(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    api.command(small.pk, kind="delete", objects=[{"kind": "Pod", "namespace": "default", "name": "web-0"}])
    gone = api.get(f"clusters/{small.pk}/pods/default/web-0/")
    assert (gone["manifest"], gone["lane"], len(gone["cycles"])) == (None, "gone", 1)
    assert sum(api.get(f"clusters/{small.pk}/nodes/")["pods"]) == 6


PAGES = [
    # query                                  total  first keys
    ({}, 11, ["node-0", "node-1", "node-2", "default/large"]),
    ({"kind": "Node"}, 3, ["node-0", "node-1", "node-2"]),
    ({"search": "EB-3"}, 1, ["default/web-3"]),
    ({"kind": "Pod", "offset": 7}, 8, ["default/web-6"]),
    ({"search": "%"}, 0, []),
    ({"kind": "Service"}, 0, []),
]


@pytest.mark.parametrize(("query", "total", "keys"), PAGES)
def test_objects(api: Api, small: Cluster, query: dict[str, Any], total: int, keys: list[str]) -> None:
    page = api.get(f"clusters/{small.pk}/objects/", **query)
    assert page["total"] == total
    assert [found["key"] for found in page["objects"]][: len(keys)] == keys


def test_objects_by_kind_and_key(api: Api, small: Cluster) -> None:
    assert api.get(f"clusters/{small.pk}/objects/Node/node-0/")["kind"] == "Node"
    assert api.get(f"clusters/{small.pk}/objects/Pod/default/web-0/")["metadata"]["name"] == "web-0"
    assert api.get(f"clusters/{small.pk}/objects/Pod/default%2Fweb-0/")["metadata"]["name"] == "web-0"
    for path in ("Pod/web-0/", "Pod/other/web-0/", "Service/node-0/", "Pod/a/b/c/"):
        api.get(f"clusters/{small.pk}/objects/{path}", 404)


def test_past_moments_are_what_was_seen_then(api: Api, small: Cluster) -> None:
    """Step by step, then back: a moment looks the same from later on."""
    url, seen = f"clusters/{small.pk}", []
    commands: list[dict[str, Any]] = [{"kind": "schedule_one"}] * 4
    commands += [{"kind": "create", "objects": [node("node-3"), pod("late", priority=50)]}]
    commands += [{"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "web-1"}]}]
    commands += [{"kind": "update", "objects": [node("node-2", unschedulable=True)]}]
    commands += [{"kind": "schedule_one"}] * 3 + [{"kind": "reset"}] + [{"kind": "schedule_one"}] * 2
    for command in commands:
        nodes = api.get(f"{url}/nodes/")
        assert api.command(small.pk, **command)["state"] == "done"
        if command["kind"] == "schedule_one":
            seen.append((api.get(f"{url}/")["cycle"], nodes, api.get(f"{url}/queue/")))
    assert [cycle for cycle, _, _ in seen] == list(range(1, 10))
    for cycle, nodes, queue in seen:
        then = api.get(f"{url}/nodes/", cycle=cycle)
        assert then.pop("cycle") == cycle
        assert then | {"revision": nodes["revision"]} == nodes
        then = api.get(f"{url}/queue/", cycle=cycle)
        assert then.pop("cycle") == cycle
        assert then == queue
    api.get(f"{url}/nodes/", 404, cycle=99)
    api.get(f"{url}/queue/", 404, cycle=99)


def test_within_a_cycle_its_pod_is_in_flight(api: Api, small: Cluster) -> None:
    url = f"clusters/{small.pk}/queue/"
    api.command(small.pk, kind="schedule_one")
    before = api.get(url)
    api.command(small.pk, kind="run", until="idle")
    first, *others = before["lanes"]["active"]
    within = api.get(url, cycle=2, within=True)
    assert within["counts"] == before["counts"] | {"active": len(others), "inFlight": 1}
    assert within["lanes"] == {"active": others, "inFlight": [first | {"attempts": 1}]}
    assert api.get(url, cycle=2, within=True, lane="active", limit=3)["lanes"]["active"][0]["pod"] == others[0]["pod"]
    assert api.get(url, cycle=2, within=True, lane="inFlight")["lanes"]["inFlight"] == within["lanes"]["inFlight"]
    assert api.get(url, cycle=2)["counts"]["bound"] == 2
    refused = api.get(url, 400, within=True)
    assert "cycle" in str(refused)
    api.get(url, 404, cycle=99, within=True)


def test_requested_is_the_sum_of_what_is_bound(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    columns = api.get(f"clusters/{small.pk}/nodes/")
    want = dict.fromkeys(columns["names"], 0)
    for i in range(7):
        want[api.get(f"clusters/{small.pk}/objects/Pod/default/web-{i}/")["spec"]["nodeName"]] += 500
    assert dict(zip(columns["names"], columns["requested"]["cpu"], strict=True)) == want


def test_kinds_with_their_fields(api: Api) -> None:
    answer = api.get("kinds/")
    assert answer["Pod"]["apiVersion"] == "v1"
    effect = answer["Pod"]["fields"]["spec"]["fields"]["tolerations"]["fields"]["effect"]
    assert effect == {"type": "text", "values": ["NoExecute", "NoSchedule", "PreferNoSchedule"]}
    assert "spec.tolerations" in answer["Pod"]["updatable"]
    assert "updatable" not in answer["Node"]


def test_a_part_of_a_lane_with_the_moves_that_filled_it(api: Api, small: Cluster) -> None:
    whole = api.get(f"clusters/{small.pk}/queue/")["lanes"]["active"]
    part = api.get(f"clusters/{small.pk}/queue/", lane="active", offset=3, limit=2)
    assert part["counts"] == {"active": 8}
    assert [entry["pod"] for entry in part["lanes"]["active"]] == [entry["pod"] for entry in whole[3:5]]
    moved = {"from": "new", "to": "active", "event": "UnschedulablePodAdd"}
    assert [entry["moved"] for entry in part["lanes"]["active"]] == [moved, moved]
    assert api.get(f"clusters/{small.pk}/queue/", lane="backoff")["lanes"] == {"backoff": []}
    assert api.get(f"clusters/{small.pk}/queue/", lane="active", offset=100)["lanes"] == {"active": []}
    assert api.get(f"clusters/{small.pk}/queue/", 400, lane="nowhere")["problems"][0]["path"] == "lane"
    assert api.get(f"clusters/{small.pk}/queue/", 400, offset=3)["problems"][0]["path"] == "lane"


def test_a_pods_way_through_the_queue(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    api.command(small.pk, kind="create", objects=[node("tiny", cpu="1")])
    api.command(small.pk, kind="create", objects=[node("huge", cpu="128")])
    found = api.get(f"clusters/{small.pk}/pods/default/large/moves/")
    assert found["omitted"] == 0
    told = [(move["from"], move["to"], move["event"], move["plugin"], move["hint"]) for move in found["moves"]]
    assert told[:2] == [("new", "active", "UnschedulablePodAdd", "", ""), ("active", "inFlight", "Pop", "", "")]
    assert told[2][:3] == ("inFlight", "unschedulable", "ScheduleAttemptFailure")
    # The small node cannot help, and the hint says so; the large one can.
    assert told[3] == ("unschedulable", "unschedulable", "NodeAdd", "NodeResourcesFit", "QueueSkip")
    assert told[4][0] == "unschedulable" and told[4][2:] == ("NodeAdd", "NodeResourcesFit", "Queue")
    assert [move["cycle"] for move in found["moves"]] == [None, 8, 8, None, None]
    api.get(f"clusters/{small.pk}/pods/default/nobody/moves/", 404)
