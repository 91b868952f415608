"""All problems of a configuration, of every stage at once, for its author.

kube-scheduler and `load` stop at the first stage with a problem. Here each part that can be decoded is checked.
"""

import dataclasses
from collections.abc import Iterator, Sequence

from kube_objects.sentences import say
from kube_objects.text.node import TextNode, locate
from kube_objects.text.problems import Problem
from scheduler_core.config.args.resources import IgnoresResources
from scheduler_core.config.build import build_profile, plugin_errors, with_extender_resources
from scheduler_core.config.check import load
from scheduler_core.config.decode import Decoder
from scheduler_core.config.defaults import complete, construct
from scheduler_core.config.effective import explicit_errors, multi_point_errors
from scheduler_core.config.errors import BuildError, ConfigError
from scheduler_core.config.load import Codec, Document, FatalError
from scheduler_core.config.rules import ConfigRules, Points, TypeMeta
from scheduler_core.config.types import GROUP, KIND, VERSION, Profile, SchedulerConfiguration
from scheduler_core.config.validate import validate

MOST_PROBLEMS = 200


def survey(text: str, points: Points | None = None, *, rules: ConfigRules) -> list[Problem]:
    """Return all problems of a text, in the order of its lines; empty exactly if `load` accepts it."""
    surveyor = Surveyor(text, rules)
    document = surveyor.document()
    problems = list(surveyor.strict)
    if document is not None:
        problems += validate(document.config, rules)
        problems += _fit_problems(document.config, rules)
        known = {problem.path for problem in problems}
        problems += _build_problems(document.config, surveyor.written, points or rules.points, rules, known)
        problems = [problem if problem.line else _located(problem, document.root) for problem in problems]
    try:
        load(text, points, rules=rules)
    except ConfigError as error:
        # A rejected text has at least one problem, even if the single checks found none.
        problems = problems or error.problems
    else:
        return []
    unique = {(problem.path, problem.rule): problem for problem in problems}
    return sorted(unique.values(), key=lambda problem: problem.line or 0)[:MOST_PROBLEMS]


class Surveyor(Codec):
    """A Codec that collects decoding errors and continues."""

    def __init__(self, text: str, rules: ConfigRules) -> None:
        super().__init__(text, rules.scheme)
        self.rules = rules
        # The profiles without merged default plugins, so that their indices are those of the text.
        self.written: tuple[Profile, ...] = ()

    def document(self) -> Document | None:
        """Return the part that could be decoded; None if the text is neither YAML nor JSON."""
        try:
            root = self.read()
        except FatalError as fatal:
            self.strict.append(fatal.problem)
            return None
        wanted = TypeMeta(GROUP, VERSION, KIND)
        try:
            meta = self.type_meta(root)
            self.check_kind(meta, root)
            if meta != wanted:
                raise FatalError(
                    f'is "{meta.kind}" where {KIND} is wanted', "kind", hint=say("use kind: {kind}", kind=KIND)
                )
        except FatalError as fatal:
            # Upstream's message repeats the whole text.
            short = fatal.problem.rule.replace(f" in '{self.text}'", "")
            self.strict.append(dataclasses.replace(fatal.problem, rule=short, text=short))
        values = self.decode_object(root, wanted, "")
        self.decode_all_args(values)
        self.written = construct(self.rules.configuration, values).profiles
        return Document(complete(values, self.rules), root)

    def decode_object(self, node: TextNode, meta: TypeMeta, prefix: str) -> dict[str, object]:
        decoder = Decoder(prefix, stops=False)
        kind = self.scheme.find(meta)
        assert kind is not None  # it was checked to be registered
        values = decoder.decode(node, kind, meta.kind)
        self.strict += [failure.problem for failure in decoder.failures] + decoder.strict
        return values

    def decode_all_args(self, values: dict[str, object]) -> None:
        try:
            super().decode_all_args(values)
        except FatalError as fatal:
            self.strict.append(fatal.problem)
            # Args that couldn't be decoded, and all args after them, are left out.
            for profile in values.get("profiles", []):  # type: ignore[attr-defined]
                for entry in profile.get("pluginConfig", []):
                    if isinstance(entry.get("args"), TextNode):
                        del entry["args"]


def _fit_problems(config: SchedulerConfiguration, rules: ConfigRules) -> Iterator[Problem]:
    """Return the problems of NodeResourcesFit's args, which only the plugin itself checks."""
    for i, profile in enumerate(config.profiles):
        for j, entry in enumerate(profile.plugin_config):
            if entry.name == "NodeResourcesFit" and isinstance(entry.args, IgnoresResources):
                yield from rules.plugin_args[entry.name].problems(f"profiles[{i}].pluginConfig[{j}].args", entry.args)


def _build_problems(
    config: SchedulerConfiguration,
    written: Sequence[Profile],
    points: Points,
    rules: ConfigRules,
    known: set[str],
) -> Iterator[Problem]:
    try:
        with_extender_resources(config)
    except ConfigError as error:
        yield from error.problems
    for index, profile in enumerate(config.profiles):
        where = f"profiles[{index}]."
        errors = [
            error for own in written[index : index + 1] for error in multi_point_errors(own.plugins.multi_point, points)
        ]
        for point, plugin_set in profile.plugins.items():
            if point != "multiPoint":
                errors += explicit_errors(point, plugin_set, points)
        errors += plugin_errors(profile, points, rules)
        if not errors:
            try:
                build_profile(profile, points, rules)
            except BuildError as refused:
                errors.append(refused)
        for build_error in errors:
            path = where + build_error.path
            # Validation may have reported the same args already.
            if ".pluginConfig" not in path or not any(reported.startswith(path) for reported in known):
                yield Problem(path, None, str(build_error), build_error.hint)


def _located(problem: Problem, root: TextNode) -> Problem:
    return dataclasses.replace(problem, line=locate(root, problem.path))
