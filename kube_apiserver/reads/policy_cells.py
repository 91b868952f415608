"""The cells of webhooks, admission policies, flow control and PodTemplates.

Source: pkg/printers/internalversion/printers.go.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

Object = Mapping[str, Any]
Cells = dict[str, Any]

NONE, UNSET = "<none>", "<unset>"
_QUEUES = {"Queues": "queues", "HandSize": "handSize", "QueueLengthLimit": "queueLengthLimit"}


def _webhooks(value: Object, now: datetime) -> Cells:
    return {"Webhooks": len(value.get("webhooks") or ())}


def _policy(value: Object, now: datetime) -> Cells:
    spec = value.get("spec") or {}
    kind = spec.get("paramKind")
    param_kind = UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"
    counts = {name: len(spec.get(name.lower()) or ()) for name in ("Validations", "Mutations")}
    return {**counts, "ParamKind": param_kind}


def _policy_binding(value: Object, now: datetime) -> Cells:
    spec = value.get("spec") or {}
    ref, param_ref = spec.get("paramRef") or {}, UNSET
    if ref.get("name"):
        param_ref = f"{ref.get('namespace') or '*'}/{ref['name']}"
    return {"PolicyName": spec.get("policyName", ""), "ParamRef": param_ref}


def _flow_schema(value: Object, now: datetime) -> Cells:
    spec, status = value.get("spec") or {}, value.get("status") or {}
    dangling: Object = next((each for each in status.get("conditions") or () if each.get("type") == "Dangling"), {})
    return {
        "PriorityLevel": (spec.get("priorityLevelConfiguration") or {}).get("name", ""),
        "MatchingPrecedence": spec.get("matchingPrecedence", 0),
        "DistinguisherMethod": (spec.get("distinguisherMethod") or {}).get("type") or NONE,
        "MissingPL": dangling.get("status", "?"),
    }


def _priority_level(value: Object, now: datetime) -> Cells:
    spec = value.get("spec") or {}
    limited = spec.get("limited") or {}
    queuing = (limited.get("limitResponse") or {}).get("queuing") or {}
    return {
        "Type": spec.get("type", ""),
        "NominalConcurrencyShares": limited.get("nominalConcurrencyShares", NONE),
        **{column: queuing.get(name, NONE) for column, name in _QUEUES.items()},
    }


def _pod_template(value: Object, now: datetime) -> Cells:
    template = value.get("template") or {}
    containers = (template.get("spec") or {}).get("containers") or ()
    labels = (template.get("metadata") or {}).get("labels") or {}
    return {
        "Containers": ",".join(str(each.get("name", "")) for each in containers),
        "Images": ",".join(str(each.get("image", "")) for each in containers),
        "Pod Labels": ",".join(f"{name}={labels[name]}" for name in sorted(labels)) or NONE,
    }


PRINTERS: Mapping[str, Callable[[Object, datetime], Cells]] = {
    "FlowSchema": _flow_schema,
    "MutatingAdmissionPolicy": _policy,
    "MutatingAdmissionPolicyBinding": _policy_binding,
    "MutatingWebhookConfiguration": _webhooks,
    "PodTemplate": _pod_template,
    "PriorityLevelConfiguration": _priority_level,
    "ValidatingAdmissionPolicy": _policy,
    "ValidatingAdmissionPolicyBinding": _policy_binding,
    "ValidatingWebhookConfiguration": _webhooks,
}
