"""Run a recorded test case with the runner of its family, and return the first difference."""

from collections.abc import Callable, Mapping
from typing import Any

from scheduler_core.config import check as check_config
from scheduler_core.framework.emulation import Emulation
from tests.conformance import extenders, gangs, legacy_traces, policies, queue_scripts, sampling, traces
from tests.conformance.compare import Difference, first_difference


def _run_config(scenario: Mapping[str, Any], emulation: Emulation) -> Any:
    assert emulation.rules is not None  # these are configurations of the API v1
    return {"name": scenario["name"], **check_config(scenario["yaml"], rules=emulation.rules)}


Runner = Callable[[Mapping[str, Any], Emulation], Any]

# Families with a form of their own; all others are traces.
RUNNERS: Mapping[str, Runner] = {
    "config": _run_config,
    "queue": queue_scripts.run,
    "sampling": sampling.run,
    "extenders": extenders.run,
    "gang": gangs.run,
    "production": sampling.run_production,
    "legacy_default": legacy_traces.run,
    "legacy_autoscaler": legacy_traces.run,
    "legacy_policy": legacy_traces.run,
    "legacy_plugins": legacy_traces.run,
    "policy_config": policies.run,
    "policy_table": policies.run,
    "read_config": _run_config,
    "read_policy": policies.run,
    "read_queue": queue_scripts.run,
    "read_sampling": sampling.run,
}
# What is compared of `expected`, and of the answer, where that is not all of it.
COMPARABLE: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "production": sampling.comparable_production,
    "policy_config": policies.comparable,
    "policy_table": policies.comparable,
    "read_policy": policies.comparable,
}


def check(family: str, vector: Mapping[str, Any], emulation: Emulation) -> Difference | None:
    """Run one case; return None if every field of `expected` is met."""
    run: Runner = RUNNERS.get(family) or traces.run
    try:
        got = run(vector["scenario"], emulation)
    except Exception as error:  # a crash is a failed vector, not the end of the run
        return Difference("(crash)", "an answer", f"{type(error).__name__}: {error}")
    compared = COMPARABLE.get(family) or dict
    return first_difference(compared(vector["expected"]), compared(got))
