"""Containers of a Pod: resources, probes, hooks and restart rules.

Source: pkg/apis/core/validation validateContainers, validateInitContainers, validateHandler,
validateContainerRestartPolicy.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano, summed
from kube_apiserver.causes import Cause
from kube_apiserver.validation import ports, resources, texts
from kube_apiserver.validation.metadata import broken
from kube_apiserver.validation.pods import environment, security, volumes
from kube_apiserver.validation.pods.volumes import names_of
from kube_objects import names

Object = Mapping[str, Any]

_PULL = ("Always", "IfNotPresent", "Never")
_TERMINATION = ("File", "FallbackToLogsOnError")
_RESIZED = ("cpu", "memory")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_NOT_OF_INIT = "may not be set for init containers without restartPolicy=Always"
_NOT_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)


@dataclass(frozen=True, slots=True)
class _Of:
    """What a container's fields are held to: its pod's."""

    volumes: Mapping[str, Object]
    claims: Sequence[str]
    grace: int | None
    is_never: bool
    is_host_user: bool
    system: str


def containers(spec: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    """`known`: the pod's volumes by their names."""
    of = _Of(
        known,
        volumes.names_of(spec.get("resourceClaims")),
        spec.get("terminationGracePeriodSeconds"),
        spec.get("restartPolicy") == "Never",
        spec.get("hostUsers") is not False,
        str((spec.get("os") or {}).get("name") or ""),
    )
    given = spec.get("containers") or []
    if not given:
        yield causes.required(f"{path}.containers")
    seen: set[str] = set()
    for number, each in enumerate(given):
        at = f"{path}.containers[{number}]"
        yield from container(each, at, of)
        yield from _named_once(each, at, seen)
        yield from hooks_and_probes(each, at, of.grace, of.system)
        yield from restart_rules(each, at)
    yield from _host_ports(given, f"{path}.containers")
    for number, each in enumerate(spec.get("initContainers") or ()):
        at = f"{path}.initContainers[{number}]"
        yield from container(each, at, of)
        yield from restart_policy(each, at)
        yield from _named_once(each, at, seen)
        # Upstream counts each by itself, and tells of all as of the first.
        yield from _host_ports([each], f"{path}.initContainers")
        yield from _init(each, at, of)
    yield from _ephemeral(spec, f"{path}.ephemeralContainers", of, seen)


def container(each: Object, path: str, of: _Of) -> Iterator[Cause]:
    """Source: validateContainerCommon."""
    name = str(each.get("name") or "")
    if not name:
        yield causes.required(f"{path}.name")
    else:
        yield from broken(f"{path}.name", name, names.dns_label(name))
    if not each.get("image"):
        yield causes.required(f"{path}.image")
    if each.get("terminationMessagePolicy") not in (None, *_TERMINATION):
        yield causes.unsupported(f"{path}.terminationMessagePolicy", each["terminationMessagePolicy"], _TERMINATION)
    yield from ports.of_container(each.get("ports"), f"{path}.ports")
    yield from environment.variables(each.get("env"), f"{path}.env")
    yield from environment.taken_whole(each.get("envFrom"), f"{path}.envFrom")
    yield from volumes.mounts(each, f"{path}.volumeMounts", of.volumes)
    yield from volumes.devices(each, f"{path}.volumeDevices", of.volumes)
    pull = each.get("imagePullPolicy")
    if pull not in (None, *_PULL):
        yield causes.unsupported(f"{path}.imagePullPolicy", pull, _PULL)
    yield from resources.requirements(each.get("resources"), f"{path}.resources", of.claims)
    yield from _resize_policy(each.get("resizePolicy"), f"{path}.resizePolicy", is_never=of.is_never)
    context = each.get("securityContext")
    yield from security.of_container(context, f"{path}.securityContext", is_host_user=of.is_host_user)


def images(spec: Object, path: str) -> Iterator[Cause]:
    """Of a pod itself, and not of a template. Source: validateContainersOnlyForPod."""
    for part in ("containers", "initContainers"):
        for number, each in enumerate(spec.get(part) or ()):
            yield from _image(each, f"{path}.{part}[{number}]")


def _image(each: Object, path: str) -> Iterator[Cause]:
    image = str(each.get("image") or "")
    if image != image.strip():
        yield causes.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def _named_once(each: Object, path: str, seen: set[str]) -> Iterator[Cause]:
    name = str(each.get("name") or "")
    if name and name in seen:
        yield causes.duplicate(f"{path}.name", name)
    seen.add(name)


def _init(each: Object, path: str, of: _Of) -> Iterator[Cause]:
    if each.get("restartPolicy") == "Always":
        yield from hooks_and_probes(each, path, of.grace, of.system)
        return
    for name in ("lifecycle", *PROBES):
        if each.get(name) is not None:
            yield causes.forbidden(f"{path}.{name}", _NOT_OF_INIT)
    for number, policy in enumerate(each.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield causes.invalid(f"{path}.resizePolicy[{number}].restartPolicy", "RestartContainer", detail)


def _ephemeral(spec: Object, path: str, of: _Of, others: set[str]) -> Iterator[Cause]:
    """Source: validateEphemeralContainers."""
    seen = set(others)
    for number, each in enumerate(spec.get("ephemeralContainers") or ()):
        at, target = f"{path}[{number}]", str(each.get("targetContainerName") or "")
        yield from container(each, at, of)
        yield from _image(each, at)
        yield from _named_once(each, at, seen)
        if target and target not in others:
            yield causes.not_found(f"{at}.targetContainerName", target)
        for key in _NOT_EPHEMERAL:
            if each.get(key):
                yield causes.forbidden(f"{at}.{key}", "cannot be set for an Ephemeral Container")
        for place, mount in enumerate(each.get("volumeMounts") or ()):
            for key in ("subPath", "subPathExpr"):
                if mount.get(key):
                    yield causes.forbidden(
                        f"{at}.volumeMounts[{place}].{key}", "cannot be set for an Ephemeral Container"
                    )


def _resize_policy(given: Any, path: str, *, is_never: bool) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given or ()):
        name, policy = str(each.get("resourceName") or ""), str(each.get("restartPolicy") or "")
        if name in seen:
            yield causes.duplicate(f"{path}[{number}]", name)
        seen.add(name)
        for value, allowed in ((name, _RESIZED), (policy, _RESIZE_POLICIES)):
            if not value:
                yield causes.required(path)
            elif value not in allowed:
                yield causes.unsupported(path, value, allowed)
        if is_never and policy != "NotRequired":
            yield causes.invalid(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")


def _host_ports(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given):
        for place, port in enumerate(each.get("ports") or ()):
            if port.get("hostPort"):
                taken = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
                if taken in seen:
                    yield causes.duplicate(f"{path}[{number}].ports[{place}].hostPort", taken)
                seen.add(taken)


PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_OF_PROBES = ("exec", "httpGet", "tcpSocket", "grpc")
_OF_HOOKS = ("exec", "httpGet", "tcpSocket", "sleep")
_SCHEMES = ("HTTP", "HTTPS")
_REAL_TIME = ("RTMIN", *(f"RTMIN+{n}" for n in range(1, 16)), *(f"RTMAX-{n}" for n in range(14, 0, -1)), "RTMAX")
_NAMED = (
    "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP "
    "TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ"
)
_SIGNALS: Mapping[str, tuple[str, ...]] = {
    "linux": tuple(sorted(f"SIG{name}" for name in (*_NAMED.split(), *_REAL_TIME))),
    "windows": ("SIGKILL", "SIGTERM"),
}
_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def hooks_and_probes(container: Object, path: str, grace: int | None, system: str = "") -> Iterator[Cause]:
    """`system`: the operating system that the pod names."""
    for name in ("postStart", "preStop"):
        hook = (container.get("lifecycle") or {}).get(name)
        if hook is not None:
            yield from _handler(hook, f"{path}.lifecycle.{name}", _OF_HOOKS, grace)
    signal = (container.get("lifecycle") or {}).get("stopSignal")
    if signal is not None:
        yield from _stop_signal(signal, f"{path}.lifecycle.stopSignal", system)
    for name in PROBES:
        if container.get(name) is not None:
            yield from _probe(container[name], f"{path}.{name}", name, grace)


def _probe(given: Object, path: str, name: str, grace: int | None) -> Iterator[Cause]:
    yield from _handler(given, path, _OF_PROBES, grace)
    for key in _NUMBERS:
        if (given.get(key) or 0) < 0:
            yield causes.invalid(f"{path}.{key}", given[key], causes.NOT_NEGATIVE)
    own = given.get("terminationGracePeriodSeconds")
    if own is not None and own <= 0:
        yield causes.invalid(f"{path}.terminationGracePeriodSeconds", own, "must be greater than 0")
    if name != "readinessProbe" and given.get("successThreshold", 1) != 1:
        yield causes.invalid(f"{path}.successThreshold", given["successThreshold"], "must be 1")
    elif name == "readinessProbe" and own is not None:
        detail = "must not be set for readinessProbes"
        yield causes.invalid(f"{path}.terminationGracePeriodSeconds", own, detail)


def _stop_signal(signal: str, path: str, system: str) -> Iterator[Cause]:
    if not system:
        yield causes.forbidden(path, "may not be set for containers with empty `spec.os.name`")
    elif signal not in _SIGNALS.get(system, (signal,)):
        yield causes.unsupported(path, signal, _SIGNALS[system])


def _handler(given: Object, path: str, kinds: tuple[str, ...], grace: int | None) -> Iterator[Cause]:
    """Of several only the first is looked into."""
    found = [kind for kind in kinds if given.get(kind) is not None]
    if not found:
        yield causes.required(path, "must specify a handler type")
        return
    yield from _action(found[0], given[found[0]], f"{path}.{found[0]}", grace)
    for kind in found[1:]:
        yield causes.forbidden(f"{path}.{kind}", "may not specify more than 1 handler type")


def _action(kind: str, given: Object, path: str, grace: int | None) -> Iterator[Cause]:
    match kind:
        case "exec":
            if not given.get("command"):
                yield causes.required(f"{path}.command")
        case "httpGet":
            if not given.get("path"):
                yield causes.required(f"{path}.path")
            yield from ports.number_or_name(given.get("port"), f"{path}.port")
            if given.get("scheme") not in (None, *_SCHEMES):
                yield causes.unsupported(f"{path}.scheme", given["scheme"], _SCHEMES)
            for each in given.get("httpHeaders") or ():
                name = str(each.get("name") or "")
                yield from broken(f"{path}.httpHeaders", name, texts.header(name))
        case "sleep":
            seconds = given.get("seconds") or 0
            if grace is not None and not 0 <= seconds <= grace:
                detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
                yield causes.invalid(path, seconds, detail)
        case _:
            yield from ports.number_or_name(given.get("port"), f"{path}.port")


_POLICIES = ("Always", "Never", "OnFailure")
_ACTIONS = ("Restart", "RestartAllContainers")
_OPERATORS = ("In", "NotIn")
_MOST_RULES, _MOST_CODES = 20, 255
_NEEDED = "must specify restartPolicy when restart rules are used"


def restart_policy(container: Object, path: str) -> Iterator[Cause]:
    if container.get("restartPolicy") is not None:
        yield from restart_rules(container, path)
    elif container.get("restartPolicyRules"):
        yield causes.required(f"{path}.restartPolicy", _NEEDED)


def restart_rules(container: Object, path: str) -> Iterator[Cause]:
    policy, given = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    if policy is None and given:
        yield causes.required(f"{path}.restartPolicy", _NEEDED)
    elif policy is not None and policy not in _POLICIES:
        yield causes.unsupported(f"{path}.restartPolicy", policy, _POLICIES)
    if len(given) > _MOST_RULES:
        yield causes.too_many(f"{path}.restartPolicyRules", len(given), _MOST_RULES)
    for number, each in enumerate(given):
        at, codes = f"{path}.restartPolicyRules[{number}]", each.get("exitCodes")
        if (each.get("action") or "") not in _ACTIONS:
            yield causes.unsupported(f"{at}.action", each.get("action") or "", _ACTIONS)
        if codes is None:
            yield causes.required(f"{at}.exitCodes", "must be specified")
            continue
        if (codes.get("operator") or "") not in _OPERATORS:
            yield causes.unsupported(f"{at}.exitCodes.operator", codes.get("operator") or "", _OPERATORS)
        if len(codes.get("values") or ()) > _MOST_CODES:
            yield causes.too_many(f"{at}.exitCodes.values", len(codes["values"]), _MOST_CODES)


_SUPPORTED = ("cpu", names.HUGE_PAGES_PREFIX, "memory")


def pod_level_resources(spec: Object, path: str) -> Iterator[Cause]:
    given = spec.get("resources")
    if given is None:
        return
    if (spec.get("os") or {}).get("name") == "windows":
        yield causes.forbidden(path, "may not be set for a windows pod")
        return
    if given.get("claims") is not None:
        yield causes.forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level")
    yield from resources.requirements(given, path, names_of(spec.get("resourceClaims")), _name)
    yield from _no_less_than_containers(spec, given, path)


def _name(name: str, path: str) -> Iterator[Cause]:
    """Source: validatePodResourceName."""
    wrong = list(resources.any_resource_name(name, path))
    yield from wrong
    if not wrong and not names.is_pod_level_resource(name):
        yield causes.unsupported(path, name, _SUPPORTED)


def _no_less_than_containers(spec: Object, given: Object, path: str) -> Iterator[Cause]:
    """Source: validatePodResourceConsistency."""
    of_containers = {**spec, "resources": {}}
    for which in ("requests", "limits"):
        own = given.get(which) or {}
        for name, total in sorted(summed(of_containers, which).items()):
            is_compared = which == "requests" or name.startswith(names.HUGE_PAGES_PREFIX)
            if is_compared and name in own and total.nano > nano(own[name]):
                detail = f"must be greater than or equal to aggregate container {which} of {total}"
                yield causes.invalid(f"{path}.{which}[{name}]", str(own[name]), detail)
    for number, each in enumerate(spec.get("containers") or ()):
        for name, amount in sorted(((each.get("resources") or {}).get("limits") or {}).items()):
            most = (given.get("limits") or {}).get(name)
            if most is not None and nano(amount) > nano(most):
                # The path is as odd upstream.
                at = f"{path}.containers[{number}][{name}].limits"
                yield causes.invalid(at, str(amount), f"must be less than or equal to pod limits of {most}")
