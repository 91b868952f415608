"""Validation of Ingresses and IngressClasses. Source: pkg/apis/networking/validation."""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import ports, texts
from kube_apiserver.validation.metadata import find_path_segment_error, report_broken_rules, validate_immutable_field
from kube_objects import names

Object = Mapping[str, Any]

CLASS_ANNOTATION = "kubernetes.io/ingress.class"
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_WILDCARD = rf"\*\.{_LABEL}(\.{_LABEL})*"
_WILDCARD_RULE = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "
    rf"regex used for validation is '{_WILDCARD}')"
)
_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_NOT_IN_PATH, _NOT_AT_END = ("//", "/./", "/../", "%2f", "%2F"), ("/..", "/.")
_HTTP_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_MOST_CONTROLLER = 250
_SCOPES = ("Cluster", "Namespace")


def validate_ingress(value: Object) -> Iterator[Cause]:
    yield from _validate_ingress_spec(value.get("spec") or {})
    annotation = (value["metadata"].get("annotations") or {}).get(CLASS_ANNOTATION)
    name = (value.get("spec") or {}).get("ingressClassName")
    if annotation is not None and name is not None and annotation != name:
        detail = "must match `ingressClassName` when both are specified"
        yield causes.invalid(f"annotations.{CLASS_ANNOTATION}", annotation, detail)


def validate_ingress_update(live: Object, value: Object) -> Iterator[Cause]:
    was = live.get("spec") or {}
    # An Ingress stored with an invalid Secret name may keep it.
    has_odd_secret = any(cause["field"].endswith("secretName") for cause in _validate_tls(was))
    for cause in _validate_ingress_spec(value.get("spec") or {}):
        if not (has_odd_secret and cause["field"].endswith("secretName")):
            yield cause


def _validate_ingress_spec(spec: Object) -> Iterator[Cause]:
    rules, backend = spec.get("rules") or [], spec.get("defaultBackend")
    if not rules and backend is None:
        detail = "either `defaultBackend` or `rules` must be specified"
        yield causes.invalid("spec", spec.get("rules"), detail)
    if backend is not None:
        yield from _validate_backend(backend, "spec.defaultBackend")
    for number, each in enumerate(rules):
        yield from _validate_rule(each, f"spec.rules[{number}]")
    yield from _validate_tls(spec)
    name = spec.get("ingressClassName")
    if name is not None:
        yield from report_broken_rules("spec.ingressClassName", name, names.dns_subdomain(str(name)))


def _validate_tls(spec: Object) -> Iterator[Cause]:
    for number, tls in enumerate(spec.get("tls") or ()):
        tls_path = f"spec.tls[{number}]"
        for place, host in enumerate(tls.get("hosts") or ()):
            yield from _validate_host(str(host), f"{tls_path}.hosts[{place}]")
        secret = str(tls.get("secretName") or "")
        if secret:
            yield from report_broken_rules(f"{tls_path}.secretName", secret, names.dns_subdomain(secret))


def _validate_host(host: str, path: str) -> Iterator[Cause]:
    if "*" not in host:
        yield from report_broken_rules(path, host, names.dns_subdomain(host))
        return
    if len(host) > 253:
        yield causes.invalid(path, host, "must be no more than 253 characters")
    if not re.fullmatch(_WILDCARD, host[:254]):
        yield causes.invalid(path, host, _WILDCARD_RULE)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _validate_rule(rule: Object, path: str) -> Iterator[Cause]:
    host, http = str(rule.get("host") or ""), rule.get("http")
    if host and _is_address(host):
        yield causes.invalid(f"{path}.host", host, "must be a DNS name, not an IP address")
    if host:
        yield from _validate_host(host, f"{path}.host")
    if http is None:
        return
    if not http.get("paths"):
        yield causes.required(f"{path}.http.paths")
    for number, each in enumerate(http.get("paths") or ()):
        yield from _validate_http_path(each, f"{path}.http.paths[{number}]")


def _validate_http_path(http_path: Object, path: str) -> Iterator[Cause]:
    kind, text = http_path.get("pathType"), str(http_path.get("path") or "")
    if kind is None:
        yield causes.required(f"{path}.pathType", "pathType must be specified")
        return
    if kind not in _PATH_TYPES:
        yield causes.unsupported(f"{path}.pathType", kind, _PATH_TYPES)
    elif not text.startswith("/") and (text or kind != "ImplementationSpecific"):
        yield causes.invalid(f"{path}.path", text, "must be an absolute path")
    if kind in ("Exact", "Prefix"):
        for part in _NOT_IN_PATH:
            if part in text:
                yield causes.invalid(f"{path}.path", text, f"must not contain '{part}'")
        for part in _NOT_AT_END:
            if text.endswith(part):
                yield causes.invalid(f"{path}.path", text, f"cannot end with '{part}'")
    yield from _validate_backend(http_path.get("backend") or {}, f"{path}.backend")


def _validate_backend(backend: Object, path: str) -> Iterator[Cause]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        yield causes.invalid(path, "", "cannot set both resource and service backends")
    elif resource is not None:
        yield from _validate_object_reference(resource, f"{path}.resource")
    elif service is None:
        yield causes.invalid(path, "", "resource or service backend is required")
    else:
        yield from _validate_service_backend(service, path)


def _validate_service_backend(service: Object, path: str) -> Iterator[Cause]:
    name, port = str(service.get("name") or ""), service.get("port") or {}
    if not name:
        yield causes.required(f"{path}.service.name")
    else:
        yield from report_broken_rules(f"{path}.service.name", name, names.dns_label(name))
    if port.get("name") and port.get("number"):
        yield causes.invalid(path, "", "cannot set both port name & port number")
    elif port.get("name"):
        yield from ports.validate_port_name(str(port["name"]), f"{path}.service.port.name")
    elif port.get("number"):
        yield from ports.validate_port_number(port["number"], f"{path}.service.port.number")
    else:
        yield causes.required(path, "port name or number is required")


def _validate_object_reference(reference: Object, path: str) -> Iterator[Cause]:
    group = reference.get("apiGroup")
    if group is not None:
        yield from report_broken_rules(f"{path}.apiGroup", group, names.dns_subdomain(str(group)))
    for key in ("kind", "name"):
        text = str(reference.get(key) or "")
        if not text:
            yield causes.required(f"{path}.{key}")
        else:
            yield from report_broken_rules(f"{path}.{key}", text, find_path_segment_error(text))


def validate_ingress_class(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    controller, parameters = str(spec.get("controller") or ""), spec.get("parameters")
    if len(controller) > _MOST_CONTROLLER:
        yield causes.too_long("spec.controller", _MOST_CONTROLLER)
    yield from validate_domain_prefixed_path(controller, "spec.controller")
    if parameters is None:
        return
    parameters_path, scope, namespace = "spec.parameters", parameters.get("scope"), parameters.get("namespace")
    yield from _validate_object_reference(parameters, parameters_path)
    if scope is None:
        yield causes.required(f"{parameters_path}.scope")
    elif scope not in _SCOPES:
        yield causes.unsupported(f"{parameters_path}.scope", scope, _SCOPES)
    elif scope == "Namespace" and namespace is None:
        yield causes.required(f"{parameters_path}.namespace", "`parameters.scope` is set to 'Namespace'")
    elif scope == "Namespace":
        yield from report_broken_rules(f"{parameters_path}.namespace", namespace, names.dns_label(str(namespace)))
    elif namespace is not None:
        yield causes.forbidden(f"{parameters_path}.namespace", "`parameters.scope` is set to 'Cluster'")


def validate_ingress_class_update(live: Object, value: Object) -> Iterator[Cause]:
    old_controller, new_controller = ((each.get("spec") or {}).get("controller") or "" for each in (live, value))
    yield from validate_immutable_field("spec.controller", old_controller, new_controller)
    yield from validate_ingress_class(value)


def validate_domain_prefixed_path(text: str, path: str) -> Iterator[Cause]:
    """Source: IsDomainPrefixedPath."""
    if not text:
        yield causes.required(path)
        return
    host, _, rest = text.partition("/")
    if not host or not rest:
        yield causes.invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')
        return
    yield from report_broken_rules(path, host, names.dns_subdomain(host))
    if not re.fullmatch(_HTTP_PATH, rest):
        yield causes.invalid(path, rest, f"Invalid path (regex used for validation is '{_HTTP_PATH}')")


def validate_ingress_status(value: Object) -> Iterator[Cause]:
    balancer = (value.get("status") or {}).get("loadBalancer") or {}
    for number, point in enumerate(balancer.get("ingress") or ()):
        point_path, host = f"status.loadBalancer.ingress[{number}]", str(point.get("hostname") or "")
        if point.get("ip"):
            yield from texts.validate_ip(str(point["ip"]), f"{point_path}.ip")
        if host:
            yield from report_broken_rules(f"{point_path}.hostname", host, names.dns_subdomain(host))
        if host and _is_address(host):
            yield causes.invalid(f"{point_path}.hostname", host, "must be a DNS name, not an IP address")
