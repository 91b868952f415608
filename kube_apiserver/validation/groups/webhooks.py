"""Validation of admission webhook configurations. Source: pkg/apis/admissionregistration/validation.

CEL expressions are parsed but not type-checked, apart from constants.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from kube_apiserver import budgets, causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import report_broken_rules, validate_label_selector
from kube_objects import expressions, names

Object = Mapping[str, Any]

_FAILURES, _MATCHES, _EFFECTS = ("Fail", "Ignore"), ("Equivalent", "Exact"), ("None", "NoneOnDryRun")
_SCOPES, _AGAIN = ("*", "Cluster", "Namespaced"), ("IfNeeded", "Never")
_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_VERSIONS = ("v1", "v1beta1")
_LONGEST, _MOST_CONDITIONS = 30, 64
_FORM = "; desired format: https://host[/path]"


def validate_webhook_configuration(value: Object) -> Iterator[Cause]:
    """Validate a validating or a mutating webhook configuration."""
    seen: set[str] = set()
    for number, hook in enumerate(value.get("webhooks") or ()):
        hook_path, name = f"webhooks[{number}]", str(hook.get("name") or "")
        yield from _validate_webhook(hook, name, hook_path)
        yield from _validate_review_versions(
            hook.get("admissionReviewVersions") or [], f"{hook_path}.admissionReviewVersions"
        )
        if name and name in seen:
            yield causes.duplicate(f"{hook_path}.name", name)
        seen.add(name)


def _validate_webhook(hook: Object, name: str, path: str) -> Iterator[Cause]:
    yield from _validate_qualified_name(name, f"{path}.name")
    for number, rule in enumerate(hook.get("rules") or ()):
        yield from validate_rule_with_operations(rule, f"{path}.rules[{number}]")
    yield from _validate_enum(hook, "failurePolicy", _FAILURES, path)
    yield from _validate_enum(hook, "matchPolicy", _MATCHES, path)
    if hook.get("sideEffects") is None:
        yield causes.required(f"{path}.sideEffects", f"must specify one of {', '.join(_EFFECTS)}")
    yield from _validate_enum(hook, "sideEffects", _EFFECTS, path)
    seconds = hook.get("timeoutSeconds")
    if seconds is not None and not 1 <= seconds <= _LONGEST:
        yield causes.invalid(f"{path}.timeoutSeconds", seconds, "the timeout value must be between 1 and 30 seconds")
    for key in ("namespaceSelector", "objectSelector"):
        yield from validate_label_selector(hook.get(key), f"{path}.{key}")
    yield from _validate_enum(hook, "reinvocationPolicy", _AGAIN, path)
    yield from _validate_client_config(hook.get("clientConfig") or {}, f"{path}.clientConfig")
    yield from validate_match_conditions(hook.get("matchConditions") or (), f"{path}.matchConditions")


def _validate_enum(holder: Object, key: str, known: Sequence[str], path: str) -> Iterator[Cause]:
    if holder.get(key) is not None and holder[key] not in known:
        yield causes.unsupported(f"{path}.{key}", holder[key], known)


def _validate_qualified_name(name: str, path: str) -> Iterator[Cause]:
    """Source: IsFullyQualifiedName."""
    if not name:
        yield causes.required(path)
    elif rule := names.dns_subdomain(name):
        yield causes.invalid(path, name, rule.replace("; ", ","))
    elif name.count(".") < 2:
        yield causes.invalid(path, name, "should be a domain with at least three segments separated by dots")


def validate_rule_with_operations(rule: Object, path: str) -> Iterator[Cause]:
    operations = rule.get("operations") or []
    if not operations:
        yield causes.required(f"{path}.operations")
    yield from _validate_wildcard(operations, f"{path}.operations", "operations")
    for number, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            yield causes.unsupported(f"{path}.operations[{number}]", operation, _OPERATIONS)
    for key, others in (("apiGroups", "API groups"), ("apiVersions", "API versions")):
        values = rule.get(key) or []
        if not values:
            yield causes.required(f"{path}.{key}")
        yield from _validate_wildcard(values, f"{path}.{key}", others)
        for number, operation in enumerate(values if key == "apiVersions" else ()):
            if not operation:
                yield causes.required(f"{path}.{key}[{number}]")
    yield from _validate_resources(rule.get("resources") or [], f"{path}.resources")
    yield from _validate_enum(rule, "scope", _SCOPES, path)


def _validate_wildcard(values: list[Any], path: str, others: str) -> Iterator[Cause]:
    if len(values) > 1 and "*" in values:
        yield causes.invalid(path, values, f"if '*' is present, must not specify other {others}")


def _validate_resources(resources: list[Any], path: str) -> Iterator[Cause]:
    """Source: validateResources."""
    if not resources:
        yield causes.required(path)
    all_subresources: set[str] = set()
    all_resources: set[str] = set()
    has_plain = False
    for number, entry in enumerate(resources):
        entry_path, (resource, slash, subresource) = f"{path}[{number}]", str(entry).partition("/")
        if not entry:
            yield causes.required(entry_path)
            continue
        if not slash:
            # Upstream considers only the last entry.
            has_plain = entry != "*"
            continue
        if resource in all_subresources:
            yield causes.invalid(entry_path, entry, f"if '{resource}/*' is present, must not specify {entry}")
        if subresource in all_resources:
            yield causes.invalid(entry_path, entry, f"if '*/{subresource}' is present, must not specify {entry}")
        if subresource == "*":
            all_subresources.add(resource)
        if resource == "*":
            all_resources.add(subresource)
    if len(resources) > 1 and "*/*" in resources:
        yield causes.invalid(path, resources, "if '*/*' is present, must not specify other resources")
    if "*" in resources and has_plain:
        detail = "if '*' is present, must not specify other resources without subresources"
        yield causes.invalid(path, resources, detail)


def _validate_review_versions(versions: list[Any], path: str) -> Iterator[Cause]:
    """Source: validateAdmissionReviewVersions."""
    known = ", ".join(_VERSIONS)
    if not versions:
        yield causes.required(path, f"must specify one of {known}")
        return
    for number, version in enumerate(versions):
        if version in versions[:number]:
            yield causes.invalid(f"{path}[{number}]", version, "duplicate version")
        else:
            yield from report_broken_rules(f"{path}[{number}]", version, names.dns_1035(str(version)))
    if not set(versions) & set(_VERSIONS):
        yield causes.invalid(path, versions, f"must include at least one of {known}")


def validate_match_conditions(conditions: Sequence[Object], path: str) -> Iterator[Cause]:
    """Source: validateMatchConditions."""
    seen: set[str] = set()
    if len(conditions) > _MOST_CONDITIONS:
        yield causes.too_many(path, len(conditions), _MOST_CONDITIONS)
    for number, condition in enumerate(conditions):
        condition_path, name = f"{path}[{number}]", str(condition.get("name") or "")
        if not str(condition.get("expression") or "").strip():
            yield causes.required(f"{condition_path}.expression")
        elif wrong := expressions.syntax_error(str(condition["expression"])):
            yield causes.invalid(f"{condition_path}.expression", str(condition["expression"]), wrong)
        elif (actual := budgets.constant_type(str(condition["expression"]))) not in ("", "bool"):
            detail = f"must evaluate to bool but got {actual}"
            yield causes.invalid(f"{condition_path}.expression", str(condition["expression"]), detail)
        if not name:
            yield causes.required(f"{condition_path}.name")
        else:
            yield from report_broken_rules(f"{condition_path}.name", name, names.qualified_name(name))
            if name in seen:
                yield causes.duplicate(f"{condition_path}.name", name)
            seen.add(name)


def _validate_client_config(config: Object, path: str) -> Iterator[Cause]:
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        yield causes.required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from _validate_url(str(url), f"{path}.url")
    else:
        yield from _validate_service_reference(service or {}, f"{path}.service")


def _validate_url(url: str, path: str) -> Iterator[Cause]:
    """Source: apiserver/pkg/util/webhook ValidateWebhookURL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        yield causes.required(path, f"url must be a valid URL: {url}{_FORM}")
        return
    user, _, host = parts.netloc.rpartition("@")
    if parts.scheme != "https":
        yield causes.invalid(path, parts.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    if not host:
        yield causes.invalid(path, "", f"host must be specified{_FORM}")
    for text, what in (
        (user, "user information is"),
        (parts.fragment, "fragments are"),
        (parts.query, "query parameters are"),
    ):
        if text:
            yield causes.invalid(path, text, f"{what} not permitted in the URL")


def _validate_service_reference(service: Object, path: str) -> Iterator[Cause]:
    # Upstream swaps the two paths.
    for key, other in (("namespace", "name"), ("name", "namespace")):
        if not service.get(key):
            yield causes.required(f"{path}.{other}")
    port = service.get("port") or 0
    if not 1 <= port <= 65535:
        detail = "port is not valid: must be between 1 and 65535, inclusive"
        yield causes.invalid(f"{path}.port", port, detail)
    url_path, path_path = str(service.get("path") or ""), f"{path}.path"
    if url_path in ("", "/"):
        return
    if url_path == "//":
        yield causes.invalid(path_path, url_path, "segment[0] may not be empty")
        return
    if not url_path.startswith("/"):
        yield causes.invalid(path_path, url_path, "must start with a '/'")
    for number, segment in enumerate(url_path[1:].removesuffix("/").split("/")):
        if not segment:
            yield causes.invalid(path_path, url_path, f"segment[{number}] may not be empty")
        else:
            for rule in filter(None, names.dns_subdomain(segment).split("; ")):
                yield causes.invalid(path_path, url_path, f"segment[{number}]: {rule}")
