"""Warnings about Pods and Pod templates, including their IP addresses and volume paths.

Source: pkg/api/pod/warnings.go, apimachinery/pkg/util/validation/ip.go.
"""

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.amounts import nano
from kube_apiserver.admission.pod_parts import CONTAINERS
from kube_objects import names

Object = Mapping[str, Any]

DEPRECATED_LABELS: Mapping[str, str] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}
_OLD_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}
_OLD_VOLUMES = {
    "photonPersistentDisk": ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    "gitRepo": ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    "scaleIO": ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    "flocker": ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    "storageos": ("storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    "quobyte": ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    "glusterfs": ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    "cephfs": ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    "rbd": ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
}
_REQUIRED, _PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
_NO_SELECTOR = "a null labelSelector results in matching no pod"
_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_OF_POD, _OF_CONTAINER = "seccomp.security.alpha.kubernetes.io/pod", "container.seccomp.security.alpha.kubernetes.io/"
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_WHOLE = 10**9


def warn_about_template(template: Object, path: str) -> Iterator[str]:
    yield from warn_about_pod(template.get("metadata") or {}, template.get("spec") or {}, f"{path}.")


def warn_about_pod(metadata: Object, spec: Object, path: str) -> Iterator[str]:
    """Yield the warnings about a Pod or a template. `path` is the prefix of `spec` and `metadata`."""
    spec_path, annotations = f"{path}spec", metadata.get("annotations") or {}
    for key in sorted(spec.get("nodeSelector") or {}):
        if key in DEPRECATED_LABELS:
            yield f"{spec_path}.nodeSelector[{key}]: {DEPRECATED_LABELS[key]}"
    yield from _warn_about_node_affinity(
        (spec.get("affinity") or {}).get("nodeAffinity") or {}, f"{spec_path}.affinity.nodeAffinity"
    )
    for number, item in enumerate(spec.get("topologySpreadConstraints") or ()):
        yield from _warn_about_spread_constraint(item, f"{spec_path}.topologySpreadConstraints[{number}]")
    for key, message in _OLD_ANNOTATIONS.items():
        if key in annotations:
            yield f"{path}metadata.annotations[{key}]: {message}"
    for number, volume in enumerate(spec.get("volumes") or ()):
        yield from _warn_about_volume(volume, f"{spec_path}.volumes[{number}]")
    yield from warn_about_overlapping_paths(spec.get("volumes"))
    yield from _warn_about_names(spec, spec_path)
    for name in ("memory", "ephemeral-storage"):
        amount = (spec.get("overhead") or {}).get(name)
        if amount is not None and nano(amount) % _WHOLE:
            yield f'{spec_path}.overhead[{name}]: fractional byte value "{amount}" is invalid, must be an integer'
    if not (spec.get("securityContext") or {}).get("seccompProfile") and _OF_POD in annotations:
        yield f"{path}metadata.annotations[{_OF_POD}]: {_SECCOMP}"
    for container, place in _list_containers(spec, spec_path):
        yield from _warn_about_container(container, place, annotations, path, is_template=bool(path))
    yield from _warn_about_ports(spec, spec_path)
    yield from _warn_about_port_names(spec, spec_path)
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        message = "must be >= 0; negative values are invalid and will be treated as 1"
        yield f"{spec_path}.terminationGracePeriodSeconds: {message}"
    yield from _warn_about_pod_affinity(spec.get("affinity") or {}, f"{spec_path}.affinity")
    yield from warn_about_ips((spec.get("dnsConfig") or {}).get("nameservers"), f"{spec_path}.dnsConfig.nameservers")
    for number, item in enumerate(spec.get("hostAliases") or ()):
        yield from warn_about_ip(str(item.get("ip") or ""), f"{spec_path}.hostAliases[{number}].ip")


def _list_containers(spec: Object, path: str) -> Iterator[tuple[Object, str]]:
    """Yield containers and their paths in the order of upstream's VisitContainersWithPath."""
    for part in CONTAINERS:
        for number, container in enumerate(spec.get(part) or ()):
            yield container, f"{path}.{part}[{number}]"


def _warn_about_node_affinity(affinity: Object, path: str) -> Iterator[str]:
    required = affinity.get(_REQUIRED) or {}
    yield from warn_about_node_terms(required.get("nodeSelectorTerms"), f"{path}.{_REQUIRED}.nodeSelectorTerms")
    for number, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        term_path = f"{path}.{_PREFERRED}[{number}].preference"
        yield from _warn_about_node_term(preferred.get("preference") or {}, term_path, has_any_values=True)


def warn_about_node_terms(terms: Any, path: str) -> Iterator[str]:
    for number, term in enumerate(terms or ()):
        yield from _warn_about_node_term(term, f"{path}[{number}]", has_any_values=False)


def _warn_about_node_term(term: Object, path: str, *, has_any_values: bool) -> Iterator[str]:
    for number, requirement in enumerate(term.get("matchExpressions") or ()):
        requirement_path = f"{path}.matchExpressions[{number}]"
        if requirement.get("key") in DEPRECATED_LABELS:
            yield f"{requirement_path}.key: {requirement['key']} is {DEPRECATED_LABELS[requirement['key']]}"
        for place, value in enumerate((requirement.get("values") or ()) if has_any_values else ()):
            rule = names.label_value(str(value))
            if rule:
                yield f"{requirement_path}.values[{place}]: {value} is invalid, {rule}"


def _warn_about_spread_constraint(constraint: Object, path: str) -> Iterator[str]:
    key = str(constraint.get("topologyKey") or "")
    if key in DEPRECATED_LABELS:
        yield f"{path}.topologyKey: {key} is {DEPRECATED_LABELS[key]}"
    if constraint.get("labelSelector") is None:
        yield f"{path}.labelSelector: {_NO_SELECTOR}"


def _warn_about_volume(volume: Object, path: str) -> Iterator[str]:
    for key, (name, message) in _OLD_VOLUMES.items():
        if volume.get(key) is not None:
            yield f"{path}.{name}: {message}"
    template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate") or {}
    yield from warn_about_fractions(
        template.get("spec") or {}, f"{path}.ephemeral.volumeClaimTemplate.spec", ("storage",)
    )


def _warn_about_names(spec: Object, path: str) -> Iterator[str]:
    for part, key, message in (("hostAliases", "ip", "duplicate ip"), ("imagePullSecrets", "name", "duplicate name")):
        seen: set[str] = set()
        for number, item in enumerate(spec.get(part) or ()):
            name = str(item.get(key) or "")
            if name in seen:
                yield f'{path}.{part}[{number}].{key}: {message} "{name}"'
            seen.add(name)
    for number, item in enumerate(spec.get("imagePullSecrets") or ()):
        if not item.get("name"):
            yield f'{path}.imagePullSecrets[{number}].name: invalid empty name ""'


def warn_about_fractions(
    holder: Object, path: str, wanted: tuple[str, ...], order: tuple[str, ...] = ("requests", "limits")
) -> Iterator[str]:
    for name in wanted:
        for key in order:
            amount = ((holder.get("resources") or {}).get(key) or {}).get(name)
            if amount is not None and nano(amount) % _WHOLE:
                amount_path = f"{path}.resources.{key}[{name}]"
                yield f'{amount_path}: fractional byte value "{amount}" is invalid, must be an integer'


def _warn_about_container(
    container: Object, container_path: str, annotations: Object, path: str, *, is_template: bool
) -> Iterator[str]:
    name, context = container.get("name"), container.get("securityContext") or {}
    if f"{_OF_CONTAINER}{name}" in annotations and context.get("seccompProfile") is None:
        yield f"{path}metadata.annotations[{_OF_CONTAINER}{name}]: {_SECCOMP}"
    if is_template and f"{_APP_ARMOR}{name}" in annotations and context.get("appArmorProfile") is None:
        message = 'deprecated since v1.30; use the "appArmorProfile" field instead'
        yield f"{path}metadata.annotations[{_APP_ARMOR}{name}]: {message}"
    yield from warn_about_fractions(container, container_path, ("memory", "ephemeral-storage"), ("limits", "requests"))
    seen: set[str] = set()
    for number, env_var in enumerate(container.get("env") or ()):
        variable = str(env_var.get("name") or "")
        if variable in seen:
            reference, value = f"$({variable})", str(env_var.get("value") or "")
            if env_var.get("valueFrom") is not None or value == reference or reference not in value:
                message = f'hides previous definition of "{variable}", which may be dropped when using apply'
                yield f"{container_path}.env[{number}]: {message}"
        seen.add(variable)


def _warn_about_ports(spec: Object, path: str) -> Iterator[str]:
    seen: dict[tuple[Any, Any], list[tuple[str, Object]]] = {}
    for container, place in _list_containers(spec, path):
        for number, port in enumerate(container.get("ports") or ()):
            port_path, host, address = f"{place}.ports[{number}]", port.get("hostPort") or 0, port.get("hostIP") or ""
            if address and not host:
                yield f"{port_path}: hostIP set without hostPort: {_format_port(port)}"
            others = seen.setdefault((port.get("containerPort"), port.get("protocol")), [])
            for other_path, other in others:
                other_host, other_address = other.get("hostPort") or 0, other.get("hostIP") or ""
                if (address, host) == (other_address, other_host):
                    yield f"{port_path}: duplicate port definition with {other_path}"
                elif not host or not other_host:
                    yield f"{port_path}: overlapping port definition with {other_path}"
                elif host == other_host and (not address) != (not other_address):
                    yield f"{port_path}: dangerously ambiguous port definition with {other_path}"
            others.append((port_path, port))


def _format_port(port: Object) -> str:
    """Return a port as Go's `%+v` prints it."""
    shown = {
        "Name": port.get("name") or "",
        "HostPort": port.get("hostPort") or 0,
        "ContainerPort": port.get("containerPort") or 0,
        "Protocol": port.get("protocol") or "",
        "HostIP": port.get("hostIP") or "",
    }
    return "{" + " ".join(f"{name}:{value}" for name, value in shown.items()) + "}"


def _warn_about_port_names(spec: Object, path: str) -> Iterator[str]:
    seen: dict[str, str] = {}
    for container, place in _list_containers(spec, path):
        for number, port in enumerate(container.get("ports") or ()):
            port_path, name = f"{place}.ports[{number}]", str(port.get("name") or "")
            if name in seen:
                other = seen[name]
                message = f'duplicate port name "{name}" with {other}'
                yield f"{port_path}: {message}, services and probes that select ports by name will use {other}"
            elif name:
                seen[name] = port_path


def _warn_about_pod_affinity(affinity: Object, path: str) -> Iterator[str]:
    for name in ("podAffinity", "podAntiAffinity"):
        part = affinity.get(name) or {}
        for number, term in enumerate(part.get(_REQUIRED) or ()):
            if term.get("labelSelector") is None:
                yield f"{path}.{name}.{_REQUIRED}[{number}].labelSelector: {_NO_SELECTOR}"
        for number, each in enumerate(part.get(_PREFERRED) or ()):
            if (each.get("podAffinityTerm") or {}).get("labelSelector") is None:
                yield f"{path}.{name}.{_PREFERRED}[{number}].podAffinityTerm.labelSelector: {_NO_SELECTOR}"


_Named = tuple[str, str]
"""A path, and the source that provides it."""

_WITH_ITEMS = (("configMap", "name", "ConfigMap"), ("secret", "secretName", "Secret"))


def warn_about_overlapping_paths(volumes: Any) -> Iterator[str]:
    for volume in volumes or ():
        name = volume.get("name")
        for key, named, kind in _WITH_ITEMS:
            source = volume.get(key) or {}
            for message in _find_collisions([(path, "") for path in _list_paths(source)]):
                yield f'volume "{name}" ({kind} "{source.get(named)}"): overlapping paths: {message}'
        for message in _find_collisions([(path, "") for path in _list_paths(volume.get("downwardAPI") or {})]):
            yield f'volume "{name}" (DownwardAPI): overlapping paths: {message}'
        if volume.get("projected") is not None:
            yield from _warn_about_projected(str(name), volume["projected"].get("sources") or ())


def _warn_about_projected(volume: str, sources: Sequence[Object]) -> Iterator[str]:
    projected: list[_Named] = []
    for source in sources:
        if not any(part is not None for part in source.values()):
            yield f'volume "{volume}" (Projected) has no sources provided'
        for key, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
            files = source.get(key) or {}
            projected += [(path, f'{kind} "{files.get("name")}"') for path in _list_paths(files)]
        projected += [(path, "DownwardAPI") for path in _list_paths(source.get("downwardAPI") or {})]
        if source.get("serviceAccountToken") is not None:
            projected.append((str(source["serviceAccountToken"].get("path") or ""), "ServiceAccountToken"))
    for message in _find_collisions(projected):
        yield f'volume "{volume}" (Projected): overlapping paths: {message}'


def _list_paths(source: Object) -> list[str]:
    return [str(each.get("path") or "") for each in source.get("items") or ()]


def _find_collisions(named_paths: Sequence[_Named]) -> Iterator[str]:
    seen: list[_Named] = []
    for path, source in named_paths:
        current_path = path.rstrip("/")
        for other_path, other_source in seen:
            if (
                current_path
                and other_path
                and (f"{other_path}/".startswith(f"{current_path}/") or f"{current_path}/".startswith(f"{other_path}/"))
            ):
                yield f"{_format_path(current_path, source)} with {_format_path(other_path, other_source)}"
        seen.append((current_path, source))


def _format_path(path: str, source: str) -> str:
    return f'"{path}" ({source})' if source else f'"{path}"'


def warn_about_ips(addresses: Any, path: str) -> Iterator[str]:
    for number, text in enumerate(addresses or ()):
        yield from warn_about_ip(str(text), f"{path}[{number}]")


def warn_about_ip(text: str, path: str) -> Iterator[str]:
    """Yield a warning if an IPv6 address is not canonical. Validation reports invalid addresses."""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return
    if isinstance(parsed, ipaddress.IPv6Address) and str(parsed) != text:
        yield f'{path}: IPv6 address "{text}" should be in RFC 5952 canonical format ("{parsed}")'


def warn_about_cidr(text: str, path: str) -> Iterator[str]:
    """Yield a warning if an IPv6 CIDR is not canonical.

    Validation rejects all other problems. Source: GetWarningsForCIDR.
    """
    try:
        parsed = ipaddress.ip_network(text)
    except ValueError:
        return
    if isinstance(parsed, ipaddress.IPv6Network) and str(parsed) != text:
        yield f'{path}: IPv6 CIDR value "{text}" should be in RFC 5952 canonical format ("{parsed}")'
