"""A configuration in, everything about it out: read, validated, built, with lines and hints for each problem."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from scheduler_core.config.build import build
from scheduler_core.config.effective import EffectiveProfile
from scheduler_core.config.encode import to_dict
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.intree import IN_TREE_POINTS
from scheduler_core.config.load import Document, decode
from scheduler_core.config.node import locate
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.config.validate import validate


def load(text: str, points: Mapping[str, frozenset[str]] = IN_TREE_POINTS) -> SchedulerConfiguration:
    """The configuration in a YAML or JSON text, complete and valid.

    `points` are the extension points of every registered plugin. Raises ConfigError with the problems of the first
    stage that finds any.
    """
    document = decode(text)
    _finish(document, points)
    return document.config


def check(text: str, points: Mapping[str, frozenset[str]] = IN_TREE_POINTS) -> dict[str, Any]:
    """What kube-scheduler makes of a text: `ok`, `errors`, `stage` (if not ok), `defaulted`, `effective`.

    What does not apply is absent: `defaulted` needs a text that can be decoded, `effective` one that is ok.
    """
    result: dict[str, Any] = {"ok": False}
    try:
        document = decode(text)
        result["defaulted"] = to_dict(document.config)
        profiles = _finish(document, points)
    except ConfigError as error:
        return {**result, "stage": error.stage, "errors": error.texts}
    expanded = {name: profiles[name].to_dict() for name in sorted(profiles)}
    return {**result, "ok": True, "errors": [], "effective": expanded}


def _finish(document: Document, points: Mapping[str, frozenset[str]]) -> dict[str, EffectiveProfile]:
    problems = validate(document.config)
    try:
        if problems:
            raise ConfigError("validate", problems)
        return build(document.config, points)
    except ConfigError as error:
        error.problems = [
            dataclasses.replace(problem, line=locate(document.root, problem.path)) for problem in error.problems
        ]
        raise
