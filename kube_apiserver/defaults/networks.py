"""Defaults of NetworkPolicies, IngressClasses, webhooks, admission policies, APIServices and flow control.

Source: the defaults.go of their groups.
"""

from typing import Any

from kube_apiserver.defaults.fields import Object, fill, objects, part

_ALWAYS = {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
_WEBHOOK = {
    "failurePolicy": "Fail",
    **_ALWAYS,
    "timeoutSeconds": 10,
    "rules[].scope": "*",
    "clientConfig.service.port": 443,
}
_RULES = {"resourceRules[].scope": "*", "excludeResourceRules[].scope": "*"}


def network_policy(value: Object) -> None:
    spec = value.setdefault("spec", {})
    for name in ("ingress", "egress"):
        for rule in objects(part(spec, name, list)):
            fill(rule, {"ports[].protocol": "TCP"})
    if isinstance(spec, dict):
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", *(["Egress"] if spec.get("egress") else [])]
        spec.setdefault("podSelector", {})


def ingress_class(value: Object) -> None:
    fill(value.setdefault("spec", {}), {"parameters.scope": "Cluster"})


def validating_webhooks(value: Object) -> None:
    for hook in objects(value.get("webhooks")):
        fill(hook, _WEBHOOK)


def mutating_webhooks(value: Object) -> None:
    for hook in objects(value.get("webhooks")):
        fill(hook, {**_WEBHOOK, "reinvocationPolicy": "Never"})


def admission_policy(value: Object) -> None:
    spec = value.setdefault("spec", {})
    fill(spec, {"failurePolicy": "Fail"})
    _match(spec.get("matchConstraints") if isinstance(spec, dict) else None)


def admission_binding(value: Object) -> None:
    _match(part(value, "spec").get("matchResources"))


def _match(given: Any) -> None:
    if given is not None:
        fill(given, {**_ALWAYS, **_RULES})


def api_service(value: Object) -> None:
    fill(value.setdefault("spec", {}), {"service.port": 443})


def flow_schema(value: Object) -> None:
    spec = value.setdefault("spec", {})
    if isinstance(spec, dict) and not spec.get("matchingPrecedence"):
        spec["matchingPrecedence"] = 1000


def priority_level(value: Object) -> None:
    spec = value.setdefault("spec", {})
    fill(spec, {"exempt.nominalConcurrencyShares": 0, "exempt.lendablePercent": 0})
    fill(spec, {"limited.nominalConcurrencyShares": 30, "limited.lendablePercent": 0})
    queuing = part(part(part(spec, "limited"), "limitResponse"), "queuing")
    if queuing or "queuing" in part(part(spec, "limited"), "limitResponse"):
        for name, number in (("handSize", 8), ("queues", 64), ("queueLengthLimit", 50)):
            queuing[name] = queuing.get(name) or number
