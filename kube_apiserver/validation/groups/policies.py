"""Validation of admission policies and their bindings. Source: pkg/apis/admissionregistration/validation/validation.go.

CEL expressions are parsed but not type-checked, apart from constants.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import budgets, causes
from kube_apiserver.causes import Cause
from kube_apiserver.custom.declared import RESERVED
from kube_apiserver.validation.groups import webhooks
from kube_apiserver.validation.metadata import find_path_segment_error, report_broken_rules, validate_label_selector
from kube_objects import expressions, names

Object = Mapping[str, Any]

_FAILURES, _MATCHES = ("Fail", "Ignore"), ("Equivalent", "Exact")
_ACTIONS, _NOT_FOUND = ("Audit", "Deny", "Warn"), ("Deny", "Allow")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_AGAIN = ("IfNeeded", "Never")
_MUTATING = ("*", "CONNECT", "CREATE", "UPDATE")
# The field of each patch type, and the type that its expression must evaluate to.
_PATCHES = {"ApplyConfiguration": ("applyConfiguration", "Object"), "JSONPatch": ("jsonPatch", "list(JSONPatch)")}
_MOST_ANNOTATIONS = 20
_LEAST_ONE = "validations or auditAnnotations must contain at least one item"
_TWICE = (
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and "
    "headers serves no purpose)"
)
_EITHER = "name and selector are mutually exclusive"
_LINES = re.compile(r"[\n\r]")
_IDENTIFIER = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")


def validate_validating_policy(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from _validate_policy_fields(spec, ())
    validations, annotations = spec.get("validations") or (), spec.get("auditAnnotations") or ()
    if not validations and not annotations:
        yield causes.required("spec.validations", _LEAST_ONE)
        yield causes.required("spec.auditAnnotations", _LEAST_ONE)
    for number, each in enumerate(validations):
        yield from _validate_validation(each, f"spec.validations[{number}]")
    yield from _validate_audit_annotations(
        annotations, "spec.auditAnnotations", str(value["metadata"].get("name") or "")
    )


def validate_mutating_policy(value: Object) -> Iterator[Cause]:
    """Validate a MutatingAdmissionPolicy. Source: validateMutatingAdmissionPolicySpec."""
    spec = value.get("spec") or {}
    yield from _validate_policy_fields(spec, _MUTATING)
    mutations = spec.get("mutations") or ()
    if not mutations:
        yield causes.required("spec.mutations", "mutations must contain at least one item")
    for number, each in enumerate(mutations):
        yield from _validate_mutation(each, f"spec.mutations[{number}]")
    yield from _validate_enum(spec, "reinvocationPolicy", _AGAIN, "spec")


def _validate_policy_fields(spec: Object, operations: Sequence[str]) -> Iterator[Cause]:
    """Validate the fields that both kinds of policies have.

    `operations` are the operations that the kind allows; empty means all.
    """
    yield from _validate_enum(spec, "failurePolicy", _FAILURES, "spec")
    if spec.get("paramKind") is not None:
        yield from _validate_param_kind(spec["paramKind"], "spec.paramKind")
    constraints = spec.get("matchConstraints")
    if constraints is None:
        yield causes.required("spec.matchConstraints")
    else:
        yield from _validate_match_resources(constraints, "spec.matchConstraints")
        if not constraints.get("resourceRules"):
            yield causes.required("spec.matchConstraints.resourceRules")
        yield from _validate_operations(constraints, operations, "spec.matchConstraints")
    yield from webhooks.validate_match_conditions(spec.get("matchConditions") or (), "spec.matchConditions")
    for number, each in enumerate(spec.get("variables") or ()):
        yield from _validate_variable(each, f"spec.variables[{number}]")


def validate_mutating_binding(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from _validate_binding_fields(spec)
    yield from _validate_operations(spec.get("matchResources") or {}, _MUTATING, "spec.matchResources")


def _validate_operations(constraints: Object, known: Sequence[str], path: str) -> Iterator[Cause]:
    for rule in constraints.get("resourceRules") or ():
        for operation in rule.get("operations") or ():
            if known and operation not in known:
                yield causes.unsupported(f"{path}.resourceRules.operations", operation, known)


def _validate_mutation(mutation: Object, path: str) -> Iterator[Cause]:
    kind = mutation.get("patchType") or ""
    if not kind:
        yield causes.required(f"{path}.patchType")
        return
    if kind not in _PATCHES:
        yield causes.unsupported(f"{path}.patchType", kind, list(_PATCHES))
        return
    field, type_name = _PATCHES[kind]
    if mutation.get(field) is None:
        yield causes.required(f"{path}.{field}", f"must be specified when patchType is {kind}")
    else:
        text, expression_path = str(mutation[field].get("expression") or "").strip(), f"{path}.{field}.expression"
        yield from (
            _validate_expression(text, expression_path, type_name) if text else (causes.required(expression_path),)
        )
    for other, _ in _PATCHES.values():
        if other != field and mutation.get(other) is not None:
            detail = f"must not be specified when patchType is {kind}"
            yield causes.invalid(f"{path}.{other}", f"{{{other}}}", detail)


def validate_validating_binding(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from _validate_binding_fields(spec)
    yield from _validate_actions(spec.get("validationActions") or [], "spec.validationActions")


def _validate_binding_fields(spec: Object) -> Iterator[Cause]:
    name = str(spec.get("policyName") or "")
    if not name:
        yield causes.required("spec.policyName")
    else:
        yield from report_broken_rules("spec.policyName", name, names.dns_subdomain(name))
    if spec.get("paramRef") is not None:
        yield from _validate_param_ref(spec["paramRef"], "spec.paramRef")
    if spec.get("matchResources") is not None:
        yield from _validate_match_resources(spec["matchResources"], "spec.matchResources")


def _validate_enum(holder: Object, key: str, known: Sequence[str], path: str) -> Iterator[Cause]:
    if not holder.get(key):
        yield causes.required(f"{path}.{key}")
    elif holder[key] not in known:
        yield causes.unsupported(f"{path}.{key}", holder[key], known)


def _validate_param_kind(param_kind: Object, path: str) -> Iterator[Cause]:
    version, kind = str(param_kind.get("apiVersion") or ""), str(param_kind.get("kind") or "")
    if not version:
        yield causes.required(f"{path}.apiVersion")
    elif version.count("/") > 1:
        yield causes.invalid(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")
    else:
        group, _, name = version.rpartition("/")
        if group and (rule := names.dns_subdomain(group)):
            yield causes.invalid(f"{path}.apiVersion", group, rule.replace("; ", ","))
        if not name:
            yield causes.invalid(f"{path}.apiVersion", version, "version must be specified")
        elif rule := names.dns_1035(name):
            yield causes.invalid(f"{path}.apiVersion", name, rule.replace("; ", ","))
    if not kind:
        yield causes.required(f"{path}.kind")
    elif rule := names.dns_1035(kind.lower()):
        detail = f"may have mixed case, but should otherwise match: {rule.replace('; ', ',')}"
        yield causes.invalid(f"{path}.kind", kind, detail)


def _validate_match_resources(match_resources: Object, path: str) -> Iterator[Cause]:
    """Validate match constraints. Source: validateMatchResources."""
    yield from _validate_enum(match_resources, "matchPolicy", _MATCHES, path)
    for key in ("namespaceSelector", "objectSelector"):
        if match_resources.get(key) is not None:
            yield from validate_label_selector(match_resources[key], f"{path}.{key}")
    for key in ("resourceRules", "excludeResourceRules"):
        for number, rule in enumerate(match_resources.get(key) or ()):
            yield from _validate_named_rule(rule, f"{path}.{key}[{number}]")


def _validate_named_rule(rule: Object, path: str) -> Iterator[Cause]:
    seen = set[str]()
    for number, name in enumerate(rule.get("resourceNames") or ()):
        name_path = f"{path}.resourceNames[{number}]"
        if detail := find_path_segment_error(str(name)):
            yield causes.invalid(name_path, name, detail)
        if name in seen:
            yield causes.duplicate(name_path, name)
        seen.add(name)
    yield from webhooks.validate_rule_with_operations(rule, path)


def _validate_variable(variable: Object, path: str) -> Iterator[Cause]:
    name = str(variable.get("name") or "")
    if not name.strip():
        yield causes.required(f"{path}.name", "name is not specified")
    elif not _IDENTIFIER.fullmatch(name) or name in RESERVED:
        yield causes.invalid(f"{path}.name", name, "must be a valid CEL identifier")
    if not str(variable.get("expression") or "").strip():
        yield causes.required(f"{path}.expression", "expression is not specified")
    else:
        yield from _validate_expression(variable["expression"], f"{path}.expression")


def _validate_expression(expression: Any, path: str, *wanted: str) -> Iterator[Cause]:
    """Yield a syntax error, or a wrong type.

    Only constant expressions have a known type; `wanted` lists the allowed types.
    """
    text = str(expression)
    if wrong := expressions.syntax_error(text):
        yield causes.invalid(path, text, wrong)
    elif wanted and (actual := budgets.constant_type(text)) and actual not in wanted:
        any_of = wanted[0] if len(wanted) == 1 else f"one of [{' '.join(wanted)}]"
        yield causes.invalid(path, text, f"must evaluate to {any_of} but got {actual}")


def _validate_validation(validation: Object, path: str) -> Iterator[Cause]:
    if not str(validation.get("expression") or "").strip():
        yield causes.required(f"{path}.expression", "expression is not specified")
    else:
        yield from _validate_expression(validation["expression"], f"{path}.expression", "bool")
    for key in ("messageExpression", "message"):
        text = str(validation.get(key) or "")
        if text and not text.strip():
            yield causes.invalid(f"{path}.{key}", text, "must be non-empty if specified")
        elif key == "messageExpression" and text:
            yield from _validate_expression(text, f"{path}.{key}", "string")
        elif key == "message" and _LINES.search(text.strip()):
            yield causes.invalid(f"{path}.message", text, "must not contain line breaks")
    if validation.get("reason") is not None and validation["reason"] not in _REASONS:
        yield causes.unsupported(f"{path}.reason", validation["reason"], _REASONS)


def _validate_audit_annotations(annotations: Sequence[Object], path: str, policy: str) -> Iterator[Cause]:
    """Validate audit annotations, whose keys are prefixed with the policy's name. Source: validateAuditAnnotation."""
    if len(annotations) > _MOST_ANNOTATIONS:
        yield causes.invalid(path, annotations, f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations")
    seen = set[str]()
    for number, annotation in enumerate(annotations):
        key = str(annotation.get("key") or "")
        if policy:
            yield from report_broken_rules(
                f"{path}[{number}].key", f"{policy}/{key}", names.qualified_name(f"{policy}/{key}")
            )
        else:
            yield causes.invalid(f"{path}[{number}].key", key, "requires metadata.name be non-empty")
        if not str(annotation.get("valueExpression") or "").strip():
            yield causes.required(f"{path}[{number}].valueExpression", "valueExpression is not specified")
        else:
            yield from _validate_expression(
                annotation["valueExpression"], f"{path}[{number}].valueExpression", "string", "null_type"
            )
        if key in seen:
            yield causes.duplicate(f"{path}[{number}].key", key)
        seen.add(key)


def _validate_param_ref(reference: Object, path: str) -> Iterator[Cause]:
    name, selector = str(reference.get("name") or ""), reference.get("selector")
    if name and (detail := find_path_segment_error(name)):
        yield causes.invalid(f"{path}.name", name, detail)
    if name and selector is not None:
        yield causes.forbidden(f"{path}.name", _EITHER)
    if selector is not None:
        yield from validate_label_selector(selector, f"{path}.selector")
        if name:
            yield causes.forbidden(f"{path}.selector", _EITHER)
    elif not name:
        yield causes.required(path, "one of name or selector must be specified")
    yield from _validate_enum(reference, "parameterNotFoundAction", _NOT_FOUND, path)


def _validate_actions(actions: Sequence[Any], path: str) -> Iterator[Cause]:
    for number, action in enumerate(actions):
        if action not in _ACTIONS:
            yield causes.unsupported(f"{path}[{number}]", action, _ACTIONS)
        if action in actions[:number]:
            yield causes.duplicate(f"{path}[{number}]", action)
    if {"Deny", "Warn"} <= set(actions):
        yield causes.invalid(path, list(actions), _TWICE)
    if not actions:
        yield causes.required(path, "at least one validation action is required")
