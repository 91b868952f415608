"""What an API server refuses of roles, networks, autoscalers, leases and drivers, all of it and in its words."""

import copy
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.resources import Resource, table
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions

Object = dict[str, Any]

BY = WriteOptions("tests", "2025-06-01T00:00:00Z", seed="1")
RBAC = "rbac.authorization.k8s.io"
READ = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
REF = {"apiGroup": RBAC, "kind": "Role", "name": "reader"}
JANE = {"kind": "User", "name": "jane", "apiGroup": RBAC}
BACKEND = {"service": {"name": "web", "port": {"number": 80}}}
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
WILDCARD = (
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
    "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', "
    r"regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def spec(**fields: Any) -> Object:
    return {"spec": fields}


def paths(*given: Object, **rule: Any) -> Object:
    return spec(rules=[{**rule, "http": {"paths": list(given)}}])


def path(text: str, kind: str = "Prefix", backend: Any = None) -> Object:
    return {"path": text, "pathType": kind, "backend": BACKEND if backend is None else backend}


def service(**fields: Any) -> Object:
    return spec(defaultBackend={"service": fields})


def allowed(**rule: Any) -> Object:
    return spec(podSelector={}, ingress=[rule])


def scaled(**fields: Any) -> Object:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return spec(**{"scaleTargetRef": target, "maxReplicas": 3, **fields})


def metric(kind: str, **fields: Any) -> Object:
    return scaled(metrics=[{"type": kind, **fields}])


def slice_(*endpoints: Object, **fields: Any) -> Object:
    return {"addressType": "IPv4", "endpoints": list(endpoints), **fields}


REFUSED: list[tuple[str, Object, list[str]]] = [
    ("roles", {"rules": [{"verbs": []}]}, [
        "rules[0].verbs: Required value: verbs must contain at least one value",
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource",
    ]),
    ("roles", {"rules": [{**READ, "nonResourceURLs": ["/x"]}]}, [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and '
        "non-resource URLs",
    ]),
    ("clusterroles", {"rules": [READ, {"verbs": ["get"], "nonResourceURLs": ["/x"], "resources": ["y"]}]}, [
        'rules[1].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and '
        "non-resource URLs",
    ]),
    ("clusterroles", {"aggregationRule": {}}, [
        "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if "
        "aggregationRule is non-nil",
    ]),
    ("rolebindings", {"roleRef": {"kind": "Pod"}, "subjects": [{"kind": "Robot"}, {"kind": "ServiceAccount"}]}, [
        'roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"',
        "roleRef.name: Required value",
        "subjects[0].name: Required value",
        'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
        "subjects[1].name: Required value",
    ]),
    ("clusterrolebindings", {"roleRef": {**REF, "name": "a/b"}, "subjects": [
        {"kind": "ServiceAccount", "name": "X", "apiGroup": "v1"}, {**JANE, "apiGroup": "x"},
    ]}, [
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        "roleRef.name: Invalid value: \"a/b\": may not contain '/'",
        f'subjects[0].name: Invalid value: "X": {SUBDOMAIN}',
        'subjects[0].apiGroup: Unsupported value: "v1": supported values: ""',
        "subjects[0].namespace: Required value",
        f'subjects[1].apiGroup: Unsupported value: "x": supported values: "{RBAC}"',
    ]),
    ("ingresses", spec(), ["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"]),
    ("ingresses", paths(path("x"), path("//a/..", "Exact"), {"backend": BACKEND}), [
        'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
        "spec.rules[0].http.paths[1].path: Invalid value: \"//a/..\": must not contain '//'",
        "spec.rules[0].http.paths[1].path: Invalid value: \"//a/..\": cannot end with '/..'",
        "spec.rules[0].http.paths[2].pathType: Required value: pathType must be specified",
    ]),
    ("ingresses", paths(path("/", "Near", {}), host="10.0.0.1"), [
        'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
        'spec.rules[0].http.paths[0].pathType: Unsupported value: "Near": supported values: "Exact", '
        '"ImplementationSpecific", "Prefix"',
        'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
    ]),
    ("ingresses", spec(rules=[{"host": "*x"}, {"http": {"paths": []}}], tls=[{"hosts": ["A"], "secretName": "B"}]), [
        f'spec.rules[0].host: Invalid value: "*x": {WILDCARD}',
        "spec.rules[1].http.paths: Required value",
        f'spec.tls[0].hosts[0]: Invalid value: "A": {SUBDOMAIN}',
        f'spec.tls[0].secretName: Invalid value: "B": {SUBDOMAIN}',
    ]),
    ("ingresses", service(name="", port={}), [
        "spec.defaultBackend.service.name: Required value",
        "spec.defaultBackend: Required value: port name or number is required",
    ]),
    ("ingresses", service(name="W", port={"name": "a", "number": 1}), [
        f'spec.defaultBackend.service.name: Invalid value: "W": {LABEL}',
        'spec.defaultBackend: Invalid value: "": cannot set both port name & port number',
    ]),
    ("ingresses", service(name="w", port={"number": 70000}), [
        "spec.defaultBackend.service.port.number: Invalid value: 70000: must be between 1 and 65535, inclusive",
    ]),
    ("ingresses", {"metadata": {"name": "web", "annotations": {"kubernetes.io/ingress.class": "a"}},
                   **spec(defaultBackend=BACKEND, ingressClassName="b")}, [
        'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match `ingressClassName` when both are '
        "specified",
    ]),
    ("ingressclasses", spec(), ["spec.controller: Required value"]),
    ("ingressclasses", spec(controller="x", parameters={"scope": "Near"}), [
        'spec.controller: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")',
        "spec.parameters.kind: Required value",
        "spec.parameters.name: Required value",
        'spec.parameters.scope: Unsupported value: "Near": supported values: "Cluster", "Namespace"',
    ]),
    ("networkpolicies", allowed(ports=[
        {"port": 0, "protocol": "ICMP"}, {"port": 90, "endPort": 80}, {"endPort": 1}, {"port": "A-", "endPort": 2},
    ]), [
        'spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
        "spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        "spec.ingress[0].ports[1].endPort: Invalid value: 90: must be greater than or equal to `port`",
        "spec.ingress[0].ports[2].endPort: Invalid value: 1: may not be specified when `port` is not specified",
        "spec.ingress[0].ports[3].endPort: Invalid value: 2: may not be specified when `port` is non-numeric",
        'spec.ingress[0].ports[3].port: Invalid value: "A-": must contain only alpha-numeric characters (a-z, 0-9), '
        "and hyphens (-)",
        'spec.ingress[0].ports[3].port: Invalid value: "A-": must contain at least one letter (a-z)',
        'spec.ingress[0].ports[3].port: Invalid value: "A-": must not begin or end with a hyphen',
    ]),
    ("networkpolicies", allowed(**{"from": [
        {}, {"podSelector": {}, "ipBlock": {"cidr": "x"}}, {"ipBlock": {}},
        {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["11.0.0.0/9", "y"]}},
    ]}), [
        "spec.ingress[0].from[0]: Required value: must specify a peer",
        f'spec.ingress[0].from[1].ipBlock.cidr: Invalid value: "x": {RANGE}',
        "spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer",
        "spec.ingress[0].from[2].ipBlock.cidr: Required value",
        'spec.ingress[0].from[3].ipBlock.except[0]: Invalid value: "11.0.0.0/9": must be a strict subset of `cidr`',
        f'spec.ingress[0].from[3].ipBlock.except[1]: Invalid value: "y": {RANGE}',
    ]),
    ("networkpolicies", spec(podSelector={}, policyTypes=["Ingress", "Egress", "X"]), [
        'spec.policyTypes: Invalid value: ["Ingress","Egress","X"]: may not specify more than two policyTypes',
    ]),
    ("networkpolicies", spec(podSelector={}, policyTypes=["X"]), [
        'spec.policyTypes[0]: Unsupported value: "X": supported values: "Ingress", "Egress"',
    ]),
    (
        "ipaddresses",
        {"metadata": {"name": "10.0.0.1"}, "spec": {"parentRef": {"name": "a"}}},
        ["spec.parentRef.resource: Required value"],
    ),
    ("servicecidrs", spec(cidrs=["10.0.0.0/8", "11.0.0.0/8"]), [
        'spec.cidrs: Invalid value: ["10.0.0.0/8","11.0.0.0/8"]: may specify no more than one IP for each IP family, '
        "i.e 192.168.0.0/24 and 2001:db8::/64",
    ]),
    ("servicecidrs", spec(), ["spec.cidrs: Required value: at least one CIDR required"]),
    ("horizontalpodautoscalers", scaled(minReplicas=5, scaleTargetRef={"kind": "Deployment", "apiVersion": "a/b/c"}), [
        "spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`",
        "spec.scaleTargetRef.name: Required value",
        'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ]),
    ("horizontalpodautoscalers", metric("Resource", resource={"name": "cpu", "target": {"type": "Utilization"}}), [
        "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a "
        "target utilization",
    ]),
    ("horizontalpodautoscalers", metric("Pods", resource={"name": "", "target": {
        "type": "X", "averageUtilization": 0, "averageValue": "0",
    }}), [
        "spec.metrics[0].resource.name: Required value: must specify a resource name",
        'spec.metrics[0].resource.target.type: Invalid value: "X": must be either Utilization, Value, or AverageValue',
        'spec.metrics[0].resource.target.averageValue: Invalid value: "0": must be positive',
        "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
        "spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target "
        "utilization",
        "spec.metrics[0].pods: Required value: must populate information for the given metric source",
    ]),
    ("horizontalpodautoscalers", metric("Near"), [
        'spec.metrics[0].type: Unsupported value: "Near": supported values: "ContainerResource", "External", "Object", '
        '"Pods", "Resource"',
    ] * 2),
    ("horizontalpodautoscalers", scaled(behavior={"scaleDown": {
        "stabilizationWindowSeconds": 3601, "selectPolicy": "Any",
        "policies": [{"type": "X", "value": 0, "periodSeconds": 1801}],
    }}), [
        "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
        'spec.behavior.scaleDown.selectPolicy: Unsupported value: "Any": supported values: "Disabled", "Max", "Min"',
        'spec.behavior.scaleDown.policies[0].type: Unsupported value: "X": supported values: "Percent", "Pods"',
        "spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero",
        "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
    ]),
    ("endpoints", {"subsets": [{}, {"addresses": [{"ip": "x"}], "ports": [{"port": 0}, {"port": 1, "name": "A"}]}]}, [
        "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
        f'subsets[1].addresses[0].ip: Invalid value: "x": {ADDRESS}',
        'subsets[1].addresses[0].ip: Invalid value: "x": must be a valid IP address',
        "subsets[1].ports[0].name: Required value",
        "subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        f'subsets[1].ports[1].name: Invalid value: "A": {LABEL}',
    ]),
    ("endpoints", {"subsets": [{"addresses": [{"ip": "127.0.0.1", "hostname": "A"}]}]}, [
        f'subsets[0].addresses[0].hostname: Invalid value: "A": {LABEL}',
        'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, '
        "::1/128)",
    ]),
    ("endpoints", {"subsets": [{"addresses": [{"ip": "127.0.0.01"}, {"ip": "fe80::1%eth0"}]}]}, [
        'subsets[0].addresses[0].ip: Invalid value: "127.0.0.01": must not have leading 0s',
        'subsets[0].addresses[0].ip: Invalid value: "127.0.0.01": may not be in the loopback range (127.0.0.0/8, '
        "::1/128)",
        f'subsets[0].addresses[1].ip: Invalid value: "fe80::1%eth0": {ADDRESS}',
        'subsets[0].addresses[1].ip: Invalid value: "fe80::1%eth0": must be a valid IP address',
    ]),
    ("endpointslices", {"endpoints": []}, ["addressType: Required value"]),
    ("endpointslices", slice_({}, {"addresses": ["::1"]}, ports=[{"name": "a"}, {"name": "a", "protocol": "X"}]), [
        'ports[1].name: Duplicate value: "a"',
        'ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        "endpoints[0].addresses: Required value: must contain at least 1 address",
        'endpoints[1].addresses: Invalid value: "::1": must be an IPv4 address',
        'endpoints[1].addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ]),
    ("endpointslices", slice_({"addresses": ["x"]}, addressType="FQDN"), [
        'endpoints[0].addresses[0]: Invalid value: "x": should be a domain with at least two segments separated by '
        "dots",
    ]),
    ("endpointslices", slice_(addressType="X"), [
        'addressType: Unsupported value: "X": supported values: "FQDN", "IPv4", "IPv6"',
    ]),
    ("leases", spec(leaseDurationSeconds=0, leaseTransitions=-1), [
        "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
        "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ]),
    ("runtimeclasses", {}, ["handler: Required value"]),
    ("runtimeclasses", {"handler": "A", "scheduling": {"tolerations": [{"operator": "Exists"}] * 2}}, [
        f'handler: Invalid value: "A": {LABEL}',
        'scheduling.tolerations[1]: Duplicate value: {"Key":"","Operator":"Exists","Value":"","Effect":"",'
        '"TolerationSeconds":null}',
    ]),
    ("csidrivers", spec(fsGroupPolicy="X", volumeLifecycleModes=["Y"], tokenRequests=[
        {"audience": "a", "expirationSeconds": 1}, {"audience": "a"},
    ]), [
        'spec.fsGroupPolicy: Unsupported value: "X": supported values: "File", "None", "ReadWriteOnceWithFSType"',
        "spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes",
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
        'spec.volumeLifecycleModes: Unsupported value: "Y": supported values: "Persistent", "Ephemeral"',
    ]),
    ("csinodes", spec(drivers=[
        {"name": "a", "nodeID": ""}, {"name": "a", "nodeID": "x", "topologyKeys": ["k", "k"]},
    ]), [
        "spec.drivers[0].nodeID: Required value",
        'spec.drivers[1].name: Duplicate value: "a"',
        'spec.drivers[1]: Duplicate value: "k"',
    ]),
    ("csistoragecapacities", {"storageClassName": "A", "capacity": "-1"}, [
        f'storageClassName: Invalid value: "A": {SUBDOMAIN}',
        'capacity: Invalid value: "-1": must be greater than or equal to 0',
    ]),
    ("volumeattachments", spec(attacher="a", nodeName="n", source={}), [
        "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
    ]),
    ("volumeattributesclasses", {"driverName": "A_", "parameters": {"": "b"}}, [
        f'driverName: Invalid value: "a_": {QUALIFIED}',
        'parameters: Invalid value: "": field can not be empty.',
    ]),
    ("volumeattributesclasses", {"driverName": ""}, [
        "driverName: Required value",
        "parameters: Required value: must contain at least one key/value pair",
    ]),
    ("podtemplates", {"template": {"spec": {}}}, ["template.spec.containers: Required value"]),
    ("podtemplates", {"template": {"spec": {"containers": [{"image": "x"}]}}}, [
        "template.spec.containers[0].name: Required value",
    ]),
]  # fmt: skip


def resource_of(plural: str) -> Resource:
    return next(each for (_, _, name), each in table().items() if name == plural)


def told(error: pytest.ExceptionInfo[ApiError]) -> list[str]:
    return [f"{each['field']}: {each['message']}" for each in error.value.status["details"]["causes"]]


def sent(resource: Resource, given: Object) -> Object:
    head = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "web"}}
    return copy.deepcopy({**head, **given})


@pytest.mark.parametrize(
    ("plural", "given", "want"), REFUSED, ids=[f"{plural}: {want[0]}" for plural, _, want in REFUSED]
)
def test_what_is_refused(plural: str, given: Object, want: list[str]) -> None:
    resource = resource_of(plural)
    with pytest.raises(ApiError) as caught:
        handlers.create(resource, "default" if resource.namespaced else "", sent(resource, given), BY)
    assert told(caught) == want
