"""/metrics: what is counted is what happened, whatever processes it happened in."""

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from playground.engine import command_runner, leases
from playground.engine.leases import Lease, LeaseLostError
from playground.metrics import stored_tallies
from playground.metrics.definitions import COUNTERS, HISTOGRAMS
from playground.models import Cluster, MetricTally
from playground.operations.exposition import GAUGES
from playground.store.batched_rows import RECORDS
from tests.web import Api, node, pod

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def scrape() -> Samples:
    answer = Client().get("/metrics")
    assert answer.status_code == 200, answer.content
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((name, tuple(sorted(labels.items()))))


def test_a_run_is_counted_as_kube_scheduler_counts_it(api: Api, small: Cluster) -> None:
    """Seven pods fit, one is too large; nothing is preempted."""
    api.command(small.pk, kind="run", until="idle")
    samples = scrape()
    profile = {"profile": "default-scheduler"}
    assert value(samples, "scheduler_schedule_attempts_total", result="scheduled", **profile) == 7
    assert value(samples, "scheduler_schedule_attempts_total", result="unschedulable", **profile) == 1
    duration = "scheduler_scheduling_attempt_duration_seconds"
    assert value(samples, f"{duration}_count", result="scheduled", **profile) == 7
    assert 0 < (value(samples, f"{duration}_sum", result="scheduled", **profile) or 0) < 5
    assert value(samples, f"{duration}_bucket", result="scheduled", le="+Inf", **profile) == 7
    assert value(samples, "scheduler_scheduling_algorithm_duration_seconds_count") == 8
    assert value(samples, "scheduler_pod_scheduling_attempts_bucket", le="1.0") == 7
    assert value(samples, "scheduler_pod_scheduling_attempts_sum") == 7
    assert value(samples, "scheduler_preemption_attempts_total") == 1
    assert value(samples, "scheduler_preemption_victims_count") is None
    points = "scheduler_framework_extension_point_duration_seconds_count"
    counts = {
        (labels["extension_point"], labels["status"]): count
        for (name, items), count in samples.items()
        if name == points and (labels := dict(items))
    }
    assert counts == {
        ("PreFilter", "Success"): 8,
        ("Filter", "Success"): 8,
        ("PostFilter", "Unschedulable"): 1,
        ("PreScore", "Success"): 7,
        ("Score", "Success"): 7,
        ("Reserve", "Success"): 7,
        ("PreBind", "Success"): 7,
        ("Bind", "Success"): 7,
    }
    assert value(samples, "scheduler_queue_incoming_pods_total", queue="active", event="UnschedulablePodAdd") == 8
    failed = {"queue": "unschedulable", "event": "ScheduleAttemptFailure"}
    assert value(samples, "scheduler_queue_incoming_pods_total", **failed) == 1
    assert {
        queue: value(samples, "scheduler_pending_pods", queue=queue)
        for queue in ("active", "backoff", "unschedulable", "gated")
    } == {"active": 0, "backoff": 0, "unschedulable": 1, "gated": 0}


def test_preemption_gates_backoff_and_errors_are_counted(api: Api) -> None:
    objects = [node("a", cpu="2"), *(pod(f"low-{i}", cpu="1") for i in range(2))]
    cluster = api.cluster(objects)
    api.command(cluster, kind="run", until="idle")
    gated = pod("gated", schedulingGates=[{"name": "example.com/wait"}])
    api.command(cluster, kind="create", objects=[pod("vip", cpu="2", priority=10), gated])
    api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="create", objects=[pod("unlucky", cpu="0", memory="0")])
    api.command(cluster, kind="fail_binding")
    api.command(cluster, kind="run", until="idle")
    samples = scrape()
    assert value(samples, "scheduler_preemption_attempts_total") == 1
    assert value(samples, "scheduler_preemption_victims_sum") == 2
    assert value(samples, "scheduler_preemption_victims_count") == 1
    point = "scheduler_framework_extension_point_duration_seconds_count"
    profile = {"profile": "default-scheduler"}
    assert value(samples, point, extension_point="PostFilter", status="Success", **profile) == 1
    assert value(samples, point, extension_point="Bind", status="Error", **profile) == 1
    assert value(samples, point, extension_point="Unreserve", status="Success", **profile) == 1
    assert value(samples, "scheduler_schedule_attempts_total", result="error", **profile) == 1
    incoming = "scheduler_queue_incoming_pods_total"
    assert value(samples, incoming, queue="active", event="PopFromBackoffQ") == 1
    assert value(samples, incoming, queue="unschedulable", event="UnschedulablePodAdd") == 1
    assert value(samples, "scheduler_pod_scheduling_attempts_sum") == 2 + 2
    assert value(samples, "scheduler_pending_pods", queue="gated") == 1
    assert value(samples, "scheduler_pending_pods", queue="backoff") == 1


def test_our_own(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    api.command(small.pk, kind="create", objects=[pod("web-0")])
    api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one"})
    samples = scrape()
    kinds = Counter(json.loads(text)["kind"] for _, text in RECORDS.iterate_range(small.pk, 1, 100))
    assert {kind: value(samples, "playground_records_total", kind=kind) for kind in kinds} == kinds
    assert value(samples, "playground_commands_total", kind="run", state="done") == 1
    assert value(samples, "playground_commands_total", kind="create", state="failed") == 1
    assert value(samples, "playground_clusters") == 1
    assert value(samples, "playground_commands_waiting") == 1
    assert value(samples, "playground_clusters_unattended") == 1
    assert value(samples, "playground_leases", state="held") == 0
    assert (value(samples, "playground_stored_bytes") or 0) > 1000
    assert value(samples, "playground_workers") == 0
    assert value(samples, "playground_stream_viewers") == 0
    assert value(samples, "playground_build_info", emulates="v1.36.3") == 1


def test_leases_are_counted_and_so_is_taking_one_over(small: Cluster) -> None:
    lost = leases.acquire(small.pk, "one:1")
    assert lost is not None
    assert value(scrape(), "playground_leases", state="held") == 1
    assert leases.acquire(small.pk, "two:2") is None
    Cluster.objects.update(lease_expires=timezone.now() - timedelta(seconds=1))
    assert value(scrape(), "playground_leases", state="expired") == 1
    assert leases.acquire(small.pk, "two:2") is not None
    samples = scrape()
    assert value(samples, "playground_lease_takeovers_total") == 1
    assert value(samples, "playground_leases", state="held") == 1
    with pytest.raises(LeaseLostError):
        leases.write(lost)


def test_what_was_not_committed_is_not_counted(api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease is lost in the middle of a commit, and another worker does it again: each attempt counts once."""
    send = leases.send
    failing = [True]

    def lose(lease: Lease, **fields: Any) -> Any:
        if "cycle" in fields and failing.pop():
            failing.append(False)
            raise LeaseLostError("lost")
        failing.append(False)
        return send(lease, **fields)

    api.post(f"clusters/{small.pk}/commands/", {"kind": "run", "until": "idle"})
    monkeypatch.setattr(leases, "send", lose)
    command_runner.apply_commands(small.pk)
    Cluster.objects.update(lease_holder="", lease_expires=None)
    command_runner.apply_commands(small.pk)
    samples = scrape()
    attempts = sum(count for (name, _), count in samples.items() if name == "scheduler_schedule_attempts_total")
    small.refresh_from_db()
    assert attempts == small.cycle == 8


def test_processes_are_added_up_and_those_that_are_gone_are_folded(
    api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.command(small.pk, kind="run", until={"cycles": 3})
    monkeypatch.setattr(stored_tallies.socket, "gethostname", lambda: "another")
    api.command(small.pk, kind="run", until="idle")
    before = scrape()
    assert MetricTally.objects.count() == 2
    assert value(before, "scheduler_pod_scheduling_attempts_count") == 7
    MetricTally.objects.filter(process__startswith="another").update(updated=timezone.now() - timedelta(days=2))
    stored_tallies.fold_tallies()
    assert MetricTally.objects.filter(process=stored_tallies.PAST).count() == 1
    MetricTally.objects.update(updated=timezone.now() - timedelta(days=2))
    stored_tallies.fold_tallies()
    assert MetricTally.objects.count() == 1
    assert scrape() == before


def test_without_a_broker_what_it_knows_is_missing_and_the_rest_is_there(api: Api, small: Cluster) -> None:
    with override_settings(REDIS_URL="unix:///no/such/broker.sock"):
        samples = scrape()
    assert value(samples, "playground_clusters") == 1
    assert value(samples, "playground_stream_viewers") is None


def test_openmetrics_for_those_who_ask_for_it(web: None) -> None:
    accept = "application/openmetrics-text; version=1.0.0"
    answer = Client().get("/metrics", headers={"Accept": accept})
    assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
    assert answer.content.endswith(b"# EOF\n")


def test_every_metric_is_documented() -> None:
    page = (Path(settings.BASE_DIR) / "docs" / "reference" / "metrics.md").read_text()
    names = [f"{counter.name}_total" for counter in COUNTERS] + [each.name for each in HISTOGRAMS] + list(GAUGES)
    assert [name for name in names if f"`{name}`" not in page] == []
