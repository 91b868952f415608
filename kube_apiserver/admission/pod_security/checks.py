"""The checks that a Pod must pass for a level. Source: pod-security-admission/policy, admission."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.pod_security import baseline, levels, restricted
from kube_apiserver.admission.pod_security.baseline import Found
from kube_apiserver.admission.pod_security.forms import select_typed_fields
from kube_apiserver.admission.pod_security.levels import Level
from kube_apiserver.admission.pod_security.pods import Pod

Object = Mapping[str, Any]
_Check = Callable[[Pod], Found]

_NEWEST = 35
"""The newest minor version in which a check changed."""
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
# Check → the minor version from which a check of `restricted` replaces it.
_REPLACED: Mapping[_Check, int] = {
    baseline.capabilities: 22,
    baseline.host_paths: 0,
    baseline.proc_mount: 35,
    baseline.seccomp: 19,
}


def problems(level: Level, metadata: Object, spec: Object) -> list[tuple[str, str]]:
    """Return reason and details of each check that the Pod fails."""
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
    """Return the reason why the enforced level rejects a Pod, or ""."""
    found = problems(level, metadata, spec)
    return f'violates PodSecurity "{level}": {as_text(found)}' if found else ""


def of_controller(labels: Mapping[str, str], pod: Object) -> str:
    """Return the violation of a Pod whose template may not have been validated. `labels` are the namespace's."""
    if not levels.are_any(labels):
        return ""
    return violation(levels.policy_of(labels).enforce, *select_typed_fields(pod))
