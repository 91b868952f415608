"""As whom a pod and its containers run, and what names they know of.

Source: pkg/apis/core/validation ValidateSecurityContext, validatePodSpecSecurityContext, validatePodDNSConfig.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, texts
from kube_apiserver.validation.metadata import broken
from kube_apiserver.validation.pods import systems
from kube_objects import names

Object = Mapping[str, Any]

_OWN = ("fsGroup", "runAsUser", "runAsGroup")
_PROC = ("Default", "Unmasked")
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_CHANGES = ("Always", "OnRootMismatch")
_GROUPS = ("Merge", "Strict")
_RELABELLED = ("Recursive",)
_LONGEST_PROFILE = 4095
_LONGEST_SEARCH = 2048
_LONGEST_SETTING = 253
_SETTING = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SETTING_PART = re.compile(r"[a-z0-9]([-_a-z0-9]*[a-z0-9])?")
_OF_NETWORK = ("net.",)
_OF_IPC = ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")


def of_container(given: Object | None, path: str, *, is_host_user: bool = True) -> Iterator[Cause]:
    given = given or {}
    yield from texts.ids(given, path, ("runAsUser", "runAsGroup"))
    mount = given.get("procMount")
    if mount not in (None, *_PROC):
        yield causes.unsupported(f"{path}.procMount", mount, _PROC)
    if is_host_user and mount == "Unmasked":
        yield causes.invalid(f"{path}.procMount", mount, "`hostUsers` must be false to use `Unmasked`")
    yield from _seccomp(given.get("seccompProfile"), f"{path}.seccompProfile")
    if given.get("allowPrivilegeEscalation") is False:
        if given.get("privileged"):
            detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
            yield causes.invalid(path, go_values.value("SecurityContext", given), detail)
        if "CAP_SYS_ADMIN" in ((given.get("capabilities") or {}).get("add") or ()):
            detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield causes.invalid(path, go_values.value("SecurityContext", given), detail)
    yield from systems.windows_options(given.get("windowsOptions"), f"{path}.windowsOptions")
    yield from _app_armor(given.get("appArmorProfile"), f"{path}.appArmorProfile")


def of_pod(spec: Object, path: str) -> Iterator[Cause]:
    given = spec.get("securityContext") or {}
    yield from texts.ids(given, path, _OWN)
    for number, each in enumerate(given.get("supplementalGroups") or ()):
        yield from texts.id_(each, f"{path}.supplementalGroups[{number}]")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield causes.invalid(f"{path}.shareProcessNamespace", True, detail)
    yield from _settings(spec, given.get("sysctls"), f"{path}.sysctls")
    if given.get("fsGroupChangePolicy") not in (None, *_CHANGES):
        yield causes.unsupported(f"{path}.fsGroupChangePolicy", given["fsGroupChangePolicy"], _CHANGES)
    yield from _seccomp(given.get("seccompProfile"), f"{path}.seccompProfile")
    yield from systems.windows_options(given.get("windowsOptions"), f"{path}.windowsOptions")
    yield from _app_armor(given.get("appArmorProfile"), f"{path}.appArmorProfile")
    for key, known in (("supplementalGroupsPolicy", _GROUPS), ("seLinuxChangePolicy", _RELABELLED)):
        if given.get(key) not in (None, *known):
            yield causes.unsupported(f"{path}.{key}", given[key], known)


def host_users(spec: Object, path: str) -> Iterator[Cause]:
    """Source: validateHostUsers, whose paths have capitals, too."""
    if spec.get("hostUsers") is not False:
        return
    for key, message in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(key):
            yield causes.forbidden(f"{path}.{message}", "when `hostUsers` is false")
    for part in ("initContainers", "containers"):
        for number, each in enumerate(spec.get(part) or ()):
            if each.get("volumeDevices"):
                yield causes.forbidden(f"{path}.{part}[{number}].volumeDevices", "when `hostUsers` is false")


def _settings(spec: Object, given: Any, path: str) -> Iterator[Cause]:
    """Of the kernel. Source: validateSysctls."""
    seen: set[str] = set()
    for number, each in enumerate(given or ()):
        at, name = f"{path}[{number}].name", str(each.get("name") or "")
        if not name:
            yield causes.required(at)
        elif not _is_setting(name):
            yield causes.invalid(
                at, name, f"must have at most {_LONGEST_SETTING} characters and match regex ^{_SETTING}$"
            )
        elif name in seen:
            yield causes.duplicate(at, name)
        shared = name.replace("/", ".")
        if spec.get("hostNetwork") and shared.startswith(_OF_NETWORK):
            yield causes.invalid(at, name, "may not be specified when 'hostNetwork' is true")
        elif spec.get("hostIPC") and shared.startswith(_OF_IPC):
            yield causes.invalid(at, name, "may not be specified when 'hostIPC' is true")
        seen.add(name)


def _is_setting(name: str) -> bool:
    parts = re.split(r"[./]", name) if len(name) <= _LONGEST_SETTING else ()
    return bool(parts) and all(_SETTING_PART.fullmatch(part) for part in parts)


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
    kind, profile = given.get("type") or "", given.get("localhostProfile")
    if not kind:
        yield causes.required(f"{path}.type", "type is required when seccompProfile is set")
    elif kind not in _PROFILES:
        yield causes.unsupported(f"{path}.type", kind, _PROFILES)
    if kind != "Localhost":
        if profile is not None:
            shown = go_values.value("SeccompProfile", given)
            yield causes.invalid(f"{path}.localhostProfile", shown, "can only be set when seccomp type is Localhost")
    elif profile is None:
        yield causes.required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
    else:
        yield from texts.descending(str(profile), f"{path}.localhostProfile")


def _app_armor(given: Object | None, path: str) -> Iterator[Cause]:
    if given is None:
        return
    kind, profile, at = given.get("type") or "", given.get("localhostProfile"), f"{path}.localhostProfile"
    if kind == "Localhost":
        if profile is not None and profile != profile.strip():
            yield causes.invalid(at, profile, "must not be padded with whitespace")
        elif not profile:
            yield causes.required(at, "must be set when AppArmor type is Localhost")
        if profile is not None and len(profile) > _LONGEST_PROFILE:
            yield causes.too_long(at, _LONGEST_PROFILE)
    elif not kind:
        yield causes.required(f"{path}.type", "type is required when appArmorProfile is set")
    elif kind not in _PROFILES:
        yield causes.unsupported(f"{path}.type", kind, _PROFILES)
    elif profile is not None:
        yield causes.invalid(at, profile, "can only be set when AppArmor type is Localhost")


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
    if len(" ".join(map(str, searches))) > _LONGEST_SEARCH:
        detail = f"must not have more than {_LONGEST_SEARCH} characters (including spaces) in the search list"
        yield causes.invalid(f"{path}.searches", searches, detail)
    for number, each in enumerate(map(str, searches)):
        if each != ".":
            name = each.removesuffix(".")
            yield from broken(f"{path}.searches[{number}]", name, texts.subdomain_with_underscores(name))
    for number, each in enumerate((given or {}).get("options") or ()):
        if not each.get("name"):
            yield causes.required(f"{path}.options[{number}]", "must not be empty")


def host_aliases(given: Any, path: str) -> Iterator[Cause]:
    for number, each in enumerate(given or ()):
        yield from texts.address(str(each.get("ip") or ""), f"{path}[{number}].ip")
        for place, name in enumerate(each.get("hostnames") or ()):
            at = f"{path}[{number}].hostnames[{place}]"
            yield from broken(at, name, names.dns_subdomain(str(name)))
