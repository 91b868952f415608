"""Trial runs of a cycle, or of the next Pod, with another configuration or with other objects."""

from collections.abc import Mapping
from typing import Any, TypedDict

from kube_objects.sentences import say
from playground.problems import Refused, list_api_problems, problem
from playground.questions.moments import CONFLICT, Moment
from scheduler_core.config import ConfigError
from scheduler_core.extender import RecorderError
from scheduler_core.legacy.recognise import add_conversion_hint
from simulator.explain.draft import DraftDifference, draft_effect
from simulator.explain.rerun import Rerun, next_pod


class _OfCycle(TypedDict):
    cycle: int | None


class DraftEffect(_OfCycle, DraftDifference):
    pass


def run_draft(moment: Moment, arguments: Mapping[str, Any]) -> DraftEffect:
    """Return the attempt's differences under the draft.

    Extenders are not called, because the UI asks while the user types.
    """
    before = _rerun_now(moment) if moment.cycle is None else moment.attempt
    try:
        after = _quiet(moment, before.cycle["pod"], arguments["yaml"])
    except ConfigError as error:
        is_of_today = moment.simulation.emulation.rules is not None
        problems = add_conversion_hint(error.problems, arguments["yaml"]) if is_of_today else error.problems
        raise Refused(list_api_problems(ConfigError(error.stage, problems))) from error
    return {"cycle": moment.cycle, **draft_effect(before, after, moment.simulation.node_names)}


def rerun_draft(moment: Moment, arguments: Mapping[str, Any]) -> DraftEffect:
    """Return the attempt's differences with changed objects. Extenders are not called."""
    before = moment.attempt
    trial = moment.trial(arguments["objects"], arguments["delete"])
    after = _quiet(trial, before.cycle["pod"])
    names = moment.simulation.node_names
    return {"cycle": moment.cycle, **draft_effect(before, after, names, trial.simulation.node_names)}


def _rerun_now(moment: Moment) -> Rerun:
    pod = next_pod(moment.simulation)
    if pod is None:
        raise Refused([problem("", say("no pending Pod can be tried"), hint=say("look at a cycle"))], CONFLICT)
    return _quiet(moment, pod)


def _quiet(moment: Moment, pod: str, config: str | None = None) -> Rerun:
    """Return an attempt that calls no extender. Raises Refused if it needs an unrecorded extender answer."""
    moment.loaded.recorder.replay(lambda: None)
    try:
        return moment.rerun(pod, config)
    except RecorderError as error:
        rule = say("the attempt would call an extender, which a trial does not do")
        raise Refused([problem("", rule, hint=say("apply it to see the result"))], CONFLICT) from error
