"""Run a lesson with its model solutions, to find checks that fail, and tasks that are done before any step."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kube_objects.text.problems import Problem
from scheduler_core.config import ConfigError
from scheduler_core.emulations import EMULATIONS
from simulator.lessons.asking import AskError, ask
from simulator.lessons.conditions import meets, store_baseline, unmet_conditions
from simulator.lessons.model import Check, Directive, Lesson, LessonScenario
from simulator.lessons.text import DIRECTIVES
from simulator.simulation import CommandError, Simulation

# Without a model solution, a user runs the next cycle.
NEXT_CYCLE: Sequence[Mapping[str, Any]] = ({"kind": "schedule_one"},)


def create_simulation(scenario: LessonScenario) -> Simulation:
    """Return the cluster at a lesson's start. Raises ConfigError and CommandError."""
    simulation = Simulation.create(seed=scenario.seed, config=scenario.config, emulation=EMULATIONS[scenario.emulates])
    for command in initial_commands(scenario):
        _apply(simulation, command)
    return simulation


def initial_commands(scenario: LessonScenario) -> list[Mapping[str, Any]]:
    """Return the commands that create the cluster at a lesson's start."""
    return [{"kind": "create", "objects": list(scenario.objects)}, *scenario.setup]


def required_versions(scenario: LessonScenario) -> list[str]:
    """Return the versions that a lesson must work with: its own, and all current ones unless `only_because` is set."""
    others = (
        ()
        if scenario.only_because
        else (version for version, emulation in EMULATIONS.items() if emulation.rules is not None)
    )
    return list(dict.fromkeys((scenario.emulates, *others)))


def lint(lesson: Lesson) -> list[Problem]:
    """Return everything that would stop a user; a walk ends at the first step that fails.

    A lesson without problems is walked under the other versions, too.
    """
    own, *others = required_versions(lesson.scenario)
    return _walk(lesson, own) or [
        replace(problem, path=f"{version}: {problem.path}") for version in others for problem in _walk(lesson, version)
    ]


def _walk(lesson: Lesson, version: str) -> list[Problem]:
    try:
        simulation = create_simulation(replace(lesson.scenario, emulates=version))
    except (ConfigError, CommandError) as error:
        return [
            Problem(f"scenario.yaml: {problem.path}", None, getattr(problem, "rule", str(problem)))
            for problem in error.problems
        ]
    text = next(iter(lesson.texts.values()))
    for step in text.steps:
        for directive in step.directives:
            if not DIRECTIVES[directive.name]:
                continue
            wrong = list(_do_check(simulation, lesson.checks[directive.argument], directive))
            if wrong:
                return wrong
    return []


def _do_check(simulation: Simulation, check: Check, directive: Directive) -> Iterator[Problem]:
    path = f"checks.yaml: checks.{check.id}"
    try:
        match check.form:
            case "predict":
                yield from _predict(simulation, check, path)
            case "wait":
                records = _run_commands(simulation, check.model or NEXT_CYCLE)
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
    _run_commands(simulation, check.model)


def _task(simulation: Simulation, check: Check, path: str) -> Iterator[Problem]:
    conditions = check.body["all"]
    baseline = store_baseline(simulation, conditions)
    if not unmet_conditions(simulation, conditions, baseline):
        yield Problem(f"{path}.task", None, "is done before anything was done for it")
    _run_commands(simulation, check.model)
    for condition in unmet_conditions(simulation, conditions, baseline):
        yield Problem(f"{path}.task", None, f"the model does not do it: {dict(condition)}")


def _run_commands(simulation: Simulation, commands: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [record for command in commands for record in _apply(simulation, command)]


def _apply(simulation: Simulation, command: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [record.data for record in simulation.apply(command)]
