"""Comparisons through the API: what may be asked, what comes of it, and who may see it."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from playground import limits
from playground.comparisons import run_attempt, run_worker
from playground.engine import command_runner
from playground.models import Cluster
from playground.models.comparisons import UNFINISHED, ComparisonRun
from tests.web import Api, node, pod

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
PACKING = (
    f"{HEAD}profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n"
    "        type: MostAllocated\n"
)
SPREAD_AND_PACK = [{"config": "default", "label": "spread"}, {"config": {"yaml": PACKING}, "label": "pack"}]


def work() -> None:
    """Do all the runs that wait, as workers would."""
    while run_worker.do_next_run():
        pass


def compare(api: Api, cluster: int, **wanted: Any) -> Any:
    """A comparison that is over."""
    made = api.post(f"clusters/{cluster}/comparisons/", {"sides": SPREAD_AND_PACK, **wanted})
    work()
    return api.get(f"clusters/{cluster}/comparisons/{made['id']}/")


def test_two_profiles_over_the_same_pods(api: Api, small: Cluster) -> None:
    made = api.post(f"clusters/{small.pk}/comparisons/", {"sides": SPREAD_AND_PACK, "seeds": [1, 2]})
    assert (made["state"], made["progress"], len(made["runs"])) == ("queued", 0, 4)
    work()
    found = api.get(f"clusters/{small.pk}/comparisons/{made['id']}/")
    assert (found["state"], found["progress"]) == ("done", 1)
    for run in found["runs"]:
        figures = run["metrics"]
        assert (figures["pods"], figures["placed"], figures["pending"]) == (8, 7, 1)
        assert figures["pending_by_reason"] == {"Insufficient cpu": 1}
        assert (run["cycles"], run["total"], run["lease"]) == (8, 8, None)
        assert run["decisions_per_second"] > 0
    spread, pack = found["runs"][0]["metrics"], found["runs"][2]["metrics"]
    assert (spread["nodes_used"], pack["nodes_used"]) == (3, 1)
    assert pack["utilisation"]["cpu"]["spread"] > spread["utilisation"]["cpu"]["spread"]
    for figures in (spread, pack):
        assert figures["utilisation"]["cpu"]["mean"] == pytest.approx(3.5 / 12, abs=1e-6)
    assert sum(spread["utilisation"]["cpu"]["histogram"]) == 3
    assert (spread["zones"]["skew"], pack["zones"]["skew"]) == (1, 7)
    # The cluster itself is as it was.
    assert api.get(f"clusters/{small.pk}/")["revision"] == 1


def test_where_they_part(api: Api, small: Cluster) -> None:
    path = f"clusters/{small.pk}/comparisons/{compare(api, small.pk)['id']}/"
    found = api.get(f"{path}difference/", a=0, b=1)
    divergence = found["divergence"]
    a, b = divergence["a"], divergence["b"]
    assert (a["cycle"], b["cycle"]) == (divergence["index"] + 1, divergence["index"] + 1)
    assert a["pod"] == b["pod"] and a["node"] != b["node"]
    assert found["moved_total"] == len(found["moved"]) > 0
    assert all(each["a"] != each["b"] for each in found["moved"])
    assert api.get(f"{path}difference/", a=1, b=1)["divergence"] is None
    rows = list(csv.reader(io.StringIO(api.client.get(f"/api/v1/{path}export/", {"what": "moved"}).content.decode())))
    assert rows[0] == ["pod", "spread", "pack"]
    assert rows[1:] == [[each["pod"], each["a"] or "", each["b"] or ""] for each in found["moved"]]
    api.get(f"{path}difference/", 409, a=0, b=7)
    api.get(f"{path}difference/", 409, seed=99)


def test_the_result_is_that_of_a_cluster_that_really_runs_it(api: Api, small: Cluster) -> None:
    path = f"clusters/{small.pk}/comparisons/{compare(api, small.pk, seeds=[3])['id']}/"
    moved = {each["pod"]: each["b"] for each in api.get(f"{path}difference/")["moved"]}
    api.command(small.pk, kind="set_config", yaml=PACKING)
    api.command(small.pk, kind="seed", seed=3)
    api.command(small.pk, kind="run", until="idle")
    assert moved
    for pod_key, node_name in moved.items():
        assert api.get(f"clusters/{small.pk}/pods/{pod_key}/")["node"] == node_name


def test_figures_as_files(api: Api, small: Cluster) -> None:
    path = f"/api/v1/clusters/{small.pk}/comparisons/{compare(api, small.pk)['id']}/export/"
    answer = api.client.get(path)
    assert answer.headers["Content-Type"].startswith("text/csv")
    rows = {(row["label"], row["metric"]): row["value"] for row in csv.DictReader(io.StringIO(answer.content.decode()))}
    assert rows["spread", "placed"] == "7"
    assert rows["pack", "zones.skew"] == "7"
    assert float(rows["pack", "utilisation.cpu.mean"]) == pytest.approx(3.5 / 12, abs=1e-6)
    assert json.loads(api.client.get(path, {"format": "json"}).content)["state"] == "done"


def test_a_label_is_no_formula(api: Api, small: Cluster) -> None:
    sides = [{"config": "default", "label": "=HYPERLINK(1)"}]
    path = f"/api/v1/clusters/{small.pk}/comparisons/{compare(api, small.pk, sides=sides)['id']}/export/"
    assert ",'=HYPERLINK(1)," in api.client.get(path).content.decode()


@pytest.mark.parametrize(
    ("at", "pods", "first_cycle"), [("now", 5, 4), ("start", 8, 4), ({"cycle": 2}, 6, 3), ({"cycle": 0}, 8, 1)]
)
def test_from_any_moment(api: Api, small: Cluster, at: Any, pods: int, first_cycle: int) -> None:
    api.command(small.pk, kind="run", until={"cycles": 3})
    found = compare(api, small.pk, at=at)
    assert [run["metrics"]["pods"] for run in found["runs"]] == [pods, pods]
    divergence = api.get(f"clusters/{small.pk}/comparisons/{found['id']}/difference/")["divergence"]
    assert divergence["a"]["cycle"] == first_cycle + divergence["index"]


def test_versions_and_other_clusters(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="set_config", yaml=PACKING)
    copy = api.cluster([node("alone"), pod("a"), pod("b")])
    sides = [{"config": {"version": 1}}, {"config": "current"}, {"cluster": copy}]
    found = compare(api, small.pk, sides=sides)
    assert [side["label"] for side in found["sides"]] == ["version 1", "current", "test"]
    assert [run["metrics"]["nodes_used"] for run in found["runs"]] == [3, 1, 1]
    assert found["runs"][2]["metrics"]["zones"] is None


def test_preemption_counts(api: Api) -> None:
    cluster = api.cluster([node("n", cpu="1"), pod("low", cpu="800m")])
    api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="create", objects=[pod("high", cpu="800m", priority=1000)])
    (run,) = compare(api, cluster, sides=[{"config": "current"}])["runs"]
    figures = run["metrics"]
    assert (figures["preemptions"], figures["victims"], figures["placed"]) == (1, 1, 1)
    assert figures["attempts"] == 2


REFUSED = [
    # name                  body                                                              path
    ("no sides", {"sides": []}, "sides"),
    ("too many sides", {"sides": [{"config": "default"}] * 9}, "sides"),
    ("too many seeds", {"sides": SPREAD_AND_PACK, "seeds": list(range(17))}, "seeds"),
    ("a seed twice", {"sides": SPREAD_AND_PACK, "seeds": [1, 1]}, "seeds"),
    ("no such source", {"sides": [{"config": "best"}]}, "sides[0].config"),
    ("no such version", {"sides": [{"config": {"version": 9}}]}, "sides[0].config.version"),
    ("bad yaml", {"sides": [{"config": {"yaml": f"{HEAD}parallelism: -1\n"}}]}, "sides[0].config: parallelism"),
    ("no such moment", {"sides": SPREAD_AND_PACK, "at": {"cycle": 99}}, "at.cycle"),
    ("another moment", {"sides": SPREAD_AND_PACK, "at": "yesterday"}, "at"),
    ("no such cluster", {"sides": [{"cluster": 999999}]}, "sides[0].cluster"),
    ("a field too many", {"sides": SPREAD_AND_PACK, "speed": 1}, "speed"),
]


@pytest.mark.parametrize(("name", "body", "path"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused(api: Api, small: Cluster, name: str, body: Any, path: str) -> None:
    problems = api.post(f"clusters/{small.pk}/comparisons/", body, status=400)["problems"]
    assert problems[0]["path"] == path
    assert not ComparisonRun.objects.exists()


def test_other_peoples_clusters_are_no_sides(make_user: Callable[[str], Any]) -> None:
    owner, other = Api(make_user("owner")), Api(make_user("other"))
    theirs, mine = owner.cluster([node("n")]), other.cluster([node("n")])
    answer = other.post(f"clusters/{mine}/comparisons/", {"sides": [{"cluster": theirs}]}, status=400)
    nothing = other.post(f"clusters/{mine}/comparisons/", {"sides": [{"cluster": 10**6}]}, status=400)
    assert answer["problems"][0]["rule"] == nothing["problems"][0]["rule"]
    made = owner.post(f"clusters/{theirs}/comparisons/", {"sides": SPREAD_AND_PACK})
    # Nor does its number lead anywhere below another cluster.
    other.get(f"clusters/{mine}/comparisons/{made['id']}/", 404)


def test_cancelled(api: Api, small: Cluster) -> None:
    made = api.post(f"clusters/{small.pk}/comparisons/", {"sides": SPREAD_AND_PACK, "seeds": [1, 2]})
    run_worker.do_next_run()
    path = f"clusters/{small.pk}/comparisons/{made['id']}/"
    cancelled = api.post(f"{path}cancel/")
    assert cancelled["state"] == "cancelled"
    assert sorted(run["state"] for run in cancelled["runs"]) == ["cancelled", "cancelled", "cancelled", "done"]
    assert not run_worker.do_next_run()
    assert api.post(f"{path}cancel/")["state"] == "cancelled"


def test_deleted_gives_its_room_back(api: Api, small: Cluster) -> None:
    before = Cluster.objects.get(pk=small.pk).stored_bytes
    found = compare(api, small.pk)
    assert Cluster.objects.get(pk=small.pk).stored_bytes > before
    assert [each["id"] for each in api.get(f"clusters/{small.pk}/comparisons/")] == [found["id"]]
    api.delete(f"clusters/{small.pk}/comparisons/{found['id']}/")
    assert Cluster.objects.get(pk=small.pk).stored_bytes == before
    api.get(f"clusters/{small.pk}/comparisons/{found['id']}/", 404)


def test_no_more_than_so_many(api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COMPARISON_RUNS_WAITING", 3)
    path = f"clusters/{small.pk}/comparisons/"
    api.post(path, {"sides": SPREAD_AND_PACK})
    api.post(path, {"sides": SPREAD_AND_PACK}, status=429)
    work()
    monkeypatch.setattr(limits, "COMPARISONS_PER_CLUSTER", 2)
    api.post(path, {"sides": SPREAD_AND_PACK})
    work()
    api.post(path, {"sides": SPREAD_AND_PACK}, status=409)


def test_a_cluster_that_is_deleted_takes_its_comparisons_along(api: Api, small: Cluster) -> None:
    api.post(f"clusters/{small.pk}/comparisons/", {"sides": SPREAD_AND_PACK})
    api.delete(f"clusters/{small.pk}/")
    assert not run_worker.do_next_run()
    assert not ComparisonRun.objects.filter(state__in=UNFINISHED).exists()


def test_a_profile_that_the_engine_cannot_run_is_a_failed_run(
    api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("by mistake")

    monkeypatch.setattr("simulator.comparison.run.measure", broken)
    found = compare(api, small.pk)
    assert found["state"] == "failed"
    assert "ZeroDivisionError: by mistake" in found["runs"][0]["problems"][0]["rule"]


def test_whoever_waits_for_a_cluster_comes_first(api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_attempt, "LOOK_EVERY", 0.0)
    api.post(f"clusters/{small.pk}/comparisons/", {"sides": SPREAD_AND_PACK})
    other = api.cluster([node("n"), pod("p")])
    number = api.post(f"clusters/{other}/commands/", {"kind": "run", "until": "idle"})["number"]
    run_worker.do_next_run()
    assert api.get(f"clusters/{other}/commands/{number}/")["state"] == "done"


@pytest.mark.parametrize("at", ["now", "start", {"cycle": 2}])
def test_a_moment_of_a_run_can_be_opened(api: Api, small: Cluster, at: Any) -> None:
    api.command(small.pk, kind="run", until={"cycles": 3})
    found = compare(api, small.pk, at=at, seeds=[5])
    path = f"clusters/{small.pk}/comparisons/{found['id']}/"
    parted = api.get(f"{path}difference/")["divergence"]
    for side, name in enumerate("ab"):
        wish = {"side": side, "seed": 5, "attempts": parted["index"] + 1}
        opened = api.post(f"{path}open/", wish)["id"]
        command_runner.apply_commands(opened)
        state = api.get(f"clusters/{opened}/")
        assert state["cycle"] == parted[name]["cycle"]
        cycle = api.get(f"clusters/{opened}/cycles/{state['cycle']}/")["cycle"]
        assert (cycle["pod"], cycle["node"]) == (parted[name]["pod"], parted[name]["node"])
    api.post(f"{path}open/", {"side": 7, "seed": 5, "attempts": 1}, status=400)
