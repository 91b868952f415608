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
from kube_apiserver.validation.metadata import report_broken_rules
from kube_apiserver.validation.pods import environment, security, volumes
from kube_apiserver.validation.pods.volumes import list_names
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


def validate_containers(spec: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    """Validate all containers of a Pod's spec. `known` maps names of valid volumes to volumes."""
    pod = _PodContext(
        known,
        volumes.list_names(spec.get("resourceClaims")),
        spec.get("terminationGracePeriodSeconds"),
        spec.get("restartPolicy") == "Never",
        spec.get("hostUsers") is not False,
        str((spec.get("os") or {}).get("name") or ""),
    )
    regular = spec.get("containers") or []
    if not regular:
        yield causes.required(f"{path}.containers")
    seen: set[str] = set()
    for number, container in enumerate(regular):
        container_path = f"{path}.containers[{number}]"
        yield from validate_container(container, container_path, pod)
        yield from _validate_unique_container_name(container, container_path, seen)
        yield from validate_hooks_and_probes(container, container_path, pod.grace, pod.system)
        yield from validate_restart_rules(container, container_path)
    yield from _validate_host_ports(regular, f"{path}.containers")
    for number, container in enumerate(spec.get("initContainers") or ()):
        container_path = f"{path}.initContainers[{number}]"
        yield from validate_container(container, container_path, pod)
        yield from validate_restart_policy(container, container_path)
        yield from _validate_unique_container_name(container, container_path, seen)
        # Upstream checks each init container alone, so its paths always have the index 0.
        yield from _validate_host_ports([container], f"{path}.initContainers")
        yield from _validate_init_container(container, container_path, pod)
    yield from _validate_ephemeral_containers(spec, f"{path}.ephemeralContainers", pod, seen)


def validate_container(container: Object, path: str, pod: _PodContext) -> Iterator[Cause]:
    """Source: validateContainerCommon."""
    name = str(container.get("name") or "")
    if not name:
        yield causes.required(f"{path}.name")
    else:
        yield from report_broken_rules(f"{path}.name", name, names.dns_label(name))
    if not container.get("image"):
        yield causes.required(f"{path}.image")
    if container.get("terminationMessagePolicy") not in (None, *_TERMINATION):
        yield causes.unsupported(
            f"{path}.terminationMessagePolicy", container["terminationMessagePolicy"], _TERMINATION
        )
    yield from ports.validate_container_ports(container.get("ports"), f"{path}.ports")
    yield from environment.validate_env(container.get("env"), f"{path}.env")
    yield from environment.validate_env_from(container.get("envFrom"), f"{path}.envFrom")
    yield from volumes.validate_mounts(container, f"{path}.volumeMounts", pod.volumes)
    yield from volumes.validate_volume_devices(container, f"{path}.volumeDevices", pod.volumes)
    pull_policy = container.get("imagePullPolicy")
    if pull_policy not in (None, *_PULL):
        yield causes.unsupported(f"{path}.imagePullPolicy", pull_policy, _PULL)
    yield from resources.validate_requirements(container.get("resources"), f"{path}.resources", pod.claims)
    yield from _validate_resize_policy(container.get("resizePolicy"), f"{path}.resizePolicy", is_never=pod.is_never)
    context = container.get("securityContext")
    yield from security.validate_container_security_context(
        context, f"{path}.securityContext", is_host_user=pod.is_host_user
    )


def validate_images(spec: Object, path: str) -> Iterator[Cause]:
    """Validate images of a Pod, but not of a template. Source: validateContainersOnlyForPod."""
    for part in ("containers", "initContainers"):
        for number, each in enumerate(spec.get(part) or ()):
            yield from _validate_image(each, f"{path}.{part}[{number}]")


def _validate_image(container: Object, path: str) -> Iterator[Cause]:
    image = str(container.get("image") or "")
    if image != image.strip():
        yield causes.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def _validate_unique_container_name(container: Object, path: str, seen: set[str]) -> Iterator[Cause]:
    name = str(container.get("name") or "")
    if name and name in seen:
        yield causes.duplicate(f"{path}.name", name)
    seen.add(name)


def _validate_init_container(container: Object, path: str, pod: _PodContext) -> Iterator[Cause]:
    if container.get("restartPolicy") == "Always":
        yield from validate_hooks_and_probes(container, path, pod.grace, pod.system)
        return
    for name in ("lifecycle", *PROBES):
        if container.get(name) is not None:
            yield causes.forbidden(f"{path}.{name}", _NOT_OF_INIT)
    for number, policy in enumerate(container.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield causes.invalid(f"{path}.resizePolicy[{number}].restartPolicy", "RestartContainer", detail)


def _validate_ephemeral_containers(
    spec: Object, path: str, pod: _PodContext, earlier_names: set[str]
) -> Iterator[Cause]:
    """Source: validateEphemeralContainers."""
    seen = set(earlier_names)
    for number, container in enumerate(spec.get("ephemeralContainers") or ()):
        container_path, target = f"{path}[{number}]", str(container.get("targetContainerName") or "")
        yield from validate_container(container, container_path, pod)
        yield from _validate_image(container, container_path)
        yield from _validate_unique_container_name(container, container_path, seen)
        if target and target not in earlier_names:
            yield causes.not_found(f"{container_path}.targetContainerName", target)
        for key in _NOT_EPHEMERAL:
            if container.get(key):
                yield causes.forbidden(f"{container_path}.{key}", "cannot be set for an Ephemeral Container")
        for place, mount in enumerate(container.get("volumeMounts") or ()):
            for key in ("subPath", "subPathExpr"):
                if mount.get(key):
                    yield causes.forbidden(
                        f"{container_path}.volumeMounts[{place}].{key}", "cannot be set for an Ephemeral Container"
                    )


def _validate_resize_policy(policies: Any, path: str, *, is_never: bool) -> Iterator[Cause]:
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


def _validate_host_ports(checked: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, container in enumerate(checked):
        for port_number, port in enumerate(container.get("ports") or ()):
            if port.get("hostPort"):
                taken = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
                if taken in seen:
                    yield causes.duplicate(f"{path}[{number}].ports[{port_number}].hostPort", taken)
                seen.add(taken)


PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_PROBE_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_HANDLERS = ("exec", "httpGet", "tcpSocket", "sleep")
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


def validate_hooks_and_probes(container: Object, path: str, grace: int | None, system: str = "") -> Iterator[Cause]:
    """Validate lifecycle hooks and probes. `system` is the Pod's `os.name`, or ""."""
    for name in ("postStart", "preStop"):
        hook = (container.get("lifecycle") or {}).get(name)
        if hook is not None:
            yield from _validate_handler(hook, f"{path}.lifecycle.{name}", _HOOK_HANDLERS, grace)
    signal = (container.get("lifecycle") or {}).get("stopSignal")
    if signal is not None:
        yield from _validate_stop_signal(signal, f"{path}.lifecycle.stopSignal", system)
    for name in PROBES:
        if container.get(name) is not None:
            yield from _validate_probe(container[name], f"{path}.{name}", name, grace)


def _validate_probe(probe: Object, path: str, name: str, grace: int | None) -> Iterator[Cause]:
    yield from _validate_handler(probe, path, _PROBE_HANDLERS, grace)
    for key in _NUMBERS:
        if (probe.get(key) or 0) < 0:
            yield causes.invalid(f"{path}.{key}", probe[key], causes.NOT_NEGATIVE)
    grace_period = probe.get("terminationGracePeriodSeconds")
    if grace_period is not None and grace_period <= 0:
        yield causes.invalid(f"{path}.terminationGracePeriodSeconds", grace_period, "must be greater than 0")
    if name != "readinessProbe" and probe.get("successThreshold", 1) != 1:
        yield causes.invalid(f"{path}.successThreshold", probe["successThreshold"], "must be 1")
    elif name == "readinessProbe" and grace_period is not None:
        detail = "must not be set for readinessProbes"
        yield causes.invalid(f"{path}.terminationGracePeriodSeconds", grace_period, detail)


def _validate_stop_signal(signal: str, path: str, system: str) -> Iterator[Cause]:
    if not system:
        yield causes.forbidden(path, "may not be set for containers with empty `spec.os.name`")
    elif signal not in _SIGNALS.get(system, (signal,)):
        yield causes.unsupported(path, signal, _SIGNALS[system])


def _validate_handler(handler: Object, path: str, kinds: tuple[str, ...], grace: int | None) -> Iterator[Cause]:
    """Validate a handler. If several kinds are set, only the first is validated, as upstream does."""
    set_kinds = [kind for kind in kinds if handler.get(kind) is not None]
    if not set_kinds:
        yield causes.required(path, "must specify a handler type")
        return
    yield from _validate_handler_action(set_kinds[0], handler[set_kinds[0]], f"{path}.{set_kinds[0]}", grace)
    for kind in set_kinds[1:]:
        yield causes.forbidden(f"{path}.{kind}", "may not specify more than 1 handler type")


def _validate_handler_action(kind: str, action: Object, path: str, grace: int | None) -> Iterator[Cause]:
    match kind:
        case "exec":
            if not action.get("command"):
                yield causes.required(f"{path}.command")
        case "httpGet":
            if not action.get("path"):
                yield causes.required(f"{path}.path")
            yield from ports.validate_port_number_or_name(action.get("port"), f"{path}.port")
            if action.get("scheme") not in (None, *_SCHEMES):
                yield causes.unsupported(f"{path}.scheme", action["scheme"], _SCHEMES)
            for header in action.get("httpHeaders") or ():
                name = str(header.get("name") or "")
                yield from report_broken_rules(f"{path}.httpHeaders", name, texts.find_header_name_error(name))
        case "sleep":
            seconds = action.get("seconds") or 0
            if grace is not None and not 0 <= seconds <= grace:
                detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
                yield causes.invalid(path, seconds, detail)
        case _:
            yield from ports.validate_port_number_or_name(action.get("port"), f"{path}.port")


_POLICIES = ("Always", "Never", "OnFailure")
_ACTIONS = ("Restart", "RestartAllContainers")
_OPERATORS = ("In", "NotIn")
_MOST_RULES, _MOST_CODES = 20, 255
_NEEDED = "must specify restartPolicy when restart rules are used"


def validate_restart_policy(container: Object, path: str) -> Iterator[Cause]:
    if container.get("restartPolicy") is not None:
        yield from validate_restart_rules(container, path)
    elif container.get("restartPolicyRules"):
        yield causes.required(f"{path}.restartPolicy", _NEEDED)


def validate_restart_rules(container: Object, path: str) -> Iterator[Cause]:
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


def validate_pod_level_resources(spec: Object, path: str) -> Iterator[Cause]:
    pod_resources = spec.get("resources")
    if pod_resources is None:
        return
    if (spec.get("os") or {}).get("name") == "windows":
        yield causes.forbidden(path, "may not be set for a windows pod")
        return
    if pod_resources.get("claims") is not None:
        yield causes.forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level")
    yield from resources.validate_requirements(
        pod_resources, path, list_names(spec.get("resourceClaims")), _validate_pod_resource_name
    )
    yield from _validate_pod_resource_consistency(spec, pod_resources, path)


def _validate_pod_resource_name(name: str, path: str) -> Iterator[Cause]:
    """Source: validatePodResourceName."""
    wrong = list(resources.validate_resource_name(name, path))
    yield from wrong
    if not wrong and not names.is_pod_level_resource(name):
        yield causes.unsupported(path, name, _SUPPORTED)


def _validate_pod_resource_consistency(spec: Object, pod_resources: Object, path: str) -> Iterator[Cause]:
    """Source: validatePodResourceConsistency."""
    of_containers = {**spec, "resources": {}}
    for key in ("requests", "limits"):
        pod_amounts = pod_resources.get(key) or {}
        for name, total in sorted(summed(of_containers, key).items()):
            is_compared = key == "requests" or name.startswith(names.HUGE_PAGES_PREFIX)
            if is_compared and name in pod_amounts and total.nano > nano(pod_amounts[name]):
                detail = f"must be greater than or equal to aggregate container {key} of {total}"
                yield causes.invalid(f"{path}.{key}[{name}]", str(pod_amounts[name]), detail)
    for number, container in enumerate(spec.get("containers") or ()):
        for name, amount in sorted(((container.get("resources") or {}).get("limits") or {}).items()):
            pod_limit = (pod_resources.get("limits") or {}).get(name)
            if pod_limit is not None and nano(amount) > nano(pod_limit):
                # Upstream's path has these parts in the wrong order.
                at = f"{path}.containers[{number}][{name}].limits"
                yield causes.invalid(at, str(amount), f"must be less than or equal to pod limits of {pod_limit}")
