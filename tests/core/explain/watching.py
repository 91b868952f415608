"""Runs of recorded test cases, with access to every attempt after its decision and before its writes."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from kube_objects.pod import Pod
from scheduler_core.cycle.scheduler import CycleResult, Scheduler
from scheduler_core.emulations import V1_34_1
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.trace import Trace
from scheduler_core.legacy.emulation import V1_20_2
from tests.conformance import legacy_traces, traces
from tests.conformance.cli.vectors import read_vectors

VECTORS = Path(__file__).parents[2] / "conformance"

Look = Callable[[AttemptContext, CycleResult, Mapping[str, Any]], None]
"""Gets the context, the result of the attempt, and the real scheduler's answer for this pod."""


def scenarios(family: str, folder: str = "") -> Iterator[dict[str, Any]]:
    """Yield the cases of a family from a version's folder: `{"scenario", "expected"}`."""
    where = VECTORS / ("legacy" if family.startswith("legacy") else folder)
    yield from read_vectors(where / f"{family}.jsonl.gz")


def watch(vector: Mapping[str, Any], look: Look, today: Emulation = V1_34_1) -> None:
    """Run a trace case; one whose name starts with `legacy` runs with v1.20."""
    expected = vector["expected"]
    answers: dict[str, list[Mapping[str, Any]]] = {}
    for answer in (*expected["pods"], *expected.get("retries", ())):
        if "error" not in answer and "preEnqueue" not in answer:
            answers.setdefault(answer["pod"], []).append(answer)
    run_scheduling_algorithm = Scheduler.run_scheduling_algorithm

    def watched(self: Scheduler, framework: ProfileFramework, pod: Pod, trace: Trace | None) -> CycleResult:
        result = run_scheduling_algorithm(self, framework, pod, trace)
        profile = next(profile for profile in self.config.profiles if profile.scheduler_name == framework.name)
        look(AttemptContext(profile, framework, result.attempt), result, answers[pod.key].pop(0))
        return result

    legacy = vector["scenario"]["name"].startswith("legacy")
    run, emulation = (legacy_traces.run, V1_20_2) if legacy else (traces.run, today)
    with patch.object(Scheduler, "run_scheduling_algorithm", watched):
        run(vector["scenario"], emulation)
    assert not any(answers.values())
