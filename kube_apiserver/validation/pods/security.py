"""Security contexts of Pods and containers, and the fields that an operating system does not have.

Source: pkg/apis/core/validation ValidatePodSecurityContext, ValidateSecurityContext, validateOS, validateLinux,
validateWindows, validateWindowsHostProcessPod.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.pod_parts import CONTAINERS
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, texts
from kube_apiserver.validation.metadata import broken
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
    yield from windows_options(given.get("windowsOptions"), f"{path}.windowsOptions")
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
    yield from windows_options(given.get("windowsOptions"), f"{path}.windowsOptions")
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


_LINUX, _WINDOWS = "linux", "windows"
_NOT_OF_LINUX = "windows options cannot be set for a linux pod"
_NOT_OF_WINDOWS = "cannot be set for a windows pod"
# In upstream's order; which are fields of the spec, the others of its security context.
_OF_SPEC = ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace")
_NO_POD_HAS = (
    *("appArmorProfile", "seLinuxOptions", "hostUsers", "hostPID", "hostIPC", "seccompProfile", "fsGroup"),
    *("fsGroupChangePolicy", "sysctls", "shareProcessNamespace", "runAsUser", "runAsGroup", "supplementalGroups"),
    *("supplementalGroupsPolicy", "seLinuxChangePolicy"),
)
_NO_CONTAINER_HAS = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged"),
    *("allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"),
)
_SAYS_NOTHING = ("hostPID", "hostIPC")
"""Fields of which false is the same as none."""
_LONGEST_CREDENTIAL = 64 * 1024
_LONGEST_DOMAIN, _LONGEST_USER = 255, 104
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NET_BIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NO_USER_HAS = re.compile(r'["/\\:;|=,+*?<>@\[\]]')
_DOTS = re.compile(r"[. ]+")


def operating_system(given: Object, path: str) -> Iterator[Cause]:
    """What a pod may not have on the system that it names."""
    if given.get("os") is None:
        return
    name = given["os"].get("name") or ""
    if not name:
        yield causes.required(f"{path}.os.name")
    elif name == _LINUX:
        for at, context in _contexts(given, path):
            if context.get("windowsOptions") is not None:
                yield causes.forbidden(f"{at}.windowsOptions", _NOT_OF_LINUX)
    elif name == _WINDOWS:
        yield from _of_windows(given, path)
    else:
        yield causes.unsupported(f"{path}.os", name, (_LINUX, _WINDOWS))


def _of_windows(given: Object, path: str) -> Iterator[Cause]:
    (at, context), *others = _contexts(given, path)
    for field in _NO_POD_HAS:
        holder, place = (given, path) if field in _OF_SPEC else (context, at)
        found = holder.get(field)
        if found is not None and not (not found and field in (*_SAYS_NOTHING, "sysctls")):
            yield causes.forbidden(f"{place}.{field}", _NOT_OF_WINDOWS)
    for at, context in others:
        for field in _NO_CONTAINER_HAS:
            if context.get(field) is not None:
                yield causes.forbidden(f"{at}.{field}", _NOT_OF_WINDOWS)


def _contexts(given: Object, path: str) -> Iterator[tuple[str, Object]]:
    """The pod's security context, and those of its containers, with their paths."""
    yield f"{path}.securityContext", given.get("securityContext") or {}
    for part in CONTAINERS:
        for number, each in enumerate(given.get(part) or ()):
            yield f"{path}.{part}[{number}].securityContext", each.get("securityContext") or {}


def host_process(given: Object, path: str) -> Iterator[Cause]:
    """All containers are processes of the node, or none is."""
    (_, context), *others = _contexts(given, path)
    of_pod, count = (context.get("windowsOptions") or {}).get("hostProcess"), 0
    for at, each in others:
        own = (each.get("windowsOptions") or {}).get("hostProcess")
        if of_pod is not None and own is not None and of_pod != own:
            detail = f"pod hostProcess value must be identical if both are specified, was {str(of_pod).lower()}"
            yield causes.invalid(f"{at}.windowsOptions.hostProcess", own, detail)
        count += bool(of_pod if own is None else own)
    if count and count != len(others):
        detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        yield causes.invalid(path, "", detail)
    if count and not given.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        yield causes.invalid(f"{path}.hostNetwork", False, detail)


def windows_options(given: Object | None, path: str) -> Iterator[Cause]:
    """Of a pod's or a container's security context."""
    given = given or {}
    name, text, user = (given.get(key) for key in ("gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName"))
    if name is not None:
        yield from broken(f"{path}.gmsaCredentialSpecName", name, names.dns_subdomain(str(name)))
    if text == "":
        yield causes.invalid(f"{path}.gmsaCredentialSpec", text, "gmsaCredentialSpec cannot be an empty string")
    elif text is not None and len(str(text).encode()) > _LONGEST_CREDENTIAL:
        yield causes.invalid(f"{path}.gmsaCredentialSpec", text, "gmsaCredentialSpec size must be under 64 KiB")
    if user is not None:
        for detail in _user_problems(str(user)):
            yield causes.invalid(f"{path}.runAsUserName", user, f"runAsUserName{detail}")


def _user_problems(name: str) -> Iterator[str]:
    parts = name.split("\\")
    if not name:
        yield " cannot be an empty string"
    elif _CONTROL.search(name):
        yield " cannot contain control characters"
    elif len(parts) > 2:
        yield " cannot contain more than one backslash"
    else:
        domain, user = parts[0] if len(parts) == 2 else None, parts[-1]
        if domain is not None and len(domain) > _LONGEST_DOMAIN:
            yield "'s Domain length must be under 256 characters"
        if domain is not None and not (_NET_BIOS.fullmatch(domain) or _DOMAIN.fullmatch(domain)):
            yield "'s Domain doesn't match the NetBios nor the DNS format"
        if not user:
            yield "'s User cannot be empty"
        elif len(user) > _LONGEST_USER:
            yield "'s User length must not be longer than 104 characters"
        if _DOTS.fullmatch(user):
            yield "'s User cannot contain only periods or spaces"
        if _NO_USER_HAS.search(user):
            yield "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"
