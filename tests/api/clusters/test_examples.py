"""The built-in examples: there at the first start, and telling the stories they promise."""

import pytest
from django.core.management import call_command

from playground.models import Cluster
from tests.web import Api

VERSIONS = ("v1.36.3", "v1.34.1")
STORIES = [
    # slug, bound under v1.36.3 and v1.34.1, of the rest: pod, lane, what its last message says
    (
        "gpu-pool",
        (13, 13),
        [
            ("ml/notebook-lena", "unschedulable", "node(s) had untolerated taint"),
            ("ml/train-large-0", "unschedulable", "2 Insufficient nvidia.com/gpu"),
            ("ml/train-huge-0", "unschedulable", "12 Insufficient nvidia.com/gpu"),
            ("ml/train-nightly-0", "gated", ""),
        ],
    ),
    (
        "three-zones",
        (19, 19),
        [(f"shop/checkout-v2-{i}", "unschedulable", "8 node(s) didn't match pod topology spread") for i in range(5, 9)],
    ),
    (
        "nearly-full",
        (20, 22),
        [
            ("batch/simulation-0", "unschedulable", "12 Insufficient cpu"),
            ("web/payments-0", "bound", ""),
            ("web/audit-0", "bound", ""),
        ],
    ),
]


def test_listed_with_their_stories(api: Api) -> None:
    examples = api.get("examples/")
    assert [example["slug"] for example in examples] == [slug for slug, _, _ in STORIES]
    for example in examples:
        assert example["nodes"] == 12
        assert 10 <= example["pods"] <= 25
        assert len(example["story"]) > 100
        made = api.cluster(example=example["slug"])
        assert api.get(f"clusters/{made}/")["emulates"] == example["emulates"] == "v1.36.3"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("slug", "bound", "rest"), STORIES, ids=[case[0] for case in STORIES])
def test_stories(api: Api, slug: str, bound: tuple[int, int], rest: list[tuple[str, str, str]], version: str) -> None:
    cluster = api.cluster(example=slug, seed=42, emulates=version)
    api.command(cluster, kind="run", until="idle")
    for _ in range(3):
        api.command(cluster, kind="advance_clock", seconds=10)
        api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/")["lanes"]["bound"] == bound[VERSIONS.index(version)]
    for key, lane, says in rest:
        pod = api.get(f"clusters/{cluster}/pods/{key}/")
        assert pod["lane"] == lane
        if says:
            assert says in pod["cycles"][-1]["message"]


def test_an_evicted_report_makes_room(api: Api) -> None:
    cluster = api.cluster(example="nearly-full", seed=42)
    api.command(cluster, kind="run", until={"pod": "web/payments-0"})
    records = api.get(f"clusters/{cluster}/records/")["records"]
    events = [event for record in records for event in record.get("events", [])]
    (preempted,) = [event for event in events if event["reason"] == "Preempted"]
    assert preempted["object"].startswith("batch/report-")


def test_uncordoning_lets_the_rollout_go_on(api: Api) -> None:
    cluster = api.cluster(example="three-zones", seed=42)
    api.command(cluster, kind="run", until="idle")
    node = api.get(f"clusters/{cluster}/objects/Node/worker-b1/")
    del node["spec"]["unschedulable"]
    api.command(cluster, kind="update", objects=[node])
    api.command(cluster, kind="advance_clock", seconds=10)
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/")["lanes"] == {"bound": 23}


def test_loaded_once(api: Api) -> None:
    for _ in range(2):
        call_command("load_examples")
    clusters = api.get("clusters/")
    assert [cluster["example"] for cluster in clusters] == ["gpu-pool", "three-zones", "nearly-full"]
    assert len({cluster["name"] for cluster in clusters}) == 3


def test_deleted_ones_do_not_come_back(api: Api) -> None:
    call_command("load_examples")
    first, *_ = api.get("clusters/")
    api.delete(f"clusters/{first['id']}/")
    call_command("load_examples")
    assert Cluster.objects.count() == 2


def test_none_where_people_log_in(exposed: None) -> None:
    call_command("load_examples")
    assert not Cluster.objects.exists()
