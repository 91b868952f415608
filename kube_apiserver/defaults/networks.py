"""Defaults of NetworkPolicies, IngressClasses, webhooks, admission policies, APIServices and flow control.

Source: the defaults.go of their groups.
"""

from typing import Any

from kube_apiserver.defaults.fields import Object, fill, get_part, list_objects

_ALWAYS = {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
_WEBHOOK = {
    "failurePolicy": "Fail",
    **_ALWAYS,
    "timeoutSeconds": 10,
    "rules[].scope": "*",
    "clientConfig.service.port": 443,
}
_RULES = {"resourceRules[].scope": "*", "excludeResourceRules[].scope": "*"}


def set_network_policy_defaults(value: Object) -> None:
    spec = value.setdefault("spec", {})
    for name in ("ingress", "egress"):
        for rule in list_objects(get_part(spec, name, list)):
            fill(rule, {"ports[].protocol": "TCP"})
    if isinstance(spec, dict):
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", *(["Egress"] if spec.get("egress") else [])]
        spec.setdefault("podSelector", {})


def set_ingress_class_defaults(value: Object) -> None:
    fill(value.setdefault("spec", {}), {"parameters.scope": "Cluster"})


def set_validating_webhooks_defaults(value: Object) -> None:
    for hook in list_objects(value.get("webhooks")):
        fill(hook, _WEBHOOK)


def set_mutating_webhooks_defaults(value: Object) -> None:
    for hook in list_objects(value.get("webhooks")):
        fill(hook, {**_WEBHOOK, "reinvocationPolicy": "Never"})


def set_admission_policy_defaults(value: Object) -> None:
    spec = value.setdefault("spec", {})
    fill(spec, {"failurePolicy": "Fail"})
    _set_match_defaults(spec.get("matchConstraints") if isinstance(spec, dict) else None)


def set_admission_binding_defaults(value: Object) -> None:
    _set_match_defaults(get_part(value, "spec").get("matchResources"))


def _set_match_defaults(match_resources: Any) -> None:
    if match_resources is not None:
        fill(match_resources, {**_ALWAYS, **_RULES})


def set_api_service_defaults(value: Object) -> None:
    fill(value.setdefault("spec", {}), {"service.port": 443})


def set_flow_schema_defaults(value: Object) -> None:
    spec = value.setdefault("spec", {})
    if isinstance(spec, dict) and not spec.get("matchingPrecedence"):
        spec["matchingPrecedence"] = 1000


def set_priority_level_defaults(value: Object) -> None:
    spec = value.setdefault("spec", {})
    fill(spec, {"exempt.nominalConcurrencyShares": 0, "exempt.lendablePercent": 0})
    fill(spec, {"limited.nominalConcurrencyShares": 30, "limited.lendablePercent": 0})
    queuing = get_part(get_part(get_part(spec, "limited"), "limitResponse"), "queuing")
    if queuing or "queuing" in get_part(get_part(spec, "limited"), "limitResponse"):
        for name, number in (("handSize", 8), ("queues", 64), ("queueLengthLimit", 50)):
            queuing[name] = queuing.get(name) or number
