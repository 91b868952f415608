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
class _PodContext:
    """The fields of a Pod that the validation of its containers depends on."""

    volumes: Mapping[str, Object]
    claims: Sequence[str]
    grace: int | None
    is_never: bool
    is_host_user: bool
    system: str


def containers(spec: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    """Validate all containers of a Pod's spec. `known` maps names of valid volumes to volumes."""
    pod = _PodContext(
        known,
        volumes.names_of(spec.get("resourceClaims")),
        spec.get("terminationGracePeriodSeconds"),
        spec.get("restartPolicy") == "Never",
        spec.get("hostUsers") is not False,
        str((spec.get("os") or {}).get("name") or ""),
    )
    regular = spec.get("containers") or []
    if not regular:
        yield causes.required(f"{path}.containers")
    seen: set[str] = set()
    for number, container_ in enumerate(regular):
        container_path = f"{path}.containers[{number}]"
        yield from container(container_, container_path, pod)
        yield from _named_once(container_, container_path, seen)
        yield from hooks_and_probes(container_, container_path, pod.grace, pod.system)
        yield from restart_rules(container_, container_path)
    yield from _host_ports(regular, f"{path}.containers")
    for number, container_ in enumerate(spec.get("initContainers") or ()):
        container_path = f"{path}.initContainers[{number}]"
        yield from container(container_, container_path, pod)
        yield from restart_policy(container_, container_path)
        yield from _named_once(container_, container_path, seen)
        # Upstream checks each init container alone, so its paths always have the index 0.
        yield from _host_ports([container_], f"{path}.initContainers")
        yield from _init(container_, container_path, pod)
    yield from _ephemeral(spec, f"{path}.ephemeralContainers", pod, seen)


def container(container_: Object, path: str, pod: _PodContext) -> Iterator[Cause]:
    """Source: validateContainerCommon."""
    name = str(container_.get("name") or "")
    if not name:
        yield causes.required(f"{path}.name")
    else:
        yield from broken(f"{path}.name", name, names.dns_label(name))
    if not container_.get("image"):
        yield causes.required(f"{path}.image")
    if container_.get("terminationMessagePolicy") not in (None, *_TERMINATION):
        yield causes.unsupported(
            f"{path}.terminationMessagePolicy", container_["terminationMessagePolicy"], _TERMINATION
        )
    yield from ports.of_container(container_.get("ports"), f"{path}.ports")
    yield from environment.variables(container_.get("env"), f"{path}.env")
    yield from environment.taken_whole(container_.get("envFrom"), f"{path}.envFrom")
    yield from volumes.mounts(container_, f"{path}.volumeMounts", pod.volumes)
    yield from volumes.devices(container_, f"{path}.volumeDevices", pod.volumes)
    pull_policy = container_.get("imagePullPolicy")
    if pull_policy not in (None, *_PULL):
        yield causes.unsupported(f"{path}.imagePullPolicy", pull_policy, _PULL)
    yield from resources.requirements(container_.get("resources"), f"{path}.resources", pod.claims)
    yield from _resize_policy(container_.get("resizePolicy"), f"{path}.resizePolicy", is_never=pod.is_never)
    context = container_.get("securityContext")
    yield from security.of_container(context, f"{path}.securityContext", is_host_user=pod.is_host_user)


def images(spec: Object, path: str) -> Iterator[Cause]:
    """Validate images of a Pod, but not of a template. Source: validateContainersOnlyForPod."""
    for part in ("containers", "initContainers"):
        for number, each in enumerate(spec.get(part) or ()):
            yield from _image(each, f"{path}.{part}[{number}]")


def _image(container_: Object, path: str) -> Iterator[Cause]:
    image = str(container_.get("image") or "")
    if image != image.strip():
        yield causes.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def _named_once(container_: Object, path: str, seen: set[str]) -> Iterator[Cause]:
    name = str(container_.get("name") or "")
    if name and name in seen:
        yield causes.duplicate(f"{path}.name", name)
    seen.add(name)


def _init(container_: Object, path: str, pod: _PodContext) -> Iterator[Cause]:
    if container_.get("restartPolicy") == "Always":
        yield from hooks_and_probes(container_, path, pod.grace, pod.system)
        return
    for name in ("lifecycle", *PROBES):
        if container_.get(name) is not None:
            yield causes.forbidden(f"{path}.{name}", _NOT_OF_INIT)
    for number, policy in enumerate(container_.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield causes.invalid(f"{path}.resizePolicy[{number}].restartPolicy", "RestartContainer", detail)


def _ephemeral(spec: Object, path: str, pod: _PodContext, earlier_names: set[str]) -> Iterator[Cause]:
    """Source: validateEphemeralContainers."""
    seen = set(earlier_names)
    for number, container_ in enumerate(spec.get("ephemeralContainers") or ()):
        container_path, target = f"{path}[{number}]", str(container_.get("targetContainerName") or "")
        yield from container(container_, container_path, pod)
        yield from _image(container_, container_path)
        yield from _named_once(container_, container_path, seen)
        if target and target not in earlier_names:
            yield causes.not_found(f"{container_path}.targetContainerName", target)
        for key in _NOT_EPHEMERAL:
            if container_.get(key):
                yield causes.forbidden(f"{container_path}.{key}", "cannot be set for an Ephemeral Container")
        for place, mount in enumerate(container_.get("volumeMounts") or ()):
            for key in ("subPath", "subPathExpr"):
                if mount.get(key):
                    yield causes.forbidden(
                        f"{container_path}.volumeMounts[{place}].{key}", "cannot be set for an Ephemeral Container"
                    )


def _resize_policy(policies: Any, path: str, *, is_never: bool) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, resize_policy in enumerate(policies or ()):
        name, policy = str(resize_policy.get("resourceName") or ""), str(resize_policy.get("restartPolicy") or "")
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


def _host_ports(checked: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, container_ in enumerate(checked):
        for port_number, port in enumerate(container_.get("ports") or ()):
            if port.get("hostPort"):
                taken = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
                if taken in seen:
                    yield causes.duplicate(f"{path}[{number}].ports[{port_number}].hostPort", taken)
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
    """Validate lifecycle hooks and probes. `system` is the Pod's `os.name`, or ""."""
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
    """Validate a handler. If several kinds are set, only the first is validated, as upstream does."""
    set_kinds = [kind for kind in kinds if given.get(kind) is not None]
    if not set_kinds:
        yield causes.required(path, "must specify a handler type")
        return
    yield from _action(set_kinds[0], given[set_kinds[0]], f"{path}.{set_kinds[0]}", grace)
    for kind in set_kinds[1:]:
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
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    if policy is None and rules:
        yield causes.required(f"{path}.restartPolicy", _NEEDED)
    elif policy is not None and policy not in _POLICIES:
        yield causes.unsupported(f"{path}.restartPolicy", policy, _POLICIES)
    if len(rules) > _MOST_RULES:
        yield causes.too_many(f"{path}.restartPolicyRules", len(rules), _MOST_RULES)
    for number, rule in enumerate(rules):
        rule_path, codes = f"{path}.restartPolicyRules[{number}]", rule.get("exitCodes")
        if (rule.get("action") or "") not in _ACTIONS:
            yield causes.unsupported(f"{rule_path}.action", rule.get("action") or "", _ACTIONS)
        if codes is None:
            yield causes.required(f"{rule_path}.exitCodes", "must be specified")
            continue
        if (codes.get("operator") or "") not in _OPERATORS:
            yield causes.unsupported(f"{rule_path}.exitCodes.operator", codes.get("operator") or "", _OPERATORS)
        if len(codes.get("values") or ()) > _MOST_CODES:
            yield causes.too_many(f"{rule_path}.exitCodes.values", len(codes["values"]), _MOST_CODES)


_SUPPORTED = ("cpu", names.HUGE_PAGES_PREFIX, "memory")


def pod_level_resources(spec: Object, path: str) -> Iterator[Cause]:
    pod_resources = spec.get("resources")
    if pod_resources is None:
        return
    if (spec.get("os") or {}).get("name") == "windows":
        yield causes.forbidden(path, "may not be set for a windows pod")
        return
    if pod_resources.get("claims") is not None:
        yield causes.forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level")
    yield from resources.requirements(pod_resources, path, names_of(spec.get("resourceClaims")), _name)
    yield from _no_less_than_containers(spec, pod_resources, path)


def _name(name: str, path: str) -> Iterator[Cause]:
    """Source: validatePodResourceName."""
    wrong = list(resources.any_resource_name(name, path))
    yield from wrong
    if not wrong and not names.is_pod_level_resource(name):
        yield causes.unsupported(path, name, _SUPPORTED)


def _no_less_than_containers(spec: Object, given: Object, path: str) -> Iterator[Cause]:
    """Source: validatePodResourceConsistency."""
    of_containers = {**spec, "resources": {}}
    for key in ("requests", "limits"):
        own = given.get(key) or {}
        for name, total in sorted(summed(of_containers, key).items()):
            is_compared = key == "requests" or name.startswith(names.HUGE_PAGES_PREFIX)
            if is_compared and name in own and total.nano > nano(own[name]):
                detail = f"must be greater than or equal to aggregate container {key} of {total}"
                yield causes.invalid(f"{path}.{key}[{name}]", str(own[name]), detail)
    for number, each in enumerate(spec.get("containers") or ()):
        for name, amount in sorted(((each.get("resources") or {}).get("limits") or {}).items()):
            most = (given.get("limits") or {}).get(name)
            if most is not None and nano(amount) > nano(most):
                # Upstream's path has these parts in the wrong order.
                at = f"{path}.containers[{number}][{name}].limits"
                yield causes.invalid(at, str(amount), f"must be less than or equal to pod limits of {most}")
