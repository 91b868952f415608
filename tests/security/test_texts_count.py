"""Configurations are a user's text like any other: each counts for the cluster's quota, whichever way it comes in."""

import json
from typing import Any

import pytest
from django.test import override_settings

from playground.models import Cluster, Command, SchedulerConfig
from playground.models.comparisons import Comparison
from tests.web import Api

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
# Nothing packs it: every character of it has to be kept.
WIDE = "\N{HANGUL SYLLABLE HAN}"


def text(number: int, length: int) -> str:
    """A configuration of so many bytes, nearly all of them in wide characters."""
    begin = f"{HEAD}# {number} "
    return begin + WIDE * ((length - len(begin)) // 3) + "\n"


LONG, QUOTA = 60_000, 300_000


def stored(cluster: int) -> int:
    return int(Cluster.objects.values_list("stored_bytes", flat=True).get(pk=cluster))


def as_a_command(api: Api, cluster: int, number: int) -> Any:
    body = {"kind": "set_config", "yaml": text(number, LONG)}
    return post(api, f"clusters/{cluster}/commands/", body)


def as_an_import(api: Api, cluster: int, number: int) -> Any:
    return post(api, f"clusters/{cluster}/import/", {"text": text(number, LONG)})


def as_a_comparison(api: Api, cluster: int, number: int) -> Any:
    return post(api, f"clusters/{cluster}/comparisons/", {"sides": [{"config": {"yaml": text(number, LONG)}}]})


def post(api: Api, path: str, body: Any) -> Any:
    return api.client.post(f"/api/v1/{path}", body, "application/json", headers=api.headers)


def kept(cluster: int) -> list[int]:
    return [model.objects.filter(cluster=cluster).count() for model in (Command, Comparison, SchedulerConfig)]


@pytest.mark.parametrize("way", [as_a_command, as_an_import, as_a_comparison])
def test_the_quota_ends_it(api: Api, way: Any) -> None:
    cluster = api.cluster()
    with override_settings(CLUSTER_QUOTA=QUOTA):
        for number in range(QUOTA // LONG + 1):
            taken, rows = stored(cluster), kept(cluster)
            answer = way(api, cluster, number)
            if answer.status_code == 409:
                break
            assert answer.status_code in (200, 201, 202)
            assert stored(cluster) - taken >= LONG
    assert number > 0
    assert answer.status_code == 409
    assert "is used up" in answer.json()["problems"][0]["rule"]
    assert (stored(cluster), kept(cluster)) == (taken, rows)


def test_a_cluster_and_a_scenario_begin_with_one(api: Api) -> None:
    before = stored(api.cluster())
    config = text(1, LONG)
    assert stored(api.cluster(config=config)) - before >= LONG - 3
    scenario = {"apiVersion": "kube-scheduler-playground/v1", "kind": "Scenario", "config": config, "commands": []}
    brought = api.cluster()
    api.post(f"clusters/{brought}/import/", {"text": json.dumps(scenario)})
    assert stored(brought) - before >= LONG - 3


def test_a_scenario_that_is_too_much_changes_nothing(api: Api) -> None:
    cluster = api.cluster()
    commands = [{"kind": "set_config", "yaml": text(number, LONG)} for number in range(QUOTA // LONG)]
    scenario = {"apiVersion": "kube-scheduler-playground/v1", "kind": "Scenario", "commands": commands}
    before, rows = stored(cluster), kept(cluster)
    with override_settings(CLUSTER_QUOTA=QUOTA):
        api.post(f"clusters/{cluster}/import/", {"text": json.dumps(scenario)}, 409)
    assert (stored(cluster), kept(cluster)) == (before, rows)
