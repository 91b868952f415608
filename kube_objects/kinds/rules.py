"""Rules for what controllers read: a kind says its fields and the rule of each in one place.

Scheduling takes such objects as they are; the rules are told where people bring them (`Kind.check`).
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
"""Reads `parent[key]`, which stands at `path` below, and adds what is wrong with it."""

_PERCENT = re.compile(r"\d{1,9}%", re.ASCII)


@dataclass(slots=True, frozen=True)
class Inside:
    """A mapping, or with `is_list` a list of mappings, and the rules of its fields."""

    rules: Mapping[str, "Rule | Inside"]
    is_list: bool = False

    @property
    def fields(self) -> Fields:
        return {key: _fields(rule) for key, rule in self.rules.items()}

    def __call__(self, parent: Manifest, key: str, path: str, problems: Problems) -> None:
        if self.is_list:
            for at, item in read.mappings(parent, key, path, problems):
                self.check(item, at, problems)
        else:
            found = read.mapping(parent, key, path, problems)
            if found is not None:
                self.check(found, read.child(path, key), problems)

    def check(self, value: Manifest, path: str, problems: Problems) -> None:
        for key, rule in self.rules.items():
            rule(value, key, path, problems)


def _fields(rule: "Rule | Inside") -> "Fields | None":
    if isinstance(rule, Inside):
        return rule.fields
    return rule.fields if isinstance(rule, Template) else ALL


@dataclass(slots=True, frozen=True)
class Template:
    """A pod template; `policies` are the values of restartPolicy that its owner allows. Not `is_required`: pods that
    are given already may have an owner of which nobody needs more than the selector.
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
        at = read.child(path, key)
        found = read.mapping(parent, key, path, problems)
        if found is None:
            return
        about = read.mapping(found, "metadata", at, problems) or {}
        spec = read.mapping(found, "spec", at, problems) or {}
        read.choice(spec, "restartPolicy", f"{at}.spec", problems, self.policies)
        if "OnFailure" in self.policies and not spec.get("restartPolicy"):
            problems.append(field_errors.required(f"{at}.spec.restartPolicy"))
        # Its name and namespace are not its own; what else is wrong stands where it would in a pod.
        named = {"name": "pod", **{part: about[part] for part in ("labels", "annotations") if part in about}}
        inside: Problems = []
        parse_pod({"apiVersion": "v1", "kind": "Pod", "metadata": named, "spec": spec}, inside)
        problems.extend(problem.below(f"{at}.") for problem in inside)


def natural(parent: Manifest, key: str, path: str, problems: Problems) -> int | None:
    return read.integer(parent, key, path, problems, 0)


def positive(parent: Manifest, key: str, path: str, problems: Problems) -> int | None:
    return read.integer(parent, key, path, problems, 1)


def choice(*allowed: str) -> Rule:
    return lambda parent, key, path, problems: read.choice(parent, key, path, problems, allowed)


def amount(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    """A number of pods, or a part of them. Source: ValidatePositiveIntOrPercent."""
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
    """A curve: TIME=QUANTITY, some of them."""
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
    """It is read, and whoever reads it says what is wrong."""


def selects_its_template(manifest: Manifest, problems: Problems) -> None:
    """Source: ValidateDeploymentSpec: a controller that does not select its pods would make them for ever."""
    spec = _mapping(manifest, "spec")
    found: Problems = []
    selector = selectors.label_selector(spec, "selector", "spec", found)
    labels = _mapping(_mapping(_mapping(spec, "template"), "metadata"), "labels")
    if selector is None or found or not isinstance(spec.get("template"), Mapping):
        return
    if not selector.requirements:
        problems.append(Problem("spec.selector", spec.get("selector"), say("an empty selector selects every pod")))
    elif not selector.matches(labels):
        rule = quoted("`selector` does not match template `labels`")
        problems.append(Problem("spec.template.metadata.labels", labels, rule))


def _mapping(parent: Manifest, key: str) -> Manifest:
    found = parent.get(key)
    return found if isinstance(found, Mapping) else {}
