"""A comparison on a real playground: fanned out over the worker's processes, one of which is killed in the middle."""

import time
from collections.abc import Callable
from typing import Any

import psutil

from tests.resilience.test_processes import Browser
from tests.services import Playground, wait_for
from tests.web import node, pod

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
OBJECTS = [node(f"node-{i}", zone=f"zone-{i % 3}", cpu="16", memory="64Gi") for i in range(120)]
OBJECTS += [pod(f"web-{i}", cpu="400m", memory="1Gi") for i in range(1500)]
SIDES = [{"config": "default"}, {"config": {"yaml": f"{HEAD}percentageOfNodesToScore: 50\n"}}]


def test_killed_in_the_middle_of_a_comparison(start_playground: Callable[..., Playground]) -> None:
    playground = start_playground(LEASE_SECONDS="3")
    browser = Browser(playground)
    cluster = browser.post("clusters/", {"name": "compared", "seed": 5})["id"]
    browser.apply(cluster, kind="create", objects=OBJECTS)
    path = f"clusters/{cluster}/comparisons/"
    undisturbed = finish(browser, path, browser.post(path, {"sides": SIDES, "seeds": [1, 2]})["id"])

    disturbed = browser.post(path, {"sides": SIDES, "seeds": [1, 2]})["id"]
    running = wait_for(lambda: at_work(browser, f"{path}{disturbed}/"), "two processes at work", passing=True)
    assert len({run["lease"]["holder"] for run in running}) == 2
    psutil.Process(int(running[0]["lease"]["holder"].rpartition(":")[2])).kill()
    lost = wait_for(
        lambda: [run for run in runs(browser, f"{path}{disturbed}/") if run["lease"] and run["lease"]["lost"]],
        "a run whose worker is lost",
    )
    assert (lost[0]["side"], lost[0]["seed"]) == (running[0]["side"], running[0]["seed"])
    found = finish(browser, path, disturbed)
    assert [(run["side"], run["seed"], run["metrics"]) for run in found] == [
        (run["side"], run["seed"], run["metrics"]) for run in undisturbed
    ]

    cancelled = browser.post(path, {"sides": SIDES, "seeds": [1, 2]})["id"]
    wait_for(lambda: at_work(browser, f"{path}{cancelled}/"), "two processes at work", passing=True)
    began = time.monotonic()
    browser.post(f"{path}{cancelled}/cancel/")
    # The workers are free for others at once.
    assert browser.apply(cluster, kind="schedule_one")["state"] == "done"
    assert time.monotonic() - began < 5
    assert {run["state"] for run in runs(browser, f"{path}{cancelled}/")} <= {"cancelled", "done"}


def runs(browser: Browser, path: str) -> list[Any]:
    found: list[Any] = browser.get(path)["runs"]
    return found


def at_work(browser: Browser, path: str) -> list[Any] | None:
    """The runs that have made some attempts, once there are two of them."""
    working = [run for run in runs(browser, path) if run["state"] == "running" and run["cycles"] > 0]
    return working if len(working) == 2 else None


def finish(browser: Browser, path: str, number: int) -> list[Any]:
    """The runs, once all are done."""
    state = wait_for(
        lambda: found if (found := browser.get(f"{path}{number}/"))["state"] not in ("queued", "running") else None,
        "the comparison",
        240,
    )
    assert state["state"] == "done", state
    return list(state["runs"])
