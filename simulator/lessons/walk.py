"""Walk through a lesson with its model answers, as a reader would: finds what cannot be done, or is done already."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kube_objects.text.problems import Problem
from scheduler_core.config import ConfigError
from scheduler_core.emulations import EMULATIONS
from simulator.lessons.asking import AskError, ask
from simulator.lessons.conditions import keep, meets, unmet
from simulator.lessons.model import Check, Directive, Lesson, Scenario
from simulator.lessons.text import DIRECTIVES
from simulator.simulation import CommandError, Simulation

# Without a model, a reader goes on by a cycle.
NEXT_CYCLE: Sequence[Mapping[str, Any]] = ({"kind": "schedule_one"},)


def begin(scenario: Scenario) -> Simulation:
    """The cluster at a lesson's start. Raises ConfigError and CommandError."""
    simulation = Simulation.create(seed=scenario.seed, config=scenario.config, emulation=EMULATIONS[scenario.emulates])
    for command in opening(scenario):
        _carry_out(simulation, command)
    return simulation


def opening(scenario: Scenario) -> list[Mapping[str, Any]]:
    """The commands that make the cluster at a lesson's start."""
    return [{"kind": "create", "objects": list(scenario.objects)}, *scenario.setup]


def versions(scenario: Scenario) -> list[str]:
    """Those that a lesson must hold for: its own, and all of today's unless it says why not."""
    others = () if scenario.only_because else (version for version, one in EMULATIONS.items() if one.rules is not None)
    return list(dict.fromkeys((scenario.emulates, *others)))


def lint(lesson: Lesson) -> list[Problem]:
    """Everything that would stop a reader; a walk ends at the first step that cannot be done.

    One that goes well is walked under the other versions, too.
    """
    own, *others = versions(lesson.scenario)
    return _walk(lesson, own) or [
        replace(problem, path=f"{version}: {problem.path}") for version in others for problem in _walk(lesson, version)
    ]


def _walk(lesson: Lesson, version: str) -> list[Problem]:
    try:
        simulation = begin(replace(lesson.scenario, emulates=version))
    except (ConfigError, CommandError) as error:
        return [Problem(f"scenario.yaml: {one.path}", None, getattr(one, "rule", str(one))) for one in error.problems]
    text = next(iter(lesson.texts.values()))
    for step in text.steps:
        for directive in step.directives:
            if not DIRECTIVES[directive.name]:
                continue
            wrong = list(_do(simulation, lesson.checks[directive.argument], directive))
            if wrong:
                return wrong
    return []


def _do(simulation: Simulation, check: Check, directive: Directive) -> Iterator[Problem]:
    path = f"checks.yaml: checks.{check.id}"
    try:
        match check.form:
            case "predict":
                yield from _predict(simulation, check, path)
            case "wait":
                records = _follow(simulation, check.model or NEXT_CYCLE)
                if not any(meets(record, check.body) for record in records):
                    yield Problem(f"{path}.wait", None, "does not happen", "the model leads to no such record")
            case "task":
                yield from _task(simulation, check, path)
                if not directive.hints:
                    yield Problem(path, None, "a task needs hints in its text")
    except (CommandError, AskError) as error:
        yield Problem(path, None, str(error))


def _predict(simulation: Simulation, check: Check, path: str) -> Iterator[Problem]:
    answer = ask(simulation, check.body)
    if len(answer.options) < 2 or not set(answer.right) < set(answer.options):
        rule = f"{', '.join(answer.right) or 'nothing'} of {', '.join(answer.options) or 'nothing'} is no question"
        yield Problem(f"{path}.predict", None, rule)
    _follow(simulation, check.model)


def _task(simulation: Simulation, check: Check, path: str) -> Iterator[Problem]:
    conditions = check.body["all"]
    baseline = keep(simulation, conditions)
    if not unmet(simulation, conditions, baseline):
        yield Problem(f"{path}.task", None, "is done before anything was done for it")
    _follow(simulation, check.model)
    for left in unmet(simulation, conditions, baseline):
        yield Problem(f"{path}.task", None, f"the model does not do it: {dict(left)}")


def _follow(simulation: Simulation, commands: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [record for command in commands for record in _carry_out(simulation, command)]


def _carry_out(simulation: Simulation, command: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [record.data for record in simulation.apply(command)]
