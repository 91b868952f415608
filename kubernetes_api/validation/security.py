"""As whom a pod and its containers run, and what names they know of.

Source: pkg/apis/core/validation ValidateSecurityContext, validatePodSpecSecurityContext, validatePodDNSConfig.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation import go_values, texts
from scheduler_core.objects import names

Object = Mapping[str, Any]

_OWN = ("fsGroup", "runAsUser", "runAsGroup")
_PROC = ("Default", "Unmasked")
_SECCOMP = ("Localhost", "RuntimeDefault", "Unconfined")
_CHANGES = ("Always", "OnRootMismatch")


def of_container(given: Object | None, path: str) -> Iterator[Cause]:
    given = given or {}
    yield from texts.ids(given, path, ("runAsUser", "runAsGroup"))
    if given.get("procMount") not in (None, *_PROC):
        yield causes.unsupported(f"{path}.procMount", given["procMount"], _PROC)
    yield from _seccomp(given.get("seccompProfile"), f"{path}.seccompProfile")
    if given.get("allowPrivilegeEscalation") is not False:
        return
    if given.get("privileged"):
        detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield causes.invalid(path, go_values.value("SecurityContext", given), detail)
    if "CAP_SYS_ADMIN" in ((given.get("capabilities") or {}).get("add") or ()):
        detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        yield causes.invalid(path, go_values.value("SecurityContext", given), detail)


def of_pod(spec: Object, path: str) -> Iterator[Cause]:
    given = spec.get("securityContext") or {}
    yield from texts.ids(given, path, _OWN)
    for number, each in enumerate(given.get("supplementalGroups") or ()):
        yield from texts.id_(each, f"{path}.supplementalGroups[{number}]")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield causes.invalid(f"{path}.shareProcessNamespace", True, detail)
    if given.get("fsGroupChangePolicy") not in (None, *_CHANGES):
        yield causes.unsupported(f"{path}.fsGroupChangePolicy", given["fsGroupChangePolicy"], _CHANGES)
    yield from _seccomp(given.get("seccompProfile"), f"{path}.seccompProfile")


def host_network(spec: Object, path: str, *, is_pod: bool) -> Iterator[Cause]:
    """Source: validatePodHostNetworkDeps: a template's ports of the node may still be filled in."""
    if not spec.get("hostNetwork"):
        return
    for number, each in enumerate(spec.get("containers") or ()):
        for place, port in enumerate(each.get("ports") or ()):
            of_node = port.get("hostPort") or 0
            if (is_pod or of_node) and of_node != port.get("containerPort"):
                detail = "must match `containerPort` when `hostNetwork` is true"
                yield causes.invalid(f"{path}.containers[{number}].ports[{place}].hostPort", of_node, detail)


def _seccomp(given: Object | None, path: str) -> Iterator[Cause]:
    if given is None:
        return
    kind = given.get("type") or ""
    if not kind:
        yield causes.required(f"{path}.type", "type is required when seccompProfile is set")
    elif kind not in _SECCOMP:
        yield causes.unsupported(f"{path}.type", kind, _SECCOMP)
    if kind == "Localhost" and given.get("localhostProfile") is None:
        yield causes.required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")


def dns(spec: Object, path: str) -> Iterator[Cause]:
    """Source: validatePodDNSConfig."""
    given, is_own = spec.get("dnsConfig"), spec.get("dnsPolicy") == "None"
    if is_own and given is None:
        yield causes.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
        return
    servers, searches = (given or {}).get("nameservers") or [], (given or {}).get("searches") or []
    if is_own and not servers:
        detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        yield causes.required(f"{path}.nameservers", detail)
        return
    if len(servers) > 3:
        yield causes.invalid(f"{path}.nameservers", servers, "must not have more than 3 nameservers")
    for number, each in enumerate(servers):
        yield from texts.address(str(each), f"{path}.nameservers[{number}]")
    if len(searches) > 32:
        yield causes.invalid(f"{path}.searches", searches, "must not have more than 32 search paths")
    for number, each in enumerate((given or {}).get("options") or ()):
        if not each.get("name"):
            yield causes.required(f"{path}.options[{number}]", "must not be empty")


def host_aliases(given: Any, path: str) -> Iterator[Cause]:
    for number, each in enumerate(given or ()):
        yield from texts.address(str(each.get("ip") or ""), f"{path}[{number}].ip")
        for place, name in enumerate(each.get("hostnames") or ()):
            at = f"{path}[{number}].hostnames[{place}]"
            yield from (causes.invalid(at, name, rule) for rule in filter(None, [names.dns_subdomain(str(name))]))
