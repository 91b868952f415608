"""The objects that guests of a class and viewers of a shared moment may see.

They have the same rights as a `view` token of the Kubernetes API.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from kube_apiserver import access
from kube_apiserver.access import AuthorizationAttributes, Bound, UserInfo
from kube_apiserver.resources import by_kind, table
from simulator.exchange.scenario import Scenario

_VIEWER = UserInfo("viewer", (), access.VIEW)
_DATA_FIELDS = ("data", "stringData")
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@cache
def hidden_kinds() -> frozenset[str]:
    """Return the kinds whose objects a viewer may not read."""
    kinds = {resource.kind for resource in table().values() if "get" in resource.verbs}
    return frozenset(kind for kind in kinds if not _may_get(kind))


def _may_get(kind: str) -> bool:
    resource = by_kind(kind)
    return access.may(_VIEWER, AuthorizationAttributes("get", resource.group, resource.name), Bound())


def remove_hidden_data(scenario: Scenario) -> Scenario:
    """Return the scenario without the data of objects that a viewer may not read.

    The objects themselves stay, because later commands change or delete them.
    """
    return replace(scenario, commands=[_remove_data(command) for command in scenario.commands])


def _remove_data(value: Any) -> Any:
    if isinstance(value, list):
        return [_remove_data(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if value.get("kind") in hidden_kinds() and "metadata" in value:
        metadata = dict(value["metadata"]) if isinstance(value["metadata"], Mapping) else {}
        if isinstance(annotations := metadata.get("annotations"), Mapping):
            metadata["annotations"] = {name: text for name, text in annotations.items() if name != _LAST_APPLIED}
        return {**{name: item for name, item in value.items() if name not in _DATA_FIELDS}, "metadata": metadata}
    return {name: _remove_data(item) for name, item in value.items()}
