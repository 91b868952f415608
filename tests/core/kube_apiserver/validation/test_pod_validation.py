"""What an API server says to pods: every cause, in its order. Facts of pkg/apis/core/validation of v1.36."""

from typing import Any

import pytest

from tests.core.kube_apiserver.refusals import MAIN, Object, container, pod, told

C0, I0 = "spec.containers[0]", "spec.initContainers[0]"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    "with an "
    "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}


def init(**fields: Any) -> Object:
    return pod(initContainers=[{"name": "first", "image": "busybox", **fields}])


def volume(**fields: Any) -> Object:
    return pod(volumes=[{"name": "v", **fields}])


def mounted(**fields: Any) -> Object:
    spec = container(volumeMounts=[{"name": "v", "mountPath": "/v", **fields}])["spec"]
    return {"spec": {**spec, "volumes": [{"name": "v", "emptyDir": {}}]}}


def variable(**source: Any) -> Object:
    return container(env=[{"name": "A", "valueFrom": source}])


def anti(**fields: Any) -> Object:
    return pod(affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{**TERM, **fields}]}})


REQUIRED = "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
CASES: list[tuple[str, Object, list[str]]] = [
    ("a pod that is right", pod(), []),
    (
        "resize policy of a pod that never restarts",
        {
            "spec": {
                **container(resizePolicy=[{"resourceName": "cpu", "restartPolicy": "RestartContainer"}])["spec"],
                "restartPolicy": "Never",
            }
        },
        [
            f"{C0}.resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod "
            f"`restartPolicy` is "
            "'Never'"
        ],
    ),
    (
        "restart policy of a container",
        container(restartPolicy="Sometimes"),
        [f'{C0}.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"'],
    ),
    (
        "restart rules alone",
        container(restartPolicyRules=[{"action": "Stop"}]),
        [
            f"{C0}.restartPolicy: Required value: must specify restartPolicy when restart rules are used",
            f'{C0}.restartPolicyRules[0].action: Unsupported value: "Stop": supported values: "Restart", '
            '"RestartAllContainers"',
            f"{C0}.restartPolicyRules[0].exitCodes: Required value: must be specified",
        ],
    ),
    (
        "probes of an init container",
        init(livenessProbe={"exec": {"command": ["a"]}}),
        [f"{I0}.livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"],
    ),
    (
        "an init container of the same name",
        pod(initContainers=[MAIN]),
        [f'{I0}.name: Duplicate value: "main"'],
    ),
    (
        "a stop signal, which is behind a gate that is off",
        container(lifecycle={"stopSignal": "SIGTERM"}),
        [],
    ),
    (
        "a header",
        container(readinessProbe={"httpGet": {"port": 80, "httpHeaders": [{"name": "a b", "value": ""}]}}),
        [
            f'{C0}.readinessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of '
            "alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"
        ],
    ),
    (
        "claims of a container",
        container(resources={"claims": [{}, {"name": "a"}]}),
        [
            f"{C0}.resources.claims[0]: Required value",
            f'{C0}.resources.claims[1]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is '
            "empty",
        ],
    ),
    (
        "huge pages in parts",
        container(resources={"limits": {"hugepages-2Mi": "3Mi", "cpu": "1"}}),
        [
            f'{C0}.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of '
            "hugepages-2Mi",
            f'{C0}.resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of '
            "hugepages-2Mi",
        ],
    ),
    (
        "a key of a file",
        variable(fileKeyRef={"key": "A", "volumeName": "v"}),
        [
            f"{C0}.env[0].valueFrom.fileKeyRef.path: Required value",
            f'{C0}.env[0].valueFrom.fileKeyRef.volumeName: Not found: "v"',
        ],
    ),
    (
        "a divisor",
        variable(resourceFieldRef={"resource": "limits.cpu", "divisor": "1k"}),
        [
            f'{C0}.env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values '
            f"1m and 1 "
            "are supported with the cpu resource"
        ],
    ),
    (
        "mount propagation",
        mounted(mountPropagation="Bidirectional"),
        [
            f"{C0}.volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to "
            "privileged containers"
        ],
    ),
    (
        "read only below",
        mounted(recursiveReadOnly="Enabled"),
        [f"{C0}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"],
    ),
    (
        "several sources of a volume, the first of which is upstream's",
        volume(secret={"secretName": "s"}, hostPath={"path": "/a/../b"}),
        [
            "spec.volumes[0].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
            "spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type",
        ],
    ),
    (
        "a token without an account",
        volume(projected={"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 60}}]}),
        [
            "spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 60: may not "
            "specify "
            "a duration less than 10 minutes",
            "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when "
            "serviceAccountName is not set",
        ],
    ),
    (
        "one path for two files",
        volume(
            projected={
                "sources": [
                    {"configMap": {"name": "a", "items": [{"key": "x", "path": "p"}]}},
                    {"secret": {"items": [{"key": "x", "path": "p"}]}},
                ]
            }
        ),
        [
            "spec.volumes[0].projected.sources[1].secret.name: Required value",
            'spec.volumes[0].projected: Invalid value: "": conflicting duplicate paths',
        ],
    ),
    (
        "a seccomp profile for nobody",
        pod(securityContext={"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "p"}}),
        [
            "spec.securityContext.seccompProfile.localhostProfile: Invalid value: "
            '{"Type":"RuntimeDefault","LocalhostProfile":"p"}: can only be set when seccomp type is Localhost'
        ],
    ),
    (
        "an AppArmor profile",
        container(securityContext={"appArmorProfile": {"type": "Localhost"}}),
        [
            f"{C0}.securityContext.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is "
            "Localhost"
        ],
    ),
    (
        "settings of the kernel",
        pod(
            securityContext={"sysctls": [{"name": "a..b", "value": "1"}, {"name": "net.x", "value": "1"}]},
            hostNetwork=True,
        ),
        [
            'spec.securityContext.sysctls[0].name: Invalid value: "a..b": must have at most 253 characters and '
            "match regex "
            r"^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
            'spec.securityContext.sysctls[1].name: Invalid value: "net.x": may not be specified when '
            "'hostNetwork' is true",
        ],
    ),
    (
        "users of the host",
        pod(hostUsers=False, hostPID=True),
        ["spec.HostPID: Forbidden: when `hostUsers` is false"],
    ),
    (
        "an unmasked /proc",
        container(securityContext={"procMount": "Unmasked"}),
        [f'{C0}.securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`'],
    ),
    (
        "an address with zeros",
        pod(dnsPolicy="None", dnsConfig={"nameservers": ["010.0.0.1"]}),
        ['spec.dnsConfig.nameservers[0]: Invalid value: "010.0.0.1": must not have leading 0s'],
    ),
    (
        "namespaces of a term",
        anti(namespaces=["A_b"]),
        [f'{REQUIRED}.namespace: Invalid value: "A_b": {LABEL}'],
    ),
    (
        "keys of labels without a selector",
        anti(labelSelector=None, matchLabelKeys=["a"]),
        [f"{REQUIRED}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
    ),
    (
        "the same constraint twice",
        pod(
            topologySpreadConstraints=[
                SPREAD,
                {**SPREAD, "minDomains": 0, "whenUnsatisfiable": "ScheduleAnyway"},
                SPREAD,
            ]
        ),
        [
            'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, '
            'DoNotSchedule}"',
            "spec.topologySpreadConstraints[1].minDomains: Invalid value: 0: must be greater than zero",
            "spec.topologySpreadConstraints[1].minDomains: Invalid value: 0: can only use minDomains if "
            "whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
        ],
    ),
    (
        "values that are only preferred",
        pod(
            affinity={
                "nodeAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "weight": 1,
                            "preference": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]},
                        }
                    ]
                }
            }
        ),
        [],
    ),
    (
        "resources of the pod",
        {
            "spec": {
                **container(resources={"requests": {"cpu": "2"}})["spec"],
                "resources": {"requests": {"cpu": "1", "example.com/a": "1"}},
            }
        },
        [
            'spec.resources.requests[example.com/a]: Unsupported value: "example.com/a": supported values: "cpu", '
            '"hugepages-", "memory"',
            "spec.resources.limits: Required value: Limit must be set for non overcommitable resources",
            'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container '
            "requests "
            "of 2",
        ],
    ),
    (
        "an operating system",
        pod(os={"name": "beos"}),
        ['spec.os: Unsupported value: "beos": supported values: "linux", "windows"'],
    ),
    (
        "ephemeral containers of a new pod",
        pod(
            ephemeralContainers=[
                {**MAIN, "name": "debug", "ports": [{"containerPort": 80}], "targetContainerName": "no"}
            ]
        ),
        [
            'spec.ephemeralContainers[0].targetContainerName: Not found: "no"',
            "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
            "spec.ephemeralContainers: Forbidden: cannot be set on create",
        ],
    ),
    (
        "what deleting costs",
        {"metadata": {"annotations": {"controller.kubernetes.io/pod-deletion-cost": "cheap"}}, **pod()},
        [
            'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "cheap": must be a 32bit '
            "integer"
        ],
    ),
    (
        "a finalizer without a domain",
        {"metadata": {"finalizers": ["hold"]}, **pod()},
        [
            'metadata.finalizers[0]: Invalid value: "hold": name is neither a standard finalizer name nor is it fully '
            "qualified"
        ],
    ),
]


@pytest.mark.parametrize(("name", "given", "want"), CASES, ids=lambda each: each if isinstance(each, str) else "")
def test_a_pod_is_refused(name: str, given: Object, want: list[str]) -> None:
    assert told("pods", given) == want
