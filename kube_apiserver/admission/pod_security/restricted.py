"""The checks of the level `restricted`. Source: pod-security-admission/policy."""

from kube_apiserver.admission.pod_security.baseline import Found, added, set_seccomp, unmasked
from kube_apiserver.admission.pod_security.pods import Object, Pod, containers, quoted, setters, several

_VOLUMES = (
    *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected"),
    "secret",
)
# In upstream's order of lookup.
_OTHER_VOLUMES = (
    *("hostPath", "gcePersistentDisk", "awsElasticBlockStore", "gitRepo", "nfs", "iscsi", "glusterfs", "rbd"),
    *("flexVolume", "cinder", "cephfs", "flocker", "fc", "azureFile", "vsphereVolume", "quobyte", "azureDisk"),
    *("photonPersistentDisk", "portworxVolume", "scaleIO", "storageos"),
)
_BINDS = ("NET_BIND_SERVICE",)


def _is_let_go(pod: Pod) -> bool:
    """Return True for a Windows Pod, which can't set the required fields."""
    return pod.minor >= 25 and pod.is_of_windows


def escalation(pod: Pod) -> Found:
    named = pod.named(lambda _, context: context.get("allowPrivilegeEscalation") is not False)
    if pod.minor < 8 or _is_let_go(pod) or not named:
        return None
    detail = f"{containers(named)} must set securityContext.allowPrivilegeEscalation=false"
    return "allowPrivilegeEscalation != false", detail


def capabilities(pod: Pod) -> Found:
    def drops_all(context: Object) -> bool:
        return "ALL" in ((context.get("capabilities") or {}).get("drop") or ())

    if pod.minor < 22 or _is_let_go(pod):
        return None
    detail = []
    if missing := pod.named(lambda _, context: not drops_all(context)):
        detail.append(f'{containers(missing)} must set securityContext.capabilities.drop=["ALL"]')
    if adding := pod.named(lambda _, context: bool(added(context, _BINDS))):
        values = sorted({each for _, context in pod.containers() for each in added(context, _BINDS)})
        detail.append(f"{containers(adding)} must not include {quoted(values)} in securityContext.capabilities.add")
    return ("unrestricted capabilities", "; ".join(detail)) if detail else None


def proc_mount(pod: Pod) -> Found:
    return unmasked(pod) if pod.minor >= 35 else None


def volumes(pod: Pod) -> Found:
    bad = [each for each in pod.spec.get("volumes") or () if not any(each.get(name) is not None for name in _VOLUMES)]
    if not bad:
        return None
    named = [str(each.get("name") or "") for each in bad]
    types = sorted({next((name for name in _OTHER_VOLUMES if each.get(name) is not None), "unknown") for each in bad})
    what = several(types, "restricted volume type")
    detail = f"{several(named, 'volume')} {quoted(named)} {several(named, 'uses', 'use')} {what} {quoted(types)}"
    return "restricted volume types", detail


def non_root(pod: Pod) -> Found:
    if pod.has_users_of_its_own:
        return None
    reason, of_pod = "runAsNonRoot != true", pod.context.get("runAsNonRoot")
    who = setters(of_pod is False, pod.named(lambda _, context: context.get("runAsNonRoot") is False))
    if who:
        return reason, f"{who} must not set securityContext.runAsNonRoot=false"
    silent = pod.named(lambda _, context: context.get("runAsNonRoot") is None and not of_pod)
    return (reason, f"pod or {containers(silent)} must set securityContext.runAsNonRoot=true") if silent else None


def user(pod: Pod) -> Found:
    if pod.minor < 23 or pod.has_users_of_its_own:
        return None
    who = setters(pod.context.get("runAsUser") == 0, pod.named(lambda _, context: context.get("runAsUser") == 0))
    return ("runAsUser=0", f"{who} must not set runAsUser=0") if who else None


def seccomp(pod: Pod) -> Found:
    if pod.minor < 19 or _is_let_go(pod):
        return None
    if found := set_seccomp(pod):
        return found
    of_pod = pod.context.get("seccompProfile")
    silent = pod.named(lambda _, context: context.get("seccompProfile") is None and of_pod is None)
    detail = (
        f'pod or {containers(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    )
    return ("seccompProfile", detail) if silent else None
