"""The checks of the level `baseline`. Source: pod-security-admission/policy."""

from collections.abc import Iterator
from typing import Any

from kube_apiserver.admission.pod_security.pods import Object, Pod, containers, quoted, setters, several

Found = tuple[str, str] | None
"""The reason, and the details in this Pod. None if the Pod passes."""

_CAPABILITIES = frozenset(
    [
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
        *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    ]
)
_TYPES = ("", "container_t", "container_init_t", "container_kvm_t")
_ENGINE_TYPE = "container_engine_t"
# The minor version from which sysctls are allowed → sysctls.
_SETTINGS = {
    0: (
        *("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies"),
        *("net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"),
    ),
    27: ("net.ipv4.ip_local_reserved_ports",),
    29: (
        *("net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"),
        "net.ipv4.tcp_keepalive_probes",
    ),
    32: ("net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"),
}
PROFILES = ("Localhost", "RuntimeDefault")
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_OF_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP = "container.seccomp.security.alpha.kubernetes.io/"
_TAKEN_SECCOMP = ("runtime/default", "docker/default")


def app_armor(pod: Pod) -> Found:
    def is_bad(context: Object) -> bool:
        profile = context.get("appArmorProfile")
        return profile is not None and profile.get("type") not in PROFILES

    named = pod.named(lambda _, context: is_bad(context))
    values = {str(each["appArmorProfile"].get("type") or "") for each in _contexts(pod) if is_bad(each)}
    annotated = sorted(
        f'{key}="{value}"'
        for key, value in (pod.metadata.get("annotations") or {}).items()
        if key.startswith(_APP_ARMOR) and value not in ("", "runtime/default") and not value.startswith("localhost/")
    )
    subjects = [
        each for each in (setters(is_bad(pod.context), named), annotated and several(annotated, "annotation")) if each
    ]
    if not subjects:
        return None
    detail = [*sorted(values), *annotated]
    reason = several(detail, "forbidden AppArmor profile")
    return reason, f"{' and '.join(map(str, subjects))} must not set AppArmor profile type to {quoted(detail)}"


def _contexts(pod: Pod) -> Iterator[Object]:
    yield pod.context
    yield from (context for _, context in pod.containers())


def added(context: Object, taken: Any) -> list[str]:
    """Return the added capabilities that aren't allowed."""
    return [each for each in (context.get("capabilities") or {}).get("add") or () if each not in taken]


def capabilities(pod: Pod) -> Found:
    named = pod.named(lambda _, context: bool(added(context, _CAPABILITIES)))
    if not named:
        return None
    values = sorted({each for _, context in pod.containers() for each in added(context, _CAPABILITIES)})
    detail = f"{containers(named)} must not include {quoted(values)} in securityContext.capabilities.add"
    return "non-default capabilities", detail


def host_namespaces(pod: Pod) -> Found:
    found = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(name)]
    return ("host namespaces", ", ".join(found)) if found else None


def host_paths(pod: Pod) -> Found:
    named = [str(each.get("name")) for each in pod.spec.get("volumes") or () if each.get("hostPath") is not None]
    return ("hostPath volumes", f"{several(named, 'volume')} {quoted(named)}") if named else None


def host_ports(pod: Pod) -> Found:
    def ports(container: Object) -> list[str]:
        return [str(each["hostPort"]) for each in container.get("ports") or () if each.get("hostPort")]

    named = pod.named(lambda container, _: bool(ports(container)))
    if not named:
        return None
    numbers = sorted({each for container, _ in pod.containers() for each in ports(container)})
    detail = f"{containers(named)} {several(named, 'uses', 'use')} {several(numbers, 'hostPort')} {', '.join(numbers)}"
    return "hostPort", detail


def hosts_of_probes(pod: Pod) -> Found:
    def hosts(container: Object) -> list[str]:
        probes = [container.get(name) or {} for name in ("livenessProbe", "readinessProbe", "startupProbe")]
        probes += [(container.get("lifecycle") or {}).get(name) or {} for name in ("postStart", "preStop")]
        hosts_of_handlers = [(each.get(how) or {}).get("host") for each in probes for how in ("httpGet", "tcpSocket")]
        return [str(each) for each in hosts_of_handlers if each]

    named = sorted(set(pod.named(lambda container, _: bool(hosts(container)))))
    if pod.minor < 34 or not named:
        return None
    names = sorted({each for container, _ in pod.containers() for each in hosts(container)})
    what = several(names, "probe or lifecycle host")
    return "probe or lifecycle host", f"{containers(named)} {several(named, 'uses', 'use')} {what} {quoted(names)}"


def privileged(pod: Pod) -> Found:
    named = pod.named(lambda _, context: bool(context.get("privileged")))
    return ("privileged", f"{containers(named)} must not set securityContext.privileged=true") if named else None


def proc_mount(pod: Pod) -> Found:
    return None if pod.has_users_of_its_own else unmasked(pod)


def unmasked(pod: Pod) -> Found:
    named = pod.named(lambda _, context: context.get("procMount") not in (None, "Default"))
    if not named:
        return None
    values = sorted(
        {str(each["procMount"]) for _, each in pod.containers() if each.get("procMount") not in (None, "Default")}
    )
    return "procMount", f"{containers(named)} must not set securityContext.procMount to {quoted(values)}"


def se_linux(pod: Pod) -> Found:
    types = (*_TYPES, _ENGINE_TYPE) if pod.minor >= 31 else _TYPES

    def options(context: Object) -> Object:
        return context.get("seLinuxOptions") or {}

    def is_bad(context: Object) -> bool:
        se_options = options(context)
        return (se_options.get("type") or "") not in types or bool(se_options.get("user") or se_options.get("role"))

    who = setters(is_bad(pod.context), pod.named(lambda _, context: is_bad(context)))
    if not who:
        return None
    se_options = [options(each) for each in _contexts(pod)]
    bad = sorted({str(each.get("type") or "") for each in se_options} - set(types))
    detail = [f"{several(bad, 'type')} {quoted(bad)}"] if bad else []
    detail += [f"{name} may not be set" for name in ("user", "role") if any(each.get(name) for each in se_options)]
    return "seLinuxOptions", f"{who} set forbidden securityContext.seLinuxOptions: {'; '.join(detail)}"


def seccomp(pod: Pod) -> Found:
    return set_seccomp(pod) if pod.minor >= 19 else _annotated_seccomp(pod)


def set_seccomp(pod: Pod) -> Found:
    """Return the seccomp profiles that aren't allowed."""

    def is_bad(context: Object) -> bool:
        profile = context.get("seccompProfile")
        return profile is not None and profile.get("type") not in PROFILES

    who = setters(is_bad(pod.context), pod.named(lambda _, context: is_bad(context)))
    values = sorted({str(each["seccompProfile"].get("type") or "") for each in _contexts(pod) if is_bad(each)})
    detail = f"{who} must not set securityContext.seccompProfile.type to {quoted(values)}"
    return ("seccompProfile", detail) if who else None


def _annotated_seccomp(pod: Pod) -> Found:
    annotations = pod.metadata.get("annotations") or {}
    keys = [_SECCOMP_OF_POD, *(f"{_SECCOMP}{container.get('name')}" for container, _ in pod.containers())]
    bad = sorted(
        {
            f'{key}="{annotations[key]}"'
            for key in keys
            if key in annotations
            and annotations[key] not in _TAKEN_SECCOMP
            and not annotations[key].startswith("localhost/")
        }
    )
    return ("seccompProfile", f"forbidden {several(bad, 'annotation')} {', '.join(bad)}") if bad else None


def settings(pod: Pod) -> Found:
    taken = {each for since, names in _SETTINGS.items() if pod.minor >= since for each in names}
    named = [str(each.get("name") or "") for each in pod.context.get("sysctls") or ()]
    bad = [each for each in named if each not in taken]
    return ("forbidden sysctls", ", ".join(bad)) if bad else None


def host_process(pod: Pod) -> Found:
    def is_one(context: Object) -> bool:
        return bool((context.get("windowsOptions") or {}).get("hostProcess"))

    who = setters(is_one(pod.context), pod.named(lambda _, context: is_one(context)))
    return ("hostProcess", f"{who} must not set securityContext.windowsOptions.hostProcess=true") if who else None
