"""What keeps a pod from being of a level. Source: pod-security-admission/policy, admission."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.pod_security import baseline, levels, restricted
from kube_apiserver.admission.pod_security.baseline import Found
from kube_apiserver.admission.pod_security.forms import formed
from kube_apiserver.admission.pod_security.levels import Level
from kube_apiserver.admission.pod_security.pods import Pod

Object = Mapping[str, Any]
_Check = Callable[[Pod], Found]

_NEWEST = 35
"""The newest version in which a check changed."""
_BASELINE: Sequence[_Check] = (
    baseline.app_armor,
    baseline.capabilities,
    baseline.host_namespaces,
    baseline.host_paths,
    baseline.host_ports,
    baseline.hosts_of_probes,
    baseline.privileged,
    baseline.proc_mount,
    baseline.se_linux,
    baseline.seccomp,
    baseline.settings,
    baseline.host_process,
)
_RESTRICTED: Sequence[_Check] = (
    restricted.escalation,
    restricted.capabilities,
    restricted.proc_mount,
    restricted.volumes,
    restricted.non_root,
    restricted.user,
    restricted.seccomp,
)
# From which version on one of `restricted` takes the place of these.
_REPLACED: Mapping[_Check, int] = {
    baseline.capabilities: 22,
    baseline.host_paths: 0,
    baseline.proc_mount: 35,
    baseline.seccomp: 19,
}


def problems(level: Level, metadata: Object, spec: Object) -> list[tuple[str, str]]:
    """The reasons why a pod is not of the level, and what they are about in it; nothing if it is."""
    if level.name == levels.PRIVILEGED:
        return []
    pod = Pod(metadata, spec, level.minor(_NEWEST))
    checks = list(_BASELINE)
    if level.name == levels.RESTRICTED:
        checks = [each for each in checks if pod.minor < _REPLACED.get(each, _NEWEST + 1)]
        checks += _RESTRICTED
    return [found for check in checks if (found := check(pod))]


def as_text(found: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{reason} ({detail})" if detail else reason for reason, detail in found)


def violation(level: Level, metadata: Object, spec: Object) -> str:
    """Why a pod is not let in where this level is enforced; "" if it is."""
    found = problems(level, metadata, spec)
    return f'violates PodSecurity "{level}": {as_text(found)}' if found else ""


def of_controller(labels: Mapping[str, str], pod: Object) -> str:
    """As `violation`, of a pod that is made of a template nobody may have looked at; `labels` are its namespace's."""
    if not levels.are_any(labels):
        return ""
    return violation(levels.of(labels).enforce, *formed(pod))
