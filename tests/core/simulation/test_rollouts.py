"""Rollouts over virtual time: what is counted as records come."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
import yaml

from playground.__main__ import main
from simulator.simulation import Simulation
from simulator.simulation.rollouts import ENDED, FAILED, READY, WAITING, Rollout, Rollouts, Workload
from tests.core.controllers.chaos import template, workload
from tests.core.controllers.test_living import simulation_of

WEB = Workload("Deployment", "default/web")


def web(cpu: str, image: str, replicas: int = 4) -> dict[str, Any]:
    made = template("web", image)
    made["spec"]["containers"][0]["resources"]["requests"]["cpu"] = cpu
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": made}
    return workload("Deployment", "web", replicas=replicas) | {"spec": spec}


def followed(rollouts: Rollouts, simulation: Simulation, **command: Any) -> list[dict[Workload, Rollout]]:
    """What has changed by the end of each virtual time."""
    taken: dict[float, dict[Workload, Rollout]] = {}
    for record in simulation.apply(command):
        rollouts.count_record(record)
        taken.setdefault(float(record.data["t"]), {}).update(rollouts.pop_changed())
    return list(taken.values())


def total(rollout: Rollout) -> int:
    return sum(map(sum, rollout["pods"].values()))


def test_a_rollout_stays_between_its_bounds() -> None:
    simulation = simulation_of(web("100m", "app:1"))
    rollouts = Rollouts(simulation)
    followed(rollouts, simulation, kind="run", until={"seconds": 60})
    steps = followed(rollouts, simulation, kind="update", objects=[web("100m", "app:2")])
    steps += followed(rollouts, simulation, kind="run", until={"seconds": 60})
    told = [step[WEB] for step in steps if WEB in step]
    assert {(one["wanted"], one["least"], one["most"]) for one in told} == {(4, 3, 5)}
    assert max(len(one["pods"]) for one in told) == 2
    for one in told:
        assert sum(counts[READY] for counts in one["pods"].values()) >= 3
        assert total(one) <= 5
    (last,) = told[-1]["pods"].values()
    assert last[READY] == total(told[-1]) == 4


def test_what_is_counted_as_records_come_is_what_there_is_at_the_end() -> None:
    objects = [workload(kind, kind.lower(), replicas=3) for kind in ("StatefulSet", "DaemonSet", "Job")]
    simulation = simulation_of(web("1500m", "app:1", replicas=9), *objects)
    rollouts = Rollouts(simulation)
    now: dict[Workload, Rollout] = {}
    for seconds in (3, 20, 90):
        for step in followed(rollouts, simulation, kind="run", until={"seconds": seconds}):
            now |= step
    for workload_, rollout in now.items():
        counted = [pod for pod in simulation.cluster.store.list("Pod") if pod.name.startswith(workload_.key[8:])]
        assert total(rollout) == len(counted)
    (waiting,) = now[WEB]["pods"].values()
    assert waiting[WAITING] > 0
    assert {workload_.kind for workload_ in now} == {"Deployment", "StatefulSet", "DaemonSet", "Job"}


def test_pods_of_a_job_end() -> None:
    job = workload("Job", "work")
    pods = job["spec"]["template"]["spec"] | {"restartPolicy": "Never"}
    job["spec"] = {"completions": 2, "parallelism": 2, "template": {"spec": pods}}
    simulation = simulation_of(job)
    rollouts = Rollouts(simulation)
    steps = followed(rollouts, simulation, kind="run", until={"seconds": 300})
    last = [step[Workload("Job", "default/work")] for step in steps if step][-1]
    (counts,) = last["pods"].values()
    assert (sum(counts[READY : WAITING + 1]), counts[FAILED]) == (0, 0)
    assert counts[ENDED] == last["wanted"] == 2


def test_a_reset_and_the_end_of_controllers_leave_nothing() -> None:
    simulation = simulation_of(web("100m", "app:1"))
    rollouts = Rollouts(simulation)
    followed(rollouts, simulation, kind="run", until={"seconds": 60})
    gone: Rollout = {"wanted": None, "least": None, "most": None, "pods": {}}
    assert followed(rollouts, simulation, kind="set_actors", actors="none")[-1] == {WEB: gone}
    (again,) = followed(rollouts, simulation, kind="set_actors", actors="all")
    assert total(again[WEB]) == 4
    (waiting,) = followed(rollouts, simulation, kind="reset")[-1][WEB]["pods"].values()
    assert waiting[WAITING] == sum(waiting) == 4


def test_rows_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "web.yaml"
    path.write_text(yaml.safe_dump_all([web("100m", "app:1")]))
    assert main(["run", str(path), "--controllers", "all", "--until", "1m", "--rollouts", "-"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {(row["kind"], row["namespace"], row["name"]) for row in rows} == {("Deployment", "default", "web")}
    assert (rows[-1]["wanted"], rows[-1]["waiting"]) == ("4", "4")
