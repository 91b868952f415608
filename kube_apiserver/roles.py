"""The roles and bindings that every cluster has, and the roles that are made of others.

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
"""Roles that are made of others; a client's further ones stay as they were written."""
_DATA = Path(__file__).with_name("data") / "roles.json.gz"


@cache
def of(kind: str) -> Mapping[str, Object]:
    """Of one of KINDS: key → object."""
    with gzip.open(_DATA, "rt", encoding="utf-8") as file:
        found: Mapping[str, Object] = json.load(file)[kind]
    return found


def is_made_of_others(role: Object) -> bool:
    return isinstance(role.get("aggregationRule"), Mapping)


def aggregated(role: Object, others: Iterable[Object]) -> Object:
    """The role as the controller of such roles leaves it: with the rules of all that its selectors choose."""
    known = sorted(others, key=_name)
    made = [_name(each) for each in known if is_made_of_others(each)][:MOST_MADE_OF_OTHERS]
    if _name(role) not in made:
        return role
    # One that is chosen again, in a circle or not, adds nothing.
    seen, found = {_name(role)}, list[Any]()

    def take(chooser: Object) -> None:
        for selector in chooser["aggregationRule"].get("clusterRoleSelectors") or ():
            for each in known:
                name = _name(each)
                if name not in seen and selects(selector, each["metadata"].get("labels") or {}):
                    seen.add(name)
                    if name in made:
                        take(each)
                    else:
                        found.extend(rule for rule in each.get("rules") or () if rule not in found)

    take(role)
    return {**role, "rules": found}


def _name(role: Object) -> str:
    return str(role["metadata"]["name"])
