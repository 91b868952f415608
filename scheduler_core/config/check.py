"""Load or check a configuration: decode, validate and build it, with lines and hints for each problem."""

import dataclasses
from typing import Any

from kube_objects.text.node import locate
from scheduler_core.config.build import build
from scheduler_core.config.effective import EffectiveProfile
from scheduler_core.config.encode import to_dict
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.load import Document, decode
from scheduler_core.config.rules import ConfigRules, Points
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.config.validate import validate


def load(text: str, points: Points | None = None, *, rules: ConfigRules) -> SchedulerConfiguration:
    """Return the complete, valid configuration of a YAML or JSON text.

    `points` are the extension points of every registered plugin; the default is those of `rules`. Raises ConfigError
    with the problems of the first stage that finds any.
    """
    document = decode(text, rules)
    _finish(document, points, rules)
    return document.config


def check(text: str, points: Points | None = None, *, rules: ConfigRules) -> dict[str, Any]:
    """Return kube-scheduler's result for a text: `ok`, `errors`, `stage` (if not ok), `defaulted`, `effective`.

    `defaulted` is absent if the text can't be decoded, `effective` if it isn't ok.
    """
    result: dict[str, Any] = {"ok": False}
    try:
        document = decode(text, rules)
        result["defaulted"] = to_dict(document.config)
        profiles = _finish(document, points, rules)
    except ConfigError as error:
        return {**result, "stage": error.stage, "errors": error.texts}
    expanded = {name: profiles[name].to_dict() for name in sorted(profiles)}
    return {**result, "ok": True, "errors": [], "effective": expanded}


def _finish(document: Document, points: Points | None, rules: ConfigRules) -> dict[str, EffectiveProfile]:
    problems = validate(document.config, rules)
    try:
        if problems:
            raise ConfigError("validate", problems)
        return build(document.config, points, rules=rules)
    except ConfigError as error:
        error.problems = [
            dataclasses.replace(problem, line=locate(document.root, problem.path)) for problem in error.problems
        ]
        raise
