"""NamespaceLifecycle: refuse creates in a namespace that does not exist or is being deleted.

Source: apiserver/pkg/admission/plugin/namespace/lifecycle.
"""

from typing import Any

from kube_apiserver import errors
from kube_apiserver.admission.attributes import Attributes, ClusterReader
from kube_apiserver.resources import Resource, by_kind

_TERMINATING = "because it is being terminated"


def admit(attributes: Attributes) -> dict[str, Any]:
    if attributes.live is None:
        check(attributes.resource, attributes.namespace, attributes.name, attributes.world)
    return attributes.value


def check(resource: Resource, namespace: str, name: str, world: ClusterReader) -> None:
    """Raise ApiError if no object can be created in the namespace."""
    if not namespace or not resource.namespaced:
        return
    found = world.get("Namespace", namespace)
    if found is None:
        raise errors.not_found(by_kind("Namespace"), namespace)
    if not found["metadata"].get("deletionTimestamp"):
        return
    refusal = errors.refused(resource, name, reason(namespace))
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    details: dict[str, Any] = dict(refusal.status["details"])
    raise errors.ApiError(403, "Forbidden", str(refusal), {**details, "causes": [cause]})


def reason(namespace: str) -> str:
    """Return the reason why nothing can be created in a namespace that is being deleted."""
    return f"unable to create new content in namespace {namespace} {_TERMINATING}"


def is_namespace_terminating(refusal: str) -> bool:
    """Return True if an error message says that its namespace is being deleted. Source: NamespaceTerminatingCause."""
    return refusal.endswith(_TERMINATING)
