"""A cluster that is deleted is gone for everybody, comes back as it was for a while, and then goes for good."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from playground import limits
from playground.clusters import deletion
from playground.engine import command_runner
from playground.models import Classroom, Cluster, Record
from tests.web import Api, node, pod


@pytest.fixture
def cluster(api: Api) -> int:
    made = api.cluster([node("a"), pod("web")])
    api.command(made, kind="run", until="idle")
    return made


def restore(api: Api, cluster: int, status: int = 200) -> Any:
    return api.post(f"clusters/{cluster}/restore/", None, status)


def test_it_comes_back_as_it_was(api: Api, cluster: int) -> None:
    before = api.get(f"clusters/{cluster}/")
    records = api.get(f"clusters/{cluster}/records/", after=0)
    api.delete(f"clusters/{cluster}/")
    for path in ("", "records/?after=0", "nodes/", "queue/"):
        api.get(f"clusters/{cluster}/{path}", 404)
    api.post(f"clusters/{cluster}/commands/", {"kind": "schedule_one"}, 404)
    assert api.get("clusters/") == []
    assert restore(api, cluster) == before
    assert api.get(f"clusters/{cluster}/records/", after=0) == records
    # It goes on from there.
    assert api.command(cluster, kind="create", objects=[pod("next")])["state"] == "done"
    restore(api, cluster, 404)


def test_what_was_queued_waits_until_it_is_back(api: Api, cluster: int) -> None:
    api.post(f"clusters/{cluster}/commands/", {"kind": "cordon", "node": "a"})
    api.delete(f"clusters/{cluster}/")
    command_runner.apply_commands(cluster)
    assert Cluster.everything.get(pk=cluster).applied == 2
    restore(api, cluster)
    command_runner.apply_commands(cluster)
    assert api.get(f"clusters/{cluster}/nodes/")["unschedulable"] == [True]


def test_after_a_while_it_goes_for_good(api: Api, cluster: int) -> None:
    api.delete(f"clusters/{cluster}/")
    assert deletion.purge_deleted() == 0
    long_ago = timezone.now() - timedelta(seconds=limits.DELETED_SECONDS + 1)
    Cluster.everything.filter(pk=cluster).update(deleted=long_ago)
    assert deletion.purge_deleted() == 1
    assert not Record.objects.filter(cluster_id=cluster).exists()
    restore(api, cluster, 404)


def test_only_the_newest_few_are_kept_and_none_counts(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CLUSTERS_PER_USER", 1)
    made = []
    for _ in range(limits.DELETED_PER_USER + 1):
        made.append(api.post("clusters/", {"name": "one"})["id"])
        api.delete(f"clusters/{made[-1]}/")
    restore(api, made[0], 404)
    restore(api, made[1])
    # There is no room for two.
    restore(api, made[2], 409)


def test_a_branch_needs_its_original(api: Api, cluster: int) -> None:
    branch = api.post(f"clusters/{cluster}/branches/", {"at": "now"})["id"]
    api.delete(f"clusters/{cluster}/", 409)
    api.delete(f"clusters/{branch}/")
    api.delete(f"clusters/{cluster}/")
    assert "is deleted" in restore(api, branch, 409)["problems"][0]["rule"]
    restore(api, cluster)
    assert restore(api, branch)["branch"]["parent"] == cluster
    # Both are due: the branch goes first.
    api.delete(f"clusters/{branch}/")
    api.delete(f"clusters/{cluster}/")
    Cluster.everything.update(deleted=timezone.now() - timedelta(seconds=limits.DELETED_SECONDS + 1))
    assert deletion.purge_deleted() == 2


def test_a_class_with_it_ends(api: Api, cluster: int) -> None:
    api.post("classes/", {"cluster": cluster})
    api.delete(f"clusters/{cluster}/")
    assert Classroom.objects.get().ended is not None


def test_nobody_elses(make_user: Callable[[str], Any]) -> None:
    ada, ben = Api(make_user("ada")), Api(make_user("ben"))
    made = ada.post("clusters/", {"name": "hers"})["id"]
    ada.delete(f"clusters/{made}/")
    restore(ben, made, 404)
    assert restore(ada, made)["name"] == "hers"


def test_a_name_that_is_taken_gets_a_number(api: Api) -> None:
    names = [api.post("clusters/", {"name": "mine"})["name"] for _ in range(3)]
    assert names == ["mine", "mine 2", "mine 3"]
    longest = "n" * 100
    assert api.post("clusters/", {"name": longest})["name"] == longest
    second = api.post("clusters/", {"name": longest})["name"]
    assert second.endswith(" 2") and len(second) <= 100
    # What is deleted takes no name.
    number = next(one["id"] for one in api.get("clusters/") if one["name"] == "mine 2")
    api.delete(f"clusters/{number}/")
    assert api.post("clusters/", {"name": "mine"})["name"] == "mine 2"
