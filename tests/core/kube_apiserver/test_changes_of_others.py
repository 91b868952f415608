"""What may not change of roles, networks, autoscalers, leases and drivers; what is filled in, and warned of."""

from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers
from tests.core.kube_apiserver.validation.test_validation_others import (
    BACKEND,
    BY,
    JANE,
    RBAC,
    READ,
    REF,
    Object,
    allowed,
    resource_of,
    scaled,
    sent,
    slice_,
    spec,
    told,
)

HOOK = {"name": "a.b.c", "sideEffects": "None", "admissionReviewVersions": ["v1"], "clientConfig": {"url": "https://h"}}
RULE = {"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]}
BINDING = {"roleRef": REF, "subjects": [JANE]}
ATTACHED = [spec(attacher="a", nodeName=name, source={"persistentVolumeName": "v"}) for name in "mn"]
CLASSES: list[Object] = [{"driverName": "d", "parameters": {"a": each}} for each in "bc"]
CHANGED: list[tuple[str, Object, Object, list[str]]] = [
    ("roles", {"rules": [READ]}, {"rules": [{**READ, "verbs": []}]}, [
        "rules[0].verbs: Required value: verbs must contain at least one value",
    ]),
    ("rolebindings", BINDING, {"roleRef": {**REF, "name": "writer"}, "subjects": [JANE]}, [
        f'roleRef: Invalid value: {{"APIGroup":"{RBAC}","Kind":"Role","Name":"writer"}}: cannot change roleRef',
    ]),
    ("ingressclasses", spec(controller="a.io/b"), spec(controller="a.io/c"), [
        'spec.controller: Invalid value: "a.io/c": field is immutable',
    ]),
    ("networkpolicies", allowed(), spec(podSelector={}, policyTypes=["X"]), [
        'spec.policyTypes[0]: Unsupported value: "X": supported values: "Ingress", "Egress"',
    ]),
    ("endpointslices", slice_(), slice_(addressType="IPv6"), [
        'addressType: Invalid value: "IPv6": field is immutable',
    ]),
    ("runtimeclasses", {"handler": "a"}, {"handler": "b"}, ['handler: Invalid value: "b": field is immutable']),
    ("csidrivers", spec(attachRequired=True), spec(attachRequired=False), [
        "spec.attachedRequired: Invalid value: false: field is immutable",
    ]),
    ("csinodes", spec(drivers=[{"name": "a", "nodeID": "x"}]), spec(drivers=[{"name": "a", "nodeID": "y"}]), [
        'spec.drivers: Invalid value: {"Name":"a","NodeID":"y","TopologyKeys":null,"Allocatable":null}: field is '
        "immutable",
    ]),
    ("volumeattachments", ATTACHED[0], ATTACHED[1], [
        'spec: Invalid value: {"Attacher":"a","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},'
        '"NodeName":"n"}: field is immutable',
    ]),
    ("volumeattributesclasses", CLASSES[0], CLASSES[1], [
        "parameters: Forbidden: updates to parameters are forbidden.",
    ]),
    ("networkpolicies", allowed(), allowed(**{"from": [{"ipBlock": {"cidr": "10.0.0.1/8"}}]}), [
        'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix '
        "length",
    ]),
    ("servicecidrs", spec(cidrs=["10.0.0.0/8"]), spec(cidrs=["11.0.0.0/8"]), [
        'spec.cidrs[0]: Invalid value: "11.0.0.0/8": field is immutable',
    ]),
    ("horizontalpodautoscalers", scaled(), scaled(maxReplicas=0), [
        "spec.maxReplicas: Required value: must be set and greater than 0",
        "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("plural", "before", "after", "want"), CHANGED, ids=[f"{plural}: {want[0]}" for plural, _, _, want in CHANGED]
)
def test_what_may_not_change(plural: str, before: Object, after: Object, want: list[str]) -> None:
    resource = resource_of(plural)
    live = handlers.create(resource, "default" if resource.namespaced else "", sent(resource, before), BY).value
    assert live is not None
    live["metadata"]["resourceVersion"] = "1"
    with pytest.raises(ApiError) as caught:
        handlers.replace(resource, live, sent(resource, after), BY)
    assert told(caught) == want


FILLED: list[tuple[str, Object, str, Any]] = [
    # kind, what is sent, where, what is there
    ("ingressclasses", spec(controller="a.io/b", parameters={"kind": "K", "name": "n"}),
     "spec.parameters.scope", "Cluster"),
    ("networkpolicies", allowed(ports=[{"port": 1}]), "spec.ingress.0.ports.0.protocol", "TCP"),
    ("networkpolicies", spec(podSelector={}, egress=[]), "spec.policyTypes", ["Ingress"]),
    ("networkpolicies", spec(podSelector={}, egress=[{}]), "spec.policyTypes", ["Ingress", "Egress"]),
    ("validatingwebhookconfigurations", {"webhooks": [HOOK]}, "webhooks.0.failurePolicy", "Fail"),
    ("validatingwebhookconfigurations", {"webhooks": [HOOK]}, "metadata.generation", 1),
    ("mutatingwebhookconfigurations", {"webhooks": [{**HOOK, "rules": [RULE]}]}, "webhooks.0.rules.0.scope", "*"),
    ("mutatingwebhookconfigurations", {"webhooks": [HOOK]}, "webhooks.0.reinvocationPolicy", "Never"),
    ("flowschemas", spec(priorityLevelConfiguration={"name": "x"}), "spec.matchingPrecedence", 1000),
    ("prioritylevelconfigurations", spec(type="Limited", limited={"limitResponse": {"type": "Reject"}}),
     "spec.limited.nominalConcurrencyShares", 30),
    ("volumeattachments", spec(attacher="a", nodeName="n", source={"persistentVolumeName": "v"}),
     "status", {"attached": False}),
    ("podtemplates", {"template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}, "metadata.generation", 1),
    ("rolebindings", {"roleRef": {"kind": "Role", "name": "r"}, "subjects": [{"kind": "User", "name": "j"}]},
     "subjects.0.apiGroup", RBAC),
]  # fmt: skip


@pytest.mark.parametrize(("plural", "given", "place", "want"), FILLED, ids=[f"{each[0]}: {each[2]}" for each in FILLED])
def test_what_is_filled_in(plural: str, given: Object, place: str, want: Any) -> None:
    resource = resource_of(plural)
    found: Any = handlers.create(resource, "default" if resource.namespaced else "", sent(resource, given), BY).value
    for name in place.split("."):
        found = found[int(name) if name.isdigit() else name]
    assert found == want


WARNED: list[tuple[str, Object, list[str]]] = [
    (
        "ingresses",
        {
            "metadata": {"name": "web", "annotations": {"kubernetes.io/ingress.class": "a"}},
            **spec(defaultBackend=BACKEND),
        },
        ["annotation \"kubernetes.io/ingress.class\" is deprecated, please use 'spec.ingressClassName' instead"],
    ),
    ("ingresses", spec(defaultBackend=BACKEND), []),
    (
        "endpoints",
        {"subsets": [{"addresses": [{"ip": "2001:DB8::1"}]}]},
        [
            'subsets[0].addresses[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format '
            '("2001:db8::1")'
        ],
    ),
    (
        "networkpolicies",
        allowed(**{"from": [{"ipBlock": {"cidr": "2001:DB8::/32", "except": ["2001:db8:0::/64"]}}]}),
        [
            'spec.ingress[0].from[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical '
            'format ("2001:db8::/32")',
            'spec.ingress[0].from[0].ipBlock.except[0]: IPv6 CIDR value "2001:db8:0::/64" should be in RFC 5952 '
            'canonical format ("2001:db8::/64")',
        ],
    ),
    (
        "podtemplates",
        {"template": {"spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "A"}, {"name": "A"}]}]}}},
        ['template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    ),
    (
        "endpointslices",
        slice_({"addresses": ["a.io"]}, addressType="FQDN"),
        ["spec.addressType: FQDN endpoints are deprecated"],
    ),
    (
        "csidrivers",
        spec(tokenRequests=[{"audience": "a"}]),
        [
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent "
            "possible logging of tokens in volume attributes"
        ],
    ),
]


@pytest.mark.parametrize(("plural", "given", "want"), WARNED, ids=[f"{each[0]} {len(each[2])}" for each in WARNED])
def test_what_is_taken_and_warned_of(plural: str, given: Object, want: list[str]) -> None:
    resource = resource_of(plural)
    found = handlers.create(resource, "default" if resource.namespaced else "", sent(resource, given), BY)
    assert found.warnings == want
