"""What the API server would refuse: named by path, value, rule and likely fix, all of it at once."""

from typing import Any

import pytest

from kube_objects.text.problems import Problem
from tests.core.objects.manifests import CONTAINER, node, pod, problems_of


def requests(resources: dict[str, Any]) -> dict[str, Any]:
    return pod(containers=[{"name": "main", "resources": resources}])


def toleration(**fields: Any) -> dict[str, Any]:
    return pod(tolerations=[fields])


def spread(**fields: Any) -> dict[str, Any]:
    return pod(
        topologySpreadConstraints=[
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **fields}
        ]
    )


def required_nodes(term: Any) -> dict[str, Any]:
    terms = {"nodeSelectorTerms": [term]}
    return pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}})


def near(**term: Any) -> dict[str, Any]:
    return pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})


def metadata(**fields: Any) -> dict[str, Any]:
    return {**pod(), "metadata": {"name": "p", **fields}}


FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
CPU = "spec.containers[0].resources.requests.cpu"
GATES = "spec.schedulingGates"
TERM = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
NEAR = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
SPREAD = "spec.topologySpreadConstraints[0]"

BROKEN: list[tuple[str, dict[str, Any], list[str]]] = [
    # name, manifest, problems as they begin
    ("fine", pod(), []),
    ("no metadata", {**pod(), "metadata": None}, ["metadata: Required value; an object needs at least metadata.name"]),
    ("no name", {**pod(), "metadata": {"labels": {"a": "b"}}}, ["metadata.name: Required value"]),
    ("wrong name", metadata(name="Web_1"), ['metadata.name: "Web_1": a lowercase RFC 1123 subdomain must consist of']),
    ("a number for a name", metadata(name=12), ['metadata.name: 12: must be a string; quote it: "12"']),
    ("wrong namespace", metadata(namespace="a.b"), ['metadata.namespace: "a.b": must not contain dots']),
    (
        "a version like a number",
        metadata(labels={"v": 1.5}),
        ["metadata.labels.v: 1.5: must be a string; put it in quotes, as it was written"],
    ),
    ("half a character", metadata(labels={"a": "\ud800"}), ['metadata.labels.a: "\ud800": a valid label must be']),
    ("yes", metadata(labels={"a.io/x": True}), ["metadata.labels[a.io/x]: true: must be a string; quote it:"]),
    ("wrong label key", metadata(labels={"-a": "b"}), ['metadata.labels: "-a": name part must consist of']),
    ("wrong label value", metadata(labels={"a": "b c"}), ['metadata.labels.a: "b c": a valid label must be']),
    (
        "long label value",
        metadata(labels={"a": "b" * 64}),
        [f'metadata.labels.a: "{"b" * 64}": must be no more than 63'],
    ),
    ("labels as a list", metadata(labels=["a"]), ["metadata.labels: (a list of 1 item): must be a mapping"]),
    (
        "wrong time",
        metadata(creationTimestamp="yesterday"),
        ['metadata.creationTimestamp: "yesterday": must be an RFC'],
    ),
    ("no spec", {**pod(), "spec": None}, ["spec: Required value; a pod needs spec.containers"]),
    ("no containers", pod(containers=[]), ["spec.containers: Required value; a pod needs at least one container"]),
    ("a container without a name", pod(containers=[{}]), ["spec.containers[0].name: Required value"]),
    ("no container", pod(containers=["main"]), ['spec.containers[0]: "main": must be a mapping']),
    (
        "two containers of one name",
        pod(initContainers=[CONTAINER]),
        ['spec.initContainers[0].name: "main": duplicate value'],
    ),
    ("no quantity", requests({"requests": {"cpu": "abc"}}), [f'{CPU}: "abc": {FORMAT}']),
    ("two letters", requests({"requests": {"cpu": "1GB"}}), [f'{CPU}: "1GB": {FORMAT}; did you mean "1G"?']),
    ("a space", requests({"requests": {"cpu": "1 Gi"}}), [f'{CPU}: "1 Gi": {FORMAT}; did you mean "1Gi"?']),
    ("true", requests({"requests": {"cpu": True}}), [f"{CPU}: true: {FORMAT}"]),
    ("numbers are quantities", requests({"requests": {"cpu": 0.5, "memory": 1024}}), []),
    ("negative", requests({"requests": {"cpu": "-1"}}), [f'{CPU}: "-1": must be greater than or equal to 0']),
    (
        "half a GPU",
        requests({"requests": {"a.io/gpu": "500m"}, "limits": {"a.io/gpu": "500m"}}),
        [
            'spec.containers[0].resources.requests[a.io/gpu]: "500m": must be an integer',
            'spec.containers[0].resources.limits[a.io/gpu]: "500m": must be an integer',
        ],
    ),
    (
        "a GPU without a limit",
        requests({"requests": {"a.io/gpu": "1"}}),
        ["spec.containers[0].resources.limits[a.io/gpu]: Limit must be set for non overcommitable resources"],
    ),
    (
        "more than the limit",
        requests({"requests": {"cpu": "2"}, "limits": {"cpu": "1500m"}}),
        [f'{CPU}: "2": must be less than or equal to cpu limit of 1500m'],
    ),
    (
        "an unknown resource",
        requests({"requests": {"gpu": "1"}}),
        ['spec.containers[0].resources.requests.gpu: "1": must be a standard resource for containers'],
    ),
    (
        "a port twice",
        pod(
            containers=[
                {"name": "a", "ports": [{"containerPort": 1, "hostPort": 80}, {"containerPort": 2, "hostPort": 80}]}
            ]
        ),
        ['spec.containers[0].ports[1].hostPort: "TCP//80": duplicate value'],
    ),
    (
        "no port",
        pod(containers=[{"name": "a", "ports": [{"containerPort": 70000}]}]),
        ["spec.containers[0].ports[0].containerPort: 70000: must be between 0 and 65535, inclusive"],
    ),
    (
        "a protocol in small letters",
        pod(containers=[{"name": "a", "ports": [{"containerPort": 1, "protocol": "tcp"}]}]),
        ['spec.containers[0].ports[0].protocol: "tcp": must be one of "SCTP", "TCP", "UDP"; did you mean "TCP"?'],
    ),
    ("priority as text", pod(priority="10"), ['spec.priority: "10": must be an integer']),
    ("priority too high", pod(priority=2**31), ["spec.priority: 2147483648: must be between"]),
    (
        "a preemption policy that is none",
        pod(preemptionPolicy="never"),
        ['spec.preemptionPolicy: "never": must be one of "Never", "PreemptLowerPriority"; did you mean "Never"?'],
    ),
    ("host network as text", pod(hostNetwork="yes"), ['spec.hostNetwork: "yes": must be true or false']),
    ("a gate twice", pod(schedulingGates=[{"name": "a"}] * 2), [f'{GATES}[1].name: "a": duplicate value']),
    (
        "a toleration without a key",
        toleration(value="x"),
        ['spec.tolerations[0].operator: "": operator must be Exists when `key` is empty'],
    ),
    (
        "a value beside Exists",
        toleration(key="a", operator="Exists", value="x"),
        ["spec.tolerations[0].value: \"x\": value must be empty when `operator` is 'Exists'"],
    ),
    (
        "seconds without NoExecute",
        toleration(key="a", tolerationSeconds=5),
        ["spec.tolerations[0].effect: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set"],
    ),
    (
        "an effect misspelt",
        toleration(key="a", effect="NoScheduled"),
        [
            'spec.tolerations[0].effect: "NoScheduled": must be one of "NoExecute", "NoSchedule", "PreferNoSchedule"; '
            'did you mean "NoSchedule"?'
        ],
    ),
    ("skew 0", spread(maxSkew=0), [f"{SPREAD}.maxSkew: 0: must be greater than zero"]),
    ("no topology key", spread(topologyKey=""), [f"{SPREAD}.topologyKey: Required value; can not be empty"]),
    ("no action", spread(whenUnsatisfiable=None), [f"{SPREAD}.whenUnsatisfiable: Required value; must be one of"]),
    (
        "minDomains with ScheduleAnyway",
        spread(whenUnsatisfiable="ScheduleAnyway", minDomains=2),
        [f"{SPREAD}.minDomains: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"],
    ),
    (
        "the same constraint twice",
        pod(topologySpreadConstraints=spread()["spec"]["topologySpreadConstraints"] * 2),
        [
            "spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: "
            '"{zone, DoNotSchedule}": duplicate value'
        ],
    ),
    (
        "matchLabelKeys without a selector",
        spread(matchLabelKeys=["a"]),
        [f"{SPREAD}.matchLabelKeys: (a list of 1 item): must not be specified when labelSelector is not set"],
    ),
    (
        "a key in both",
        spread(labelSelector={"matchLabels": {"a": "b"}}, matchLabelKeys=["a"]),
        [f'{SPREAD}.matchLabelKeys[0]: "a": exists in both matchLabelKeys and labelSelector'],
    ),
    (
        "In without values",
        spread(labelSelector={"matchExpressions": [{"key": "a", "operator": "In"}]}),
        [
            f"{SPREAD}.labelSelector.matchExpressions[0].values: must be specified when `operator` is 'In' or 'NotIn'",
        ],
    ),
    (
        "an operator of node selectors",
        spread(labelSelector={"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}),
        [f'{SPREAD}.labelSelector.matchExpressions[0].operator: "Gt": must be one of "In", "NotIn", "Exists",'],
    ),
    (
        "Exists with values",
        required_nodes({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]}),
        [f"{TERM}.matchExpressions[0].values: (a list of 1 item): may not be specified when `operator` is 'Exists'"],
    ),
    (
        "two values for Gt",
        required_nodes({"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1", "2"]}]}),
        [
            f"{TERM}.matchExpressions[0].values: (a list of 2 items): "
            "must be specified single value when `operator` is 'Lt'"
        ],
    ),
    (
        "another field",
        required_nodes({"matchFields": [{"key": "spec.x", "operator": "In", "values": ["a"]}]}),
        [f'{TERM}.matchFields[0].key: "spec.x": not a valid field selector key'],
    ),
    (
        "two nodes by name",
        required_nodes({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]}),
        [
            f"{TERM}.matchFields[0].values: (a list of 2 items): "
            "must be only one value when `operator` is 'In' or 'NotIn'"
        ],
    ),
    (
        "no terms",
        pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}),
        [f"{TERM.removesuffix('[0]')}: Required value; must have at least one node selector term"],
    ),
    (
        "a weight too large",
        pod(
            affinity={
                "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 101, "preference": {}}]}
            }
        ),
        [
            "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: 101: "
            "must be in the range 1-100"
        ],
    ),
    ("affinity to nowhere", near(labelSelector={}), [f"{NEAR}.topologyKey: Required value; can not be empty"]),
    (
        "a key to match and not to match",
        near(topologyKey="z", labelSelector={}, matchLabelKeys=["a"], mismatchLabelKeys=["a"]),
        [f'{NEAR}.matchLabelKeys[0]: "a": exists in both matchLabelKeys and mismatchLabelKeys'],
    ),
    (
        "two sources of one volume",
        pod(volumes=[{"name": "v", "emptyDir": {}, "hostPath": {"path": "/"}}]),
        ['spec.volumes[0]: "v": may not specify more than 1 volume type: emptyDir, hostPath'],
    ),
    (
        "a claim without a name",
        pod(volumes=[{"name": "v", "persistentVolumeClaim": {}}]),
        ["spec.volumes[0].persistentVolumeClaim.claimName: Required value"],
    ),
    (
        "a taint without an effect",
        node(spec={"taints": [{"key": "a"}]}),
        ["spec.taints[0].effect: Required value; must be one of"],
    ),
    (
        "a taint twice",
        node(
            spec={"taints": [{"key": "a", "value": "x", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}]}
        ),
        ['spec.taints[1]: "a:NoSchedule": taints must be unique by key and effect pair'],
    ),
    (
        "a node in a namespace",
        {**node(), "metadata": {"name": "n", "namespace": "default"}},
        ['metadata.namespace: "default": a Node belongs to no namespace'],
    ),
    (
        "no size",
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "c"},
            "spec": {"accessModes": ["RWO"]},
        },
        [
            'spec.accessModes[0]: "RWO": must be one of "ReadOnlyMany",',
            'spec.resources.requests.storage: Required value; a quantity like "10Gi"',
        ],
    ),
    (
        "a replica set without selector",
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "r"}},
        ["spec.selector: Required value"],
    ),
    (
        "a priority beyond what users may have",
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "p"}, "value": 1000000001},
        ["value: 1000000001: must be no more than 1000000000"],
    ),
]


@pytest.mark.parametrize(("manifest", "want"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_problems(manifest: dict[str, Any], want: list[str]) -> None:
    found = problems_of(manifest)
    assert len(found) == len(want), found
    for problem, beginning in zip(found, want, strict=True):
        assert problem.startswith(beginning)


def test_all_problems_at_once() -> None:
    manifest = pod(priority="x", tolerations=[{"effect": "y"}], containers=[{"resources": {"requests": {"cpu": "z"}}}])
    assert [problem.split(":")[0] for problem in problems_of(manifest)] == [
        "spec.containers[0].name",
        "spec.containers[0].resources.requests.cpu",
        "spec.priority",
        "spec.tolerations[0].effect",
        "spec.tolerations[0].operator",
    ]


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("a.b", "x" * 200, "is long"), f'a.b: "{"x" * 80}…": is long'),
        (Problem("", None, "is empty"), "is empty"),
        (Problem("a", {"b": 1}, "is a mapping", "write c"), "a: (a mapping of 1 key): is a mapping; write c"),
        (Problem("a", 1, "is wrong", "", 2, 31), "document 2, line 31: a: 1: is wrong"),
        (Problem("a", 10**100, "is large"), f"a: 1{'0' * 79}…: is large"),
    ],
)
def test_how_a_problem_reads(problem: Problem, text: str) -> None:
    assert str(problem) == text
