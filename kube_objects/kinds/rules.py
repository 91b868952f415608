"""Validation rules of fields that only controllers read: each kind lists its fields with their rules.

Scheduling accepts such objects as they are; the rules apply to user input (`Kind.check`).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kube_objects import field_errors, names, read
from kube_objects.parsers import selectors
from kube_objects.parsers.pod import parse_pod
from kube_objects.quantity import QuantityError, parse_milli
from kube_objects.read import Manifest, Problems
from kube_objects.read_fields import ALL, Fields
from kube_objects.sentences import quoted, say
from kube_objects.text import curve
from kube_objects.text.problems import Problem

Rule = Callable[[Manifest, str, str, Problems], object]
"""A function that reads `parent[key]` at `path` and appends its problems."""

_PERCENT = re.compile(r"\d{1,9}%", re.ASCII)


@dataclass(slots=True, frozen=True)
class MappingRule:
    """The rules of a mapping's fields, or with `is_list` of each mapping in a list."""

    rules: Mapping[str, "Rule | MappingRule"]
    is_list: bool = False

    @property
    def fields(self) -> Fields:
        return {key: _fields(rule) for key, rule in self.rules.items()}

    def __call__(self, parent: Manifest, key: str, path: str, problems: Problems) -> None:
        if self.is_list:
            for item_path, item in read.mappings(parent, key, path, problems):
                self.check(item, item_path, problems)
        else:
            value = read.mapping(parent, key, path, problems)
            if value is not None:
                self.check(value, read.child(path, key), problems)

    def check(self, value: Manifest, path: str, problems: Problems) -> None:
        for key, rule in self.rules.items():
            rule(value, key, path, problems)


def _fields(rule: "Rule | MappingRule") -> "Fields | None":
    if isinstance(rule, MappingRule):
        return rule.fields
    return rule.fields if isinstance(rule, PodTemplateRule) else ALL


@dataclass(slots=True, frozen=True)
class PodTemplateRule:
    """The rule of a Pod template. `policies` are the values of restartPolicy that its owner allows.

    It is not required for owners of existing Pods, of which only the selector matters.
    """

    spec: Fields
    policies: tuple[str, ...] = ("Always",)
    is_required: bool = True

    @property
    def fields(self) -> Fields:
        return {"metadata": {"labels": ALL, "annotations": ALL}, "spec": {**self.spec, "restartPolicy": ALL}}

    def __call__(self, parent: Manifest, key: str, path: str, problems: Problems) -> None:
        if parent.get(key) is None and self.is_required:
            problems.append(field_errors.required(read.child(path, key)))
        template_path = read.child(path, key)
        template = read.mapping(parent, key, path, problems)
        if template is None:
            return
        metadata = read.mapping(template, "metadata", template_path, problems) or {}
        spec = read.mapping(template, "spec", template_path, problems) or {}
        read.choice(spec, "restartPolicy", f"{template_path}.spec", problems, self.policies)
        if "OnFailure" in self.policies and not spec.get("restartPolicy"):
            problems.append(field_errors.required(f"{template_path}.spec.restartPolicy"))
        # The template is validated as a Pod, without the fields of an identity.
        copied = {part: metadata[part] for part in ("labels", "annotations") if part in metadata}
        pod_metadata = {"name": "pod", **copied}
        pod_problems: Problems = []
        parse_pod({"apiVersion": "v1", "kind": "Pod", "metadata": pod_metadata, "spec": spec}, pod_problems)
        problems.extend(problem.below(f"{template_path}.") for problem in pod_problems)


def natural(parent: Manifest, key: str, path: str, problems: Problems) -> int | None:
    return read.integer(parent, key, path, problems, 0)


def positive(parent: Manifest, key: str, path: str, problems: Problems) -> int | None:
    return read.integer(parent, key, path, problems, 1)


def choice(*allowed: str) -> Rule:
    return lambda parent, key, path, problems: read.choice(parent, key, path, problems, allowed)


def amount(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    """Check a number of Pods, or a percentage. Source: ValidatePositiveIntOrPercent."""
    value = parent.get(key)
    if isinstance(value, str) and _PERCENT.fullmatch(value):
        return
    if value is not None and (type(value) is not int or value < 0):
        problems.append(Problem(read.child(path, key), value, say("must be a whole number, or a part such as 25%")))


def decimal(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    value = parent.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12):
        problems.append(Problem(read.child(path, key), value, say("must be a number, and not below 0")))


def time(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    value = parent.get(key)
    if value is None:
        return
    try:
        if isinstance(value, bool):
            raise ValueError
        curve.seconds_of(str(value))
    except ValueError:
        problems.append(Problem(read.child(path, key), value, say("must be a time, such as 90, 90s, 10m or 2h")))


def load(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    """Check a curve of points in the form TIME=QUANTITY."""
    text = parent.get(key)
    if text is None:
        return
    try:
        for _, value, _part in curve.points_of(text if isinstance(text, str) else ""):
            parse_milli(value)
    except (curve.CurveError, QuantityError):
        rule = say("must be points in the form TIME=AMOUNT, such as 0h=5 12h=120 18h=300")
        problems.append(Problem(read.child(path, key), text, rule))


def required_selector(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    selector = selectors.label_selector(parent, key, path, problems)
    if selector is None and parent.get(key) is None:
        problems.append(field_errors.required(read.child(path, key), say("as in the template's labels")))


def optional_selector(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    selectors.label_selector(parent, key, path, problems)


def required(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    read.required_text(parent, key, path, problems)


def dns_name(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    text = read.required_text(parent, key, path, problems)
    if text and (rule := names.dns_subdomain(text)):
        problems.append(Problem(read.child(path, key), text, rule))


def anything(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    """Accept any value, because its reader reports problems."""


def selects_its_template(manifest: Manifest, problems: Problems) -> None:
    """Check that the selector matches the template's labels. Source: ValidateDeploymentSpec."""
    spec = _mapping(manifest, "spec")
    selector_problems: Problems = []
    selector = selectors.label_selector(spec, "selector", "spec", selector_problems)
    labels = _mapping(_mapping(_mapping(spec, "template"), "metadata"), "labels")
    if selector is None or selector_problems or not isinstance(spec.get("template"), Mapping):
        return
    if not selector.requirements:
        problems.append(Problem("spec.selector", spec.get("selector"), say("an empty selector selects every pod")))
    elif not selector.matches(labels):
        rule = quoted("`selector` does not match template `labels`")
        problems.append(Problem("spec.template.metadata.labels", labels, rule))


def _mapping(parent: Manifest, key: str) -> Manifest:
    value = parent.get(key)
    return value if isinstance(value, Mapping) else {}
