"""Validation of security contexts, host settings, DNS, and fields that an operating system lacks.

Source: pkg/apis/core/validation ValidatePodSecurityContext, ValidateSecurityContext, validateOS, validateLinux,
validateWindows, validateWindowsHostProcessPod.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.pod_parts import CONTAINERS
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, texts
from kube_apiserver.validation.metadata import report_broken_rules
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
_NETWORK_SYSCTLS = ("net.",)
_IPC_SYSCTLS = ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")


def validate_container_security_context(
    context: Object | None, path: str, *, is_host_user: bool = True
) -> Iterator[Cause]:
    context = context or {}
    yield from _validate_ids(context, path, ("runAsUser", "runAsGroup"))
    proc_mount = context.get("procMount")
    if proc_mount not in (None, *_PROC):
        yield causes.unsupported(f"{path}.procMount", proc_mount, _PROC)
    if is_host_user and proc_mount == "Unmasked":
        yield causes.invalid(f"{path}.procMount", proc_mount, "`hostUsers` must be false to use `Unmasked`")
    yield from _validate_seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged"):
            detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
            yield causes.invalid(path, go_values.to_go_value("SecurityContext", context), detail)
        if "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or ()):
            detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield causes.invalid(path, go_values.to_go_value("SecurityContext", context), detail)
    yield from validate_windows_options(context.get("windowsOptions"), f"{path}.windowsOptions")
    yield from _validate_app_armor(context.get("appArmorProfile"), f"{path}.appArmorProfile")


def _validate_ids(context: Object, path: str, keys: Sequence[str]) -> Iterator[Cause]:
    """Validate the user and group IDs in these fields."""
    for key in keys:
        if context.get(key) is not None:
            yield from texts.validate_id(context[key], f"{path}.{key}")


def validate_pod_security_context(spec: Object, path: str) -> Iterator[Cause]:
    context = spec.get("securityContext") or {}
    yield from _validate_ids(context, path, _OWN)
    for number, group in enumerate(context.get("supplementalGroups") or ()):
        yield from texts.validate_id(group, f"{path}.supplementalGroups[{number}]")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield causes.invalid(f"{path}.shareProcessNamespace", True, detail)
    yield from _validate_sysctls(spec, context.get("sysctls"), f"{path}.sysctls")
    if context.get("fsGroupChangePolicy") not in (None, *_CHANGES):
        yield causes.unsupported(f"{path}.fsGroupChangePolicy", context["fsGroupChangePolicy"], _CHANGES)
    yield from _validate_seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    yield from validate_windows_options(context.get("windowsOptions"), f"{path}.windowsOptions")
    yield from _validate_app_armor(context.get("appArmorProfile"), f"{path}.appArmorProfile")
    for key, known in (("supplementalGroupsPolicy", _GROUPS), ("seLinuxChangePolicy", _RELABELLED)):
        if context.get(key) not in (None, *known):
            yield causes.unsupported(f"{path}.{key}", context[key], known)


def validate_host_users(spec: Object, path: str) -> Iterator[Cause]:
    """Validate Pods with `hostUsers: false`. Upstream's paths have these capitals. Source: validateHostUsers."""
    if spec.get("hostUsers") is not False:
        return
    for key, message in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(key):
            yield causes.forbidden(f"{path}.{message}", "when `hostUsers` is false")
    for part in ("initContainers", "containers"):
        for number, each in enumerate(spec.get(part) or ()):
            if each.get("volumeDevices"):
                yield causes.forbidden(f"{path}.{part}[{number}].volumeDevices", "when `hostUsers` is false")


def _validate_sysctls(spec: Object, sysctls: Any, path: str) -> Iterator[Cause]:
    """Validate sysctls. Source: validateSysctls."""
    seen: set[str] = set()
    for number, sysctl in enumerate(sysctls or ()):
        name_path, name = f"{path}[{number}].name", str(sysctl.get("name") or "")
        if not name:
            yield causes.required(name_path)
        elif not _is_sysctl_name(name):
            yield causes.invalid(
                name_path, name, f"must have at most {_LONGEST_SETTING} characters and match regex ^{_SETTING}$"
            )
        elif name in seen:
            yield causes.duplicate(name_path, name)
        shared = name.replace("/", ".")
        if spec.get("hostNetwork") and shared.startswith(_NETWORK_SYSCTLS):
            yield causes.invalid(name_path, name, "may not be specified when 'hostNetwork' is true")
        elif spec.get("hostIPC") and shared.startswith(_IPC_SYSCTLS):
            yield causes.invalid(name_path, name, "may not be specified when 'hostIPC' is true")
        seen.add(name)


def _is_sysctl_name(name: str) -> bool:
    parts = re.split(r"[./]", name) if len(name) <= _LONGEST_SETTING else ()
    return bool(parts) and all(_SETTING_PART.fullmatch(part) for part in parts)


def validate_host_network(spec: Object, path: str, *, is_pod: bool) -> Iterator[Cause]:
    """Validate host ports under `hostNetwork`. A template may omit them. Source: validatePodHostNetworkDeps."""
    if not spec.get("hostNetwork"):
        return
    for number, each in enumerate(spec.get("containers") or ()):
        for place, port in enumerate(each.get("ports") or ()):
            of_node = port.get("hostPort") or 0
            if (is_pod or of_node) and of_node != port.get("containerPort"):
                detail = "must match `containerPort` when `hostNetwork` is true"
                yield causes.invalid(f"{path}.containers[{number}].ports[{place}].hostPort", of_node, detail)


def _validate_seccomp(profile: Object | None, path: str) -> Iterator[Cause]:
    if profile is None:
        return
    kind, localhost_profile = profile.get("type") or "", profile.get("localhostProfile")
    if not kind:
        yield causes.required(f"{path}.type", "type is required when seccompProfile is set")
    elif kind not in _PROFILES:
        yield causes.unsupported(f"{path}.type", kind, _PROFILES)
    if kind != "Localhost":
        if localhost_profile is not None:
            shown = go_values.to_go_value("SeccompProfile", profile)
            yield causes.invalid(f"{path}.localhostProfile", shown, "can only be set when seccomp type is Localhost")
    elif localhost_profile is None:
        yield causes.required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
    else:
        yield from texts.validate_local_descending_path(str(localhost_profile), f"{path}.localhostProfile")


def _validate_app_armor(profile: Object | None, path: str) -> Iterator[Cause]:
    if profile is None:
        return
    kind, localhost_profile, profile_path = (
        profile.get("type") or "",
        profile.get("localhostProfile"),
        f"{path}.localhostProfile",
    )
    if kind == "Localhost":
        if localhost_profile is not None and localhost_profile != localhost_profile.strip():
            yield causes.invalid(profile_path, localhost_profile, "must not be padded with whitespace")
        elif not localhost_profile:
            yield causes.required(profile_path, "must be set when AppArmor type is Localhost")
        if localhost_profile is not None and len(localhost_profile) > _LONGEST_PROFILE:
            yield causes.too_long(profile_path, _LONGEST_PROFILE)
    elif not kind:
        yield causes.required(f"{path}.type", "type is required when appArmorProfile is set")
    elif kind not in _PROFILES:
        yield causes.unsupported(f"{path}.type", kind, _PROFILES)
    elif localhost_profile is not None:
        yield causes.invalid(profile_path, localhost_profile, "can only be set when AppArmor type is Localhost")


def validate_dns_config(spec: Object, path: str) -> Iterator[Cause]:
    """Source: validatePodDNSConfig."""
    config, is_own = spec.get("dnsConfig"), spec.get("dnsPolicy") == "None"
    if is_own and config is None:
        yield causes.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
        return
    servers, searches = (config or {}).get("nameservers") or [], (config or {}).get("searches") or []
    if is_own and not servers:
        detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        yield causes.required(f"{path}.nameservers", detail)
        return
    if len(servers) > 3:
        yield causes.invalid(f"{path}.nameservers", servers, "must not have more than 3 nameservers")
    for number, entry in enumerate(servers):
        yield from texts.validate_ip(str(entry), f"{path}.nameservers[{number}]")
    if len(searches) > 32:
        yield causes.invalid(f"{path}.searches", searches, "must not have more than 32 search paths")
    if len(" ".join(map(str, searches))) > _LONGEST_SEARCH:
        detail = f"must not have more than {_LONGEST_SEARCH} characters (including spaces) in the search list"
        yield causes.invalid(f"{path}.searches", searches, detail)
    for number, entry in enumerate(map(str, searches)):
        if entry != ".":
            name = entry.removesuffix(".")
            yield from report_broken_rules(f"{path}.searches[{number}]", name, texts.find_subdomain_error(name))
    for number, entry in enumerate((config or {}).get("options") or ()):
        if not entry.get("name"):
            yield causes.required(f"{path}.options[{number}]", "must not be empty")


def validate_host_aliases(aliases: Any, path: str) -> Iterator[Cause]:
    for number, alias in enumerate(aliases or ()):
        yield from texts.validate_ip(str(alias.get("ip") or ""), f"{path}[{number}].ip")
        for name_number, name in enumerate(alias.get("hostnames") or ()):
            name_path = f"{path}[{number}].hostnames[{name_number}]"
            yield from report_broken_rules(name_path, name, names.dns_subdomain(str(name)))


_LINUX, _WINDOWS = "linux", "windows"
_NOT_OF_LINUX = "windows options cannot be set for a linux pod"
_NOT_OF_WINDOWS = "cannot be set for a windows pod"
# In upstream's order. The fields in _OF_SPEC belong to the spec, the others to its security context.
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


def validate_operating_system(spec: Object, path: str) -> Iterator[Cause]:
    """Validate that a Pod sets no fields that its operating system lacks."""
    if spec.get("os") is None:
        return
    name = spec["os"].get("name") or ""
    if not name:
        yield causes.required(f"{path}.os.name")
    elif name == _LINUX:
        for context_path, context in _list_security_contexts(spec, path):
            if context.get("windowsOptions") is not None:
                yield causes.forbidden(f"{context_path}.windowsOptions", _NOT_OF_LINUX)
    elif name == _WINDOWS:
        yield from _validate_windows_pod(spec, path)
    else:
        yield causes.unsupported(f"{path}.os", name, (_LINUX, _WINDOWS))


def _validate_windows_pod(spec: Object, path: str) -> Iterator[Cause]:
    (context_path, context), *others = _list_security_contexts(spec, path)
    for field in _NO_POD_HAS:
        holder, holder_path = (spec, path) if field in _OF_SPEC else (context, context_path)
        setting = holder.get(field)
        if setting is not None and not (not setting and field in (*_SAYS_NOTHING, "sysctls")):
            yield causes.forbidden(f"{holder_path}.{field}", _NOT_OF_WINDOWS)
    for context_path, context in others:
        for field in _NO_CONTAINER_HAS:
            if context.get(field) is not None:
                yield causes.forbidden(f"{context_path}.{field}", _NOT_OF_WINDOWS)


def _list_security_contexts(spec: Object, path: str) -> Iterator[tuple[str, Object]]:
    """Yield path and security context of the Pod, then of each container."""
    yield f"{path}.securityContext", spec.get("securityContext") or {}
    for part in CONTAINERS:
        for number, each in enumerate(spec.get(part) or ()):
            yield f"{path}.{part}[{number}].securityContext", each.get("securityContext") or {}


def validate_host_process(spec: Object, path: str) -> Iterator[Cause]:
    """Validate `hostProcess`: either all containers or none run as host processes."""
    (_, context), *others = _list_security_contexts(spec, path)
    pod_setting, count = (context.get("windowsOptions") or {}).get("hostProcess"), 0
    for context_path, container_context in others:
        container_setting = (container_context.get("windowsOptions") or {}).get("hostProcess")
        if pod_setting is not None and container_setting is not None and pod_setting != container_setting:
            detail = f"pod hostProcess value must be identical if both are specified, was {str(pod_setting).lower()}"
            yield causes.invalid(f"{context_path}.windowsOptions.hostProcess", container_setting, detail)
        count += bool(pod_setting if container_setting is None else container_setting)
    if count and count != len(others):
        detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        yield causes.invalid(path, "", detail)
    if count and not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        yield causes.invalid(f"{path}.hostNetwork", False, detail)


def validate_windows_options(options: Object | None, path: str) -> Iterator[Cause]:
    """Validate the Windows options of a Pod or a container."""
    options = options or {}
    name, text, user = (options.get(key) for key in ("gmsaCredentialSpecName", "gmsaCredentialSpec", "runAsUserName"))
    if name is not None:
        yield from report_broken_rules(f"{path}.gmsaCredentialSpecName", name, names.dns_subdomain(str(name)))
    if text == "":
        yield causes.invalid(f"{path}.gmsaCredentialSpec", text, "gmsaCredentialSpec cannot be an empty string")
    elif text is not None and len(str(text).encode()) > _LONGEST_CREDENTIAL:
        yield causes.invalid(f"{path}.gmsaCredentialSpec", text, "gmsaCredentialSpec size must be under 64 KiB")
    if user is not None:
        for detail in _find_user_name_errors(str(user)):
            yield causes.invalid(f"{path}.runAsUserName", user, f"runAsUserName{detail}")


def _find_user_name_errors(name: str) -> Iterator[str]:
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
