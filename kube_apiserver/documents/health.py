"""The reports at /healthz, /livez and /readyz. Source: apiserver/pkg/server/healthz.

The checks are those of kube-apiserver v1.36 in its order. All of them pass if the server answers at all.
"""

from collections.abc import Sequence

_FIRST, _LAST = ("ping", "log"), "shutdown"
_LIVES, _READY = ("loopback-serving-certificate", "etcd"), ("informer-sync",)
_HOOK, _REGISTERED = "poststarthook/", "autoregister-completion"
_HOOKS = (
    *("start-apiserver-admission-initializer", "generic-apiserver-start-informers"),
    *("priority-and-fairness-config-consumer", "priority-and-fairness-filter", "storage-object-count-tracker-hook"),
    *("start-apiextensions-informers", "start-apiextensions-controllers", "crd-informer-synced"),
    *("start-system-namespaces-controller", "peer-endpoint-reconciler-controller"),
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    *("storage-readiness", "start-legacy-token-tracking-controller", "start-service-ip-repair-controllers"),
    *("rbac/bootstrap-roles", "scheduling/bootstrap-system-priority-classes"),
    *("priority-and-fairness-config-producer", "bootstrap-controller"),
    *("start-kubernetes-service-cidr-controller", "start-kube-aggregator-informers"),
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    *("apiservice-registration-controller", "apiservice-wait-for-first-sync", "apiservice-discovery-controller"),
    "kube-apiserver-autoregistration",
)
_DOCUMENTS = ("apiservice-openapi-controller", "apiservice-openapiv3-controller")
_ALL_HOOKS = (
    *(f"{_HOOK}{each}" for each in _HOOKS),
    _REGISTERED,
    *(f"{_HOOK}{each}" for each in _DOCUMENTS),
)


def checks(probe: str) -> Sequence[str]:
    is_ready = probe == "readyz"
    return (*_FIRST, *(_READY if is_ready else _LIVES), *_ALL_HOOKS, *([_LAST] if is_ready else ()))


def report(probe: str, excluded: str, *, is_verbose: bool) -> str:
    """Return the report of a probe. `excluded` is the name of a check to skip, or ""."""
    if not is_verbose:
        return "ok"
    known = checks(probe)
    lines = [f"[+]{check} excluded: ok" if check == excluded else f"[+]{check} ok" for check in known]
    if excluded and excluded not in known:
        lines.append(f'warn: some health checks cannot be excluded: no matches for "{excluded}"')
    return "\n".join([*lines, f"{probe} check passed", ""])
