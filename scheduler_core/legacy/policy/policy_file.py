"""Decode and validate a Policy, and convert it to plugins, as v1.20.2 does.

Source (v1.20): pkg/scheduler/scheduler.go initPolicyFromFile, pkg/scheduler/factory.go createFromConfig,
pkg/scheduler/framework/plugins/legacy_registry.go, pkg/scheduler/apis/config/validation ValidatePolicy.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.go import quote
from kube_objects.text.hints import did_you_mean
from kube_objects.text.node import Entry, TextNode
from kube_objects.text.problems import Problem
from scheduler_core.config.decode import DecodeError, Decoder
from scheduler_core.config.defaults import construct
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.field_errors import aggregate, invalid
from scheduler_core.config.fields import GoType, wire_fields
from scheduler_core.config.load import Codec, FatalError
from scheduler_core.config.rules import TypeMeta
from scheduler_core.config.types import GROUP, ExtenderConfig
from scheduler_core.config.validate import validate_extenders
from scheduler_core.legacy.policy.go_names import from_go_names
from scheduler_core.legacy.policy.table import EQUAL_PRIORITY, PREDICATES, PRIORITIES
from scheduler_core.legacy.policy.types import InternalPolicy, LegacyExtender, Policy, PriorityPolicy
from scheduler_core.legacy.v1beta1 import BAD_RESOURCE, INTERNAL, SCHEME

KIND = "Policy"
_MAX_WEIGHT = ((1 << 63) - 1) // 10


def decode(text: str) -> tuple[Policy, tuple[ExtenderConfig, ...], TextNode]:
    """Return the Policy of a text, its extenders in current form, and the parsed text. Raises ConfigError."""
    codec = _PolicyCodec(text, SCHEME)
    try:
        root, values = codec.decode(KIND)
        if codec.internal:
            root = codec.root
            extenders = tuple(construct(ExtenderConfig, given) for given in values.pop("extenders", ()))
        else:
            extenders = tuple(_decode_extender(node, index) for index, node in enumerate(values.pop("extenders", ())))
    except FatalError as fatal:
        problem = fatal.problem
        raise ConfigError("decode", [replace(problem, text=f"invalid policy: {problem.upstream}")]) from None
    except ConfigError as error:
        raise ConfigError("decode", error.problems, [f"invalid policy: {text}" for text in error.texts]) from None
    return construct(Policy, values), extenders, root


class _PolicyCodec(Codec):
    """A Codec for a Policy; a text without kind and version is decoded as the program's internal type.

    Source: apimachinery/pkg/runtime/serializer/json (Decode with a target: gvkWithDefaults).
    """

    internal = False
    root: TextNode
    """The text with the names that a Policy of v1 has, if it is `internal`."""

    def type_meta(self, node: TextNode, path: str = "") -> TypeMeta:
        meta = super().type_meta(node, path)
        if path:
            return meta
        self.internal = not meta.version
        group_version = (meta.group or GROUP, INTERNAL) if self.internal else (meta.group, meta.version)
        return TypeMeta(*group_version, meta.kind or KIND)

    def check_registered(self, meta: TypeMeta, node: TextNode, path: str = "") -> None:
        if self.internal and self.scheme.find(meta) is None:
            internal = f"the internal version of group {quote(meta.group)} in scheme {quote(self.scheme.location)}"
            text = f"no kind {quote(meta.kind)} is registered for {internal}"
            raise FatalError(text, "kind", node.line, say("use kind: {kind}, and apiVersion: v1", kind=KIND))
        super().check_registered(meta, node, path)

    def decode_object(self, node: TextNode, meta: TypeMeta, prefix: str) -> dict[str, Any]:
        if not self.internal:
            return super().decode_object(node, meta, prefix)
        self.root, unknown = from_go_names(node, InternalPolicy)
        values = super().decode_object(self.root, meta, prefix)
        if unknown is not None and not self.strict_texts:
            self.strict.append(unknown)
            self.strict_texts.append(unknown.upstream)
        return values


def _decode_extender(node: TextNode, index: int) -> ExtenderConfig:
    """Decode an extender the old way: the case of names doesn't matter, and unknown fields are ignored."""
    decoder = Decoder(f"extenders[{index}]")
    try:
        folded = _fold_field_names(node, GoType("v1.LegacyExtender", "struct", struct=LegacyExtender))
        values = decoder.decode(folded, LegacyExtender, "LegacyExtender")
    except DecodeError as error:
        problem = error.problem
        raise FatalError(problem.upstream, problem.path, problem.line, problem.hint) from None
    given = construct(LegacyExtender, values)
    return ExtenderConfig(**{field.name: getattr(given, field.name) for field in fields(LegacyExtender)})


def _fold_field_names(node: TextNode, kind: GoType) -> TextNode:
    """Return the value with the canonical case of its field names."""
    if kind.kind == "slice" and kind.element is not None and node.kind == "array":
        return replace(node, items=[_fold_field_names(item, kind.element) for item in node.items])
    if kind.struct is None or node.kind != "object":
        return node
    known = {field.json.casefold(): field for field in wire_fields(kind.struct)}
    entries = {}
    for entry in node.entries:
        field = known.get(entry.key.casefold())
        if field is not None:
            entries[field.json] = Entry(field.json, entry.line, _fold_field_names(entry.value, field.type))
    return replace(node, entries=list(entries.values()))


def validate(policy: Policy, extenders: tuple[ExtenderConfig, ...]) -> None:
    """Raise ConfigError of stage build with one message for all problems that ValidatePolicy finds."""
    problems = list(_validate_policy(policy, extenders))
    if problems:
        raise ConfigError("build", problems, [f"couldn't create scheduler from policy: {aggregate(problems)}"])


def _validate_policy(policy: Policy, extenders: tuple[ExtenderConfig, ...]) -> Iterator[Problem]:
    custom: dict[str, PriorityPolicy] = {}
    for index, priority in enumerate(policy.priorities or ()):
        path = f"priorities[{index}]"
        if not 0 < priority.weight < _MAX_WEIGHT:
            text = f"priority {priority.name} should have a positive weight applied to it or it has overflown"
            yield Problem(f"{path}.weight", None, text, say("weights start at 1"), text=text)
        yield from _check_custom_priority(custom, priority, f"{path}.argument")
    yield from validate_extenders(extenders, BAD_RESOURCE)
    weight = policy.hard_pod_affinity_symmetric_weight
    if not 0 <= weight <= 100:
        yield invalid("hardPodAffinitySymmetricWeight", weight, "not in valid range [0-100]")


def _check_custom_priority(known: dict[str, PriorityPolicy], priority: PriorityPolicy, path: str) -> Iterator[Problem]:
    """Check priorities that become one plugin, whose weights must be equal. Source: validateCustomPriorities."""
    argument, text = priority.argument, ""
    if argument is None:
        return
    if argument.label_preference is None and argument.service_anti_affinity is None:
        kind = "RequestedToCapacityRatio"
        if argument.requested_to_capacity_ratio_arguments is None:
            text = f"no priority arguments set for priority {priority.name}"
        elif kind in known:
            of = f"custom priority {quote(kind)}, from: {quote(known[kind].name)}"
            text = f"priority {quote(priority.name)} redeclares {of}"
    else:
        kind = "LabelPreference" if argument.label_preference is not None else "ServiceAntiAffinity"
        if kind in known and known[kind].weight != priority.weight:
            other = quote(known[kind].name)
            text = f"{kind}  priority {quote(priority.name)} has a different weight with {other}"
    if text:
        yield Problem(path, None, text, text=text)
    else:
        known[kind] = priority


def check_predicate_name(name: str, path: str) -> Problem:
    """Raise ConfigError for an unknown predicate."""
    text = f"Invalid configuration: Predicate type not found for {quote(name)}"
    return Problem(path, None, text, did_you_mean(name, PREDICATES), text=text)


def check_priority_name(name: str, path: str) -> Problem:
    """Raise ConfigError for an unknown priority."""
    text = f"Invalid configuration: Priority type not found for {quote(name)}"
    return Problem(path, None, text, did_you_mean(name, (*PRIORITIES, EQUAL_PRIORITY)), text=text)
