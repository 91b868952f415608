"""Conversion of v1.20's options to a current configuration: flags, a Policy, a v1beta1 configuration.

v1alpha1 and v1alpha2, which v1.20 doesn't read, are converted to v1beta1 first.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.sentences import say
from kube_objects.shapes import POLICY_KEY
from kube_objects.text.node import TextNode, locate
from kube_objects.text.problems import Problem
from scheduler_core.config.effective import DEFAULT, EffectiveProfile
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.types import EXTENSION_POINTS, PluginRef, SchedulerConfiguration
from scheduler_core.legacy.alphas import PROVIDER, V1beta1Draft, convert_to_v1beta1, is_alpha
from scheduler_core.legacy.build import Source, build
from scheduler_core.legacy.plugins.table import LEGACY_IN_TREE
from scheduler_core.legacy.sources import GATES_FLAG, PROVIDER_FLAG, SplitText, kind_of, read_node, read_source
from scheduler_core.legacy.translation.draft import Draft
from scheduler_core.legacy.translation.from_policy import explain_implicit_plugins, explain_policy
from scheduler_core.legacy.translation.lines import SAME, Line, Note, explain_lines, implicit_line, iter_leaves
from scheduler_core.legacy.translation.modernise import NewProfile, OldProfile, convert_profile
from scheduler_core.legacy.translation.notes import NEW_SINCE, explain_configuration, explain_defaults, note_for
from scheduler_core.legacy.translation.successors import REMOVED_IN
from scheduler_core.legacy.v1beta1 import V1BETA1
from scheduler_core.legacy.versions import AUTOSCALER_PROVIDER, SPREAD_GATE

_CONFIG_MAP = Note("", say("a configuration is a file today: --config"), REMOVED_IN["Policy"])


def draft_v1_20(text: str, parts: SplitText) -> Draft:
    """Convert a text. Raises ConfigError if v1.20 rejects it."""
    source = read_source(text)
    inner, offset, prefix = _locate_document(source, parts)
    alpha = convert_to_v1beta1(inner, offset) if source.config and is_alpha(inner) else None
    if alpha is not None:
        given = alpha.provider.scalar if alpha.provider is not None else None
        source = dataclasses.replace(source, config=alpha.text, provider=source.provider or given)
    try:
        built = build(source, _assume_registered(alpha.written if alpha is not None else inner))
    except ConfigError as error:
        raise ConfigError(
            error.stage, [_locate_problem(problem, inner, offset, alpha) for problem in error.problems]
        ) from None
    profiles = [built.profiles[profile.scheduler_name] for profile in built.config.profiles]
    news = [
        convert_profile(OldProfile(_plugins_by_point(effective), _written_args(built.config, index)))
        for index, effective in enumerate(profiles)
    ]
    lines = [_explain_flag_line(number, flag, value, source, news[0]) for number, flag, value in parts.flags]
    if source.policy is not None:
        if prefix:
            outer = explain_lines(read_node(parts.body) or TextNode("null", 1), {"": _CONFIG_MAP}, parts.offset)
            lines += [line for line in outer if line.path != f"data.{POLICY_KEY}"]
        lines += explain_lines(inner, explain_policy(inner, source, news[0]), offset, prefix)
        lines += explain_implicit_plugins(source, news[0])
    else:
        if alpha is not None:
            lines += _explain_alpha(alpha, source, news, offset)
        elif source.config:
            lines += explain_lines(inner, explain_configuration(inner, V1BETA1, news), offset)
        for effective, new in zip(profiles, news, strict=True):
            lines += explain_defaults(
                _plugins_by_point(effective), new, effective.scheduler_name if len(news) > 1 else ""
            )
    dicts = [new.to_dict(effective.scheduler_name) for effective, new in zip(profiles, news, strict=True)]
    return Draft(built.config, dicts, [*lines, implicit_line(NEW_SINCE)])


def _locate_document(source: Source, parts: SplitText) -> tuple[TextNode, int, str]:
    """Return the root of the Policy or configuration, the number of lines before it, and its path."""
    root = read_node(parts.body) or TextNode("null", 1)
    if source.policy is None or kind_of(parts.body) != "ConfigMap":
        return root, parts.offset, ""
    data = next(entry.value for entry in reversed(root.entries) if entry.key == "data")
    line = next(entry.line for entry in reversed(data.entries) if entry.key == POLICY_KEY)
    return read_node(source.policy) or TextNode("null", 1), parts.offset + line, f'data["{POLICY_KEY}"].'


def _explain_alpha(alpha: V1beta1Draft, source: Source, news: Sequence[NewProfile], offset: int) -> list[Line]:
    notes = explain_configuration(alpha.written, alpha.version, news) | alpha.notes
    lines = list(alpha.lines)
    if alpha.provider is not None:
        note = _explain_flag(PROVIDER_FLAG, alpha.provider.scalar, source, news[0])
        lines += explain_lines(alpha.provider, {"": note}, offset, PROVIDER)
    for line in explain_lines(alpha.written, notes, offset):
        lines.append(dataclasses.replace(line, path=alpha.old_path(line.path)))
    return sorted(lines, key=lambda line: line.line or 0)


def _locate_problem(problem: Problem, root: TextNode, offset: int, alpha: V1beta1Draft | None) -> Problem:
    if alpha is not None:
        line = alpha.line(problem.path)
        problem = dataclasses.replace(problem, path=alpha.old_path(problem.path))
    else:
        line = problem.line or locate(root, problem.path)
    return dataclasses.replace(problem, line=None if line is None else line + offset)


def _assume_registered(root: TextNode) -> Mapping[str, frozenset[str]]:
    """Return the points of v1.20.2's plugins; any other named plugin is assumed to be registered."""
    names = (node.scalar for path, node in iter_leaves(root) if ".plugins." in path and path.endswith(".name"))
    return {**dict.fromkeys(names, frozenset(EXTENSION_POINTS)), **LEGACY_IN_TREE.points()}


def _plugins_by_point(profile: EffectiveProfile) -> dict[str, list[PluginRef]]:
    return {
        point: [PluginRef(p.name, p.weight, default=p.origin == DEFAULT) for p in profile.plugins_at(point)]
        for point in EXTENSION_POINTS
    }


def _written_args(config: SchedulerConfiguration, index: int) -> dict[str, Any]:
    args: dict[str, Any] = {entry.name: entry.args for entry in config.profiles[index].plugin_config}
    managed = (resource for extender in config.extenders for resource in extender.managed_resources)
    if any(resource.ignored_by_scheduler for resource in managed):
        del args["NodeResourcesFit"]  # made from what the extenders say, which is enough today
    return args


def _explain_flag_line(number: int, flag: str, value: str, source: Source, new: NewProfile) -> Line:
    note = _explain_flag(flag, value, source, new)
    return Line(flag, note.became, note.explanation, value, number + 1, note.removed_in)


def _explain_flag(flag: str, value: str, source: Source, new: NewProfile) -> Note:
    if flag == PROVIDER_FLAG:
        if source.policy is not None:
            return Note("", say("passed over: a Policy takes its place"), REMOVED_IN[flag])
        if value == AUTOSCALER_PROVIDER:
            became = note_for("NodeResourcesMostAllocated", "score", new).became
            return Note(became, say("filled nodes up: scoringStrategy MostAllocated"), REMOVED_IN[flag])
        return Note("the default profile", say("with the weights that the provider had"), REMOVED_IN[flag])
    if flag == GATES_FLAG:
        if SPREAD_GATE in source.gates:
            why = say("{gate}: PodTopologySpread always does what SelectorSpread did", gate=SPREAD_GATE)
            return Note("", why, REMOVED_IN[SPREAD_GATE])
        return Note("", say("none of these gates plays a part here"))
    if flag == "--config":
        return Note(SAME, say("names the file that follows"))
    return Note("--config", say("named the Policy that follows"), REMOVED_IN["Policy"])
