"""Pods held to the level that labels of their namespace ask for. Measured from kube-apiserver v1.36.2."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_apiserver import causes
from kube_apiserver.admission.pod_security import checks, levels
from kube_apiserver.admission.pod_security.levels import Level
from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers
from kube_apiserver.writes.patches import MERGE_PATCH
from tests.core.kube_apiserver.refusals import BY, MAIN, Object, container, created, pod, resource, sent

PREFIX = "pod-security.kubernetes.io/"
ESCALATION = (
    'allowPrivilegeEscalation != false (container "main" must set securityContext.allowPrivilegeEscalation=false)'
)
DROP = 'unrestricted capabilities (container "main" must set securityContext.capabilities.drop=["ALL"])'
ROOT = 'runAsNonRoot != true (pod or container "main" must set securityContext.runAsNonRoot=true)'
SECCOMP = (
    'seccompProfile (pod or container "main" must set securityContext.seccompProfile.type to "RuntimeDefault" or '
    '"Localhost")'
)
SAFE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
BASELINE, RESTRICTED = Level("baseline"), Level("restricted")


def context(**fields: Any) -> Object:
    return container(securityContext=fields)


def safe(**fields: Any) -> Object:
    return context(**{**SAFE, **fields})


PROBE = {"httpGet": {"host": "h.example.com", "port": 80}}
CASES: list[tuple[str, Level, Object, str]] = [
    ("anything", Level(), context(privileged=True), ""),
    ("a plain pod", BASELINE, pod(), ""),
    (
        "privileged",
        BASELINE,
        context(privileged=True, capabilities={"add": ["NET_ADMIN"]}),
        'non-default capabilities (container "main" must not include "NET_ADMIN" in securityContext.capabilities.add), '
        'privileged (container "main" must not set securityContext.privileged=true)',
    ),
    (
        "of the node",
        BASELINE,
        {
            "spec": {
                **container(ports=[{"containerPort": 80, "hostPort": 80}])["spec"],
                "hostNetwork": True,
                "hostPID": True,
                "volumes": [{"name": "v", "hostPath": {"path": "/"}}],
            }
        },
        'host namespaces (hostNetwork=true, hostPID=true), hostPath volumes (volume "v"), '
        'hostPort (container "main" uses hostPort 80)',
    ),
    (
        "settings of the kernel",
        BASELINE,
        pod(securityContext={"sysctls": [{"name": "net.ipv4.tcp_rmem"}, {"name": "kernel.msgmax"}]}),
        "forbidden sysctls (kernel.msgmax)",
    ),
    (
        "settings that were let through later",
        Level("baseline", "v1.31"),
        pod(securityContext={"sysctls": [{"name": "net.ipv4.tcp_rmem"}]}),
        "forbidden sysctls (net.ipv4.tcp_rmem)",
    ),
    (
        "a probe of another host",
        BASELINE,
        container(livenessProbe=PROBE),
        'probe or lifecycle host (container "main" uses probe or lifecycle host "h.example.com")',
    ),
    ("a probe that was not looked at", Level("baseline", "v1.33"), container(livenessProbe=PROBE), ""),
    (
        "what is unconfined",
        BASELINE,
        {
            "spec": {
                **context(seccompProfile={"type": "Unconfined"}, procMount="Unmasked")["spec"],
                "securityContext": {"appArmorProfile": {"type": "Unconfined"}},
            }
        },
        'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined"), procMount (container '
        '"main" must not set securityContext.procMount to "Unmasked"), seccompProfile (container "main" must not set '
        'securityContext.seccompProfile.type to "Unconfined")',
    ),
    (
        "SELinux",
        BASELINE,
        context(seLinuxOptions={"type": "spc_t", "user": "u"}),
        'seLinuxOptions (container "main" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be '
        "set)",
    ),
    (
        "a process of the node",
        BASELINE,
        pod(securityContext={"windowsOptions": {"hostProcess": True}}),
        "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
    ),
    ("a plain pod is not restricted", RESTRICTED, pod(), f"{ESCALATION}, {DROP}, {ROOT}, {SECCOMP}"),
    (
        "nor was it before",
        Level("restricted", "v1.20"),
        pod(),
        f"{ESCALATION}, {ROOT}, {SECCOMP}",
    ),
    ("one that is", RESTRICTED, safe(), ""),
    ("one of Windows", RESTRICTED, pod(os={"name": "windows"}, securityContext={"runAsNonRoot": True}), ""),
    ("root", RESTRICTED, safe(runAsUser=0), 'runAsUser=0 (container "main" must not set runAsUser=0)'),
    ("root of its own", RESTRICTED, {"spec": {**safe(runAsUser=0)["spec"], "hostUsers": False}}, ""),
    (
        "what it adds",
        RESTRICTED,
        safe(capabilities={"drop": ["ALL"], "add": ["NET_BIND_SERVICE", "CHOWN"]}),
        'unrestricted capabilities (container "main" must not include "CHOWN" in securityContext.capabilities.add)',
    ),
    (
        "a path of the node",
        RESTRICTED,
        {"spec": {**safe()["spec"], "volumes": [{"name": "v", "hostPath": {"path": "/"}}]}},
        'restricted volume types (volume "v" uses restricted volume type "hostPath")',
    ),
    (
        "an old annotation",
        Level("baseline", "v1.18"),
        {**pod(), "metadata": {"annotations": {"seccomp.security.alpha.kubernetes.io/pod": "unconfined"}}},
        'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    ),
]


@pytest.mark.parametrize(("name", "level", "given", "want"), CASES, ids=[each[0] for each in CASES])
def test_a_pod_and_a_level(name: str, level: Level, given: Object, want: str) -> None:
    assert checks.as_text(checks.problems(level, given.get("metadata") or {}, given["spec"])) == want


LABELS: list[tuple[Mapping[str, str], str, str, list[str]]] = [
    ({}, "privileged:latest", "privileged:latest", []),
    ({"enforce": "baseline"}, "baseline:latest", "baseline:latest", []),
    ({"enforce": "baseline", "enforce-version": "v1.30"}, "baseline:v1.30", "baseline:v1.30", []),
    ({"enforce": "baseline", "warn": "restricted"}, "baseline:latest", "restricted:latest", []),
    ({"enforce": "restricted", "warn": "privileged"}, "restricted:latest", "privileged:latest", []),
    (
        {"enforce": "odd", "warn-version": "1.3"},
        "restricted:latest",
        "privileged:latest",
        [
            f'metadata.labels[{PREFIX}enforce]: Invalid value: "odd": must be one of privileged, baseline, restricted',
            f'metadata.labels[{PREFIX}warn-version]: Invalid value: "1.3": must be "latest" or "v1.x"',
        ],
    ),
]


@pytest.mark.parametrize(("given", "enforce", "warn", "problems"), LABELS)
def test_labels(given: Mapping[str, str], enforce: str, warn: str, problems: list[str]) -> None:
    found = levels.policy_of({f"{PREFIX}{name}": value for name, value in given.items()})
    assert (str(found.enforce), str(found.warn)) == (enforce, warn)
    told = [causes.invalid(*each) for each in found.problems]
    assert [f"{each['field']}: {each['message']}" for each in told] == problems


class _World:
    """A namespace with labels, and pods."""

    def __init__(self, *pods: Object, **labels: str) -> None:
        self.labels, self.pods = {f"{PREFIX}{name}": value for name, value in labels.items()}, pods

    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None:
        return {"metadata": {"name": name, "labels": self.labels}} if kind == "Namespace" else None

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]:
        return self.pods if kind == "Pod" else ()


def test_what_is_enforced_is_refused_and_workloads_are_only_warned_of() -> None:
    world = _World(enforce="restricted")
    with pytest.raises(ApiError) as refused:
        handlers.create(resource("pods"), "default", sent("pods", pod()), BY, world)
    assert str(refused.value) == (
        f'pods "web" is forbidden: violates PodSecurity "restricted:latest": {ESCALATION}, {DROP}, {ROOT}, {SECCOMP}'
    )
    job = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [MAIN]}}}}
    warned = handlers.create(resource("jobs"), "default", sent("jobs", job), BY, world).warnings
    assert warned == [f'would violate PodSecurity "restricted:latest": {ESCALATION}, {DROP}, {ROOT}, {SECCOMP}']
    assert handlers.create(resource("pods"), "default", sent("pods", safe()), BY, world).warnings == []


def test_a_pod_that_is_there_is_looked_at_when_its_images_change() -> None:
    live = created("pods", pod()).value
    assert live is not None
    live["metadata"]["resourceVersion"] = "1"
    world, labels = _World(enforce="baseline", warn="restricted"), {"metadata": {"labels": {"a": "b"}}}
    assert handlers.patch(resource("pods"), live, MERGE_PATCH, labels, BY, world).warnings == []
    image = {"spec": {"containers": [{**MAIN, "image": "other"}]}}
    (warned,) = handlers.patch(resource("pods"), live, MERGE_PATCH, image, BY, world).warnings
    assert warned.startswith('would violate PodSecurity "restricted:latest": ')


def test_who_raises_a_level_is_told_of_pods_that_do_not_have_it() -> None:
    pods = [{"metadata": {"name": name}, **each} for name, each in (("b", pod()), ("a", pod()), ("c", safe()))]
    live = created("namespaces", {}).value
    assert live is not None
    live["metadata"]["resourceVersion"] = "1"

    def labelled(**labels: str) -> list[str]:
        patch = {"metadata": {"labels": {f"{PREFIX}{name}": value for name, value in labels.items()}}}
        return handlers.patch(resource("namespaces"), live, MERGE_PATCH, patch, BY, _World(*pods)).warnings

    assert labelled(enforce="baseline") == []
    assert labelled(enforce="restricted") == [
        'existing pods in namespace "web" violate the new PodSecurity enforce level "restricted:latest"',
        "a (and 1 other pod): allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, "
        "seccompProfile",
    ]
    with pytest.raises(ApiError, match="must be one of privileged, baseline, restricted"):
        labelled(enforce="odd")
