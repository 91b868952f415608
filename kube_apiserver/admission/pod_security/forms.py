"""The fields of an unvalidated Pod that the checks read. Values of the wrong type are ignored."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver.admission.pod_parts import CONTAINERS

Object = Mapping[str, Any]

_PROFILE = {"type": str}
_CONTEXT = {
    **dict.fromkeys(("privileged", "allowPrivilegeEscalation", "runAsNonRoot"), bool),
    "runAsUser": int,
    "procMount": str,
    "capabilities": {"add": [str], "drop": [str]},
    "seLinuxOptions": {"type": str, "user": str, "role": str},
    "seccompProfile": _PROFILE,
    "appArmorProfile": _PROFILE,
    "windowsOptions": {"hostProcess": bool},
    "sysctls": [{"name": str}],
}
_HANDLER = {"httpGet": {"host": str}, "tcpSocket": {"host": str}}
_CONTAINER = {
    "name": str,
    "securityContext": _CONTEXT,
    "ports": [{"hostPort": int}],
    **dict.fromkeys(("livenessProbe", "readinessProbe", "startupProbe"), _HANDLER),
    "lifecycle": {"postStart": _HANDLER, "preStop": _HANDLER},
}
_SPEC = {
    **dict.fromkeys(("hostNetwork", "hostPID", "hostIPC", "hostUsers"), bool),
    "os": {"name": str},
    "securityContext": _CONTEXT,
    "volumes": [Mapping],
    **{part: [_CONTAINER] for part in CONTAINERS},
}


def select_typed_fields(pod: Object) -> tuple[Object, Object]:
    """Return metadata and spec of the Pod with fields of the right types only."""
    notes = (pod.get("metadata") or {}).get("annotations")
    texts = {name: text for name, text in (notes or {}).items() if isinstance(text, str)}
    return {"annotations": texts}, _select_typed(pod.get("spec"), _SPEC) or {}


def _select_typed(value: Any, form: Any) -> Any:
    if isinstance(form, list):
        found = [_select_typed(one, form[0]) for one in value] if isinstance(value, list) else []
        return [one for one in found if one is not None]
    if not isinstance(form, dict):
        return value if isinstance(value, form) else None
    if not isinstance(value, Mapping):
        return None
    known = {name: _select_typed(value[name], of) for name, of in form.items() if name in value}
    return {name: one for name, one in known.items() if one is not None}
