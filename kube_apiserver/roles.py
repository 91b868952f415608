"""The bootstrap roles and bindings, and the aggregation of ClusterRoles.

Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy, pkg/controller/clusterroleaggregation.
"""

import gzip
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kube_objects.selectors import selects

Object = Mapping[str, Any]

KINDS = frozenset(["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"])
MAX_AGGREGATED_ROLES = 30
"""The maximum number of aggregated roles. The rules of further roles stay as the client wrote them."""
_DATA = Path(__file__).with_name("data") / "roles.json.gz"


@cache
def bootstrap_objects(kind: str) -> Mapping[str, Object]:
    """Return the bootstrap objects of one of KINDS by key."""
    with gzip.open(_DATA, "rt", encoding="utf-8") as file:
        found: Mapping[str, Object] = json.load(file)[kind]
    return found


def is_aggregated(role: Object) -> bool:
    return isinstance(role.get("aggregationRule"), Mapping)


def aggregate_rules(role: Object, others: Iterable[Object]) -> Object:
    """Return a ClusterRole with the rules of all roles that its aggregationRule selects."""
    known = sorted(others, key=_name)
    aggregated_names = [_name(other) for other in known if is_aggregated(other)][:MAX_AGGREGATED_ROLES]
    if _name(role) not in aggregated_names:
        return role
    # Roles can select each other, so each role adds its rules only once.
    seen, rules = {_name(role)}, list[Any]()

    def add_rules(aggregating: Object) -> None:
        for selector in aggregating["aggregationRule"].get("clusterRoleSelectors") or ():
            for other in known:
                name = _name(other)
                if name not in seen and selects(selector, other["metadata"].get("labels") or {}):
                    seen.add(name)
                    if name in aggregated_names:
                        add_rules(other)
                    else:
                        rules.extend(rule for rule in other.get("rules") or () if rule not in rules)

    add_rules(role)
    return {**role, "rules": rules}


def _name(role: Object) -> str:
    return str(role["metadata"]["name"])
