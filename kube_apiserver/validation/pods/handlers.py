"""What a kubelet does to a container: probes and hooks.

Source: pkg/apis/core/validation validateProbe, validateLifecycle.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import ports, texts
from kube_apiserver.validation.metadata import broken

Object = Mapping[str, Any]

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
