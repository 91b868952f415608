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
MOST_MADE_OF_OTHERS = 30
"""The number of aggregated roles. Further ones of a client stay as written."""
_DATA = Path(__file__).with_name("data") / "roles.json.gz"


@cache
def bootstrap_objects(kind: str) -> Mapping[str, Object]:
    """Return the bootstrap objects of one of KINDS by key."""
    with gzip.open(_DATA, "rt", encoding="utf-8") as file:
        found: Mapping[str, Object] = json.load(file)[kind]
    return found


def is_made_of_others(role: Object) -> bool:
    return isinstance(role.get("aggregationRule"), Mapping)


def aggregated(role: Object, others: Iterable[Object]) -> Object:
    """Return a ClusterRole with the rules of all roles that its aggregationRule selects."""
    known = sorted(others, key=_name)
    made = [_name(other) for other in known if is_made_of_others(other)][:MOST_MADE_OF_OTHERS]
    if _name(role) not in made:
        return role
    # A role that is selected twice, or in a cycle, adds nothing.
    seen, rules = {_name(role)}, list[Any]()

    def add_rules(chooser: Object) -> None:
        for selector in chooser["aggregationRule"].get("clusterRoleSelectors") or ():
            for other in known:
                name = _name(other)
                if name not in seen and selects(selector, other["metadata"].get("labels") or {}):
                    seen.add(name)
                    if name in made:
                        add_rules(other)
                    else:
                        rules.extend(rule for rule in other.get("rules") or () if rule not in rules)

    add_rules(role)
    return {**role, "rules": rules}


def _name(role: Object) -> str:
    return str(role["metadata"]["name"])
