"""The operating system that a pod says that it is for, and what Windows has of its own.

Source: pkg/apis/core/validation validateOS, validateLinux, validateWindows, validateWindowsHostProcessPod,
validateWindowsSecurityContextOptions.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.built_in.pod_parts import CONTAINERS
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import broken
from kube_objects import names

Object = Mapping[str, Any]

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


def system(given: Object, path: str) -> Iterator[Cause]:
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
