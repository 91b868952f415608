"""FlowSchemas and PriorityLevelConfigurations of every API server, and the Dangling condition of FlowSchemas.

Source: apiserver/pkg/apis/flowcontrol/bootstrap/default.go, apiserver/pkg/util/flowcontrol/apf_controller.go. The
playground doesn't limit requests by them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

Object = Mapping[str, Any]

SCHEMA, LEVEL = "FlowSchema", "PriorityLevelConfiguration"
KINDS = frozenset([SCHEMA, LEVEL])
EXEMPT = "exempt"
MANDATORY = (EXEMPT, "catch-all")
"""Names of both kinds whose specs can't be changed."""
PRODUCER, CONSUMER = (f"api-priority-and-fairness-config-{part}-v1" for part in ("producer", "consumer"))
"""The field managers of the bootstrap objects, and of the condition of every FlowSchema."""
_METADATA = {"annotations": {"apf.kubernetes.io/autoupdate-spec": "true"}}
_EVERYBODY = ("system:unauthenticated", "system:authenticated")
_ANYTHING = {
    "resourceRules": [
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]},
    ],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
}
_PROBES = {"nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/readyz", "/livez"]}]}
_LEASES = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "namespaces": ["*"]}
_ELECTION = {"resourceRules": [{"verbs": ["get", "create", "update"], **_LEASES}]}
_NODE_HEALTH = {
    "resourceRules": [
        {
            "verbs": ["*"],
            "apiGroups": [""],
            "resources": ["nodes", "nodes/status"],
            "clusterScope": True,
            "namespaces": ["*"],
        },
        {"verbs": ["*"], **_LEASES},
    ]
}


def _groups(*names: str) -> list[Object]:
    return [{"kind": "Group", "group": {"name": name}} for name in names]


def _users(*names: str) -> list[Object]:
    return [{"kind": "User", "user": {"name": f"system:{name}"}} for name in names]


_SYSTEM_SUBJECTS = [{"kind": "ServiceAccount", "serviceAccount": {"namespace": "kube-system", "name": "*"}}]
_NODES = _groups("system:nodes")
# Name, priority level, matching precedence, distinguisher, subjects and rules.
_SCHEMAS: Sequence[tuple[str, str, int, str, Sequence[Object], Object]] = (
    (EXEMPT, EXEMPT, 1, "", _groups("system:masters"), _ANYTHING),
    ("probes", EXEMPT, 2, "", _groups(*_EVERYBODY), _PROBES),
    (
        "system-leader-election",
        "leader-election",
        100,
        "ByUser",
        [*_users("kube-controller-manager", "kube-scheduler"), *_SYSTEM_SUBJECTS],
        _ELECTION,
    ),
    ("system-node-high", "node-high", 400, "ByUser", _NODES, _NODE_HEALTH),
    ("system-nodes", "system", 500, "ByUser", _NODES, _ANYTHING),
    (
        "kube-controller-manager",
        "workload-high",
        800,
        "ByNamespace",
        _users("kube-controller-manager"),
        _ANYTHING,
    ),
    ("kube-scheduler", "workload-high", 800, "ByNamespace", _users("kube-scheduler"), _ANYTHING),
    ("kube-system-service-accounts", "workload-high", 900, "ByNamespace", _SYSTEM_SUBJECTS, _ANYTHING),
    ("service-accounts", "workload-low", 9000, "ByUser", _groups("system:serviceaccounts"), _ANYTHING),
    ("global-default", "global-default", 9900, "ByUser", _groups(*_EVERYBODY), _ANYTHING),
    ("catch-all", "catch-all", 10000, "ByUser", _groups(*_EVERYBODY), _ANYTHING),
)
# Name, nominal shares, lendable percent, queues and hand size.
_QUEUED = (
    ("system", 30, 33, 64, 6),
    ("node-high", 40, 25, 64, 6),
    ("leader-election", 10, 0, 16, 4),
    ("workload-high", 40, 50, 128, 6),
    ("workload-low", 100, 90, 128, 6),
    ("global-default", 20, 50, 128, 6),
)


@cache
def bootstrap_objects(kind: str, time: str) -> Mapping[str, Object]:
    """Return the bootstrap objects of one of KINDS by name. Their conditions have `time`."""
    if kind == SCHEMA:
        return {each[0]: _schema(*each[1:], time) for each in _SCHEMAS}
    return {name: {"metadata": _in_metadata(), "spec": spec, "status": {}} for name, spec in sorted(_levels().items())}


def _in_metadata() -> Object:
    return {"generation": 1, **_METADATA}


def _schema(level: str, precedence: int, method: str, subjects: Sequence[Object], rules: Object, time: str) -> Object:
    spec = {
        "priorityLevelConfiguration": {"name": level},
        "matchingPrecedence": precedence,
        **({"distinguisherMethod": {"type": method}} if method else {}),
        "rules": [{"subjects": subjects, **rules}],
    }
    return {
        "metadata": _in_metadata(),
        "spec": spec,
        "status": {"conditions": [{**_dangling(level, is_there=True), "lastTransitionTime": time}]},
    }


def _levels() -> Mapping[str, Object]:
    queued = {
        name: _limited(
            shares,
            {"type": "Queue", "queuing": {"queues": queues, "handSize": hand, "queueLengthLimit": 50}},
            lendable,
        )
        for name, shares, lendable, queues, hand in _QUEUED
    }
    exempt = {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 0, "lendablePercent": 0}}
    return {EXEMPT: exempt, "catch-all": _limited(5, {"type": "Reject"}, 0), **queued}


def _limited(shares: int, response: Object, lendable: int) -> Object:
    of_level = {"nominalConcurrencyShares": shares, "limitResponse": response, "lendablePercent": lendable}
    return {"type": "Limited", "limited": of_level}


def _dangling(level: str, *, is_there: bool) -> Object:
    referred = f'This FlowSchema references the PriorityLevelConfiguration object named "{level}"'
    return {
        "type": "Dangling",
        "status": "False" if is_there else "True",
        "reason": "Found" if is_there else "NotFound",
        "message": f"{referred} and it exists" if is_there else f"{referred} but there is no such object",
    }


def outdated(schemas: Iterable[Object], is_there: Callable[[str], bool]) -> Iterator[tuple[Object, Object]]:
    """Yield the FlowSchemas whose Dangling condition is outdated, each with its new condition."""
    for schema in schemas:
        level = str(((schema.get("spec") or {}).get("priorityLevelConfiguration") or {}).get("name") or "")
        condition = _dangling(level, is_there=is_there(level))
        conditions: Sequence[Object] = (schema.get("status") or {}).get("conditions") or ()
        known: Object = next((each for each in conditions if each.get("type") == condition["type"]), {})
        if any(known.get(name) != condition[name] for name in ("status", "reason", "message")):
            yield schema, condition
