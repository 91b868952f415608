"""What a running playground tells its operators: real web, worker and broker processes."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.resilience.test_processes import Browser
from tests.services import Playground, run_playground, wait_for
from tests.web import node, pod


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    settings = {"LOG_FORMAT": "json", "LOG_LEVEL": "DEBUG", "WORKER_CONCURRENCY": "2"}
    with run_playground(tmp_path_factory.mktemp("operated") / "data", settings) as running:
        yield running


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metric(playground: Playground, name: str, **labels: str) -> float:
    """The sum of the samples of this name that have these labels."""
    status, text = get(f"{playground.url}/metrics")
    assert status == 200
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def test_it_is_ready_once_the_worker_is_there(playground: Playground) -> None:
    _, text = wait_for(lambda: found if (found := get(f"{playground.url}/readyz?verbose"))[0] == 200 else None, "ready")
    assert text.splitlines()[-2:] == ["[+]worker ok", "readyz check passed"]
    assert metric(playground, "playground_workers") == 1


def test_both_pool_processes_count_into_one_sum(playground: Playground) -> None:
    """Two clusters run at a time, in a process each; whichever counted, the sum is what happened."""
    browser = Browser(playground)
    before = metric(playground, "scheduler_schedule_attempts_total")
    objects = [*(node(f"node-{i}") for i in range(5)), *(pod(f"pod-{i}", cpu="100m") for i in range(150))]
    clusters = [browser.post("clusters/", {"name": f"cluster {i}"})["id"] for i in range(2)]
    for cluster in clusters:
        assert browser.apply(cluster, kind="create", objects=objects)["state"] == "done"
    numbers = [
        browser.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle"})["number"]
        for cluster in clusters
    ]
    for cluster, number in zip(clusters, numbers, strict=True):
        path = f"clusters/{cluster}/commands/{number}/"
        wait_for(lambda path=path: browser.get(path)["state"] == "done", "the run", 60)  # type: ignore[misc]
    assert metric(playground, "scheduler_schedule_attempts_total") - before == 300
    assert metric(playground, "playground_commands_waiting") == 0


def test_viewers_are_counted_while_they_watch(playground: Playground) -> None:
    browser = Browser(playground)
    cluster = browser.post("clusters/", {"name": "watched"})["id"]
    with browser.watch(cluster) as first, browser.watch(cluster) as second:
        first.recv(timeout=10)
        second.recv(timeout=10)
        assert metric(playground, "playground_stream_viewers") == 2
    wait_for(lambda: metric(playground, "playground_stream_viewers") == 0, "the viewers to leave")


def test_the_worker_logs_json_about_cluster_command_and_pod(playground: Playground) -> None:
    browser = Browser(playground)
    cluster = browser.post("clusters/", {"name": "logged"})["id"]
    browser.apply(cluster, kind="create", objects=[node("a"), pod("p")])
    browser.apply(cluster, kind="schedule_one")

    def logged() -> dict[str, object] | None:
        lines = [line.partition("│ ")[2] for line in playground.log.splitlines() if line.startswith("worker")]
        entries = [json.loads(line) for line in lines if line.startswith("{")]
        return next((entry for entry in entries if entry.get("cluster") == cluster and "pod" in entry), None)

    entry = wait_for(logged, "the line about the attempt")
    assert {name: entry[name] for name in ("command", "pod", "level", "message")} == {
        "command": 2,
        "pod": "default/p",
        "level": "DEBUG",
        "message": "attempt 1: scheduled: a",
    }
