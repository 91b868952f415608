"""The write that admission plugins handle, and a reader of the cluster's other objects.

Source: apiserver/pkg/admission.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from kube_apiserver import errors
from kube_apiserver.access import AnyAttributes, UserInfo, Verdict, deny_all
from kube_apiserver.resources import Resource

Object = dict[str, Any]


class ClusterReader(Protocol):
    """A reader of the cluster's other objects, in the form in which clients read them."""

    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None: ...

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]: ...


class _EmptyCluster:
    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None:
        return {"metadata": {"name": name}} if kind == "Namespace" else None

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]:
        return ()


EMPTY_CLUSTER: ClusterReader = _EmptyCluster()
"""An empty cluster, in which every namespace exists."""


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A CREATE, UPDATE or DELETE of an object, as admission policies match it.

    `resource` is the stored version, `served` the version that the client uses if it differs. `others` are further
    versions of the same objects. `decide` authorizes the CEL variable `authorizer`.
    """

    operation: str
    resource: Resource
    namespace: str
    name: str
    subresource: str = ""
    who: UserInfo | None = None
    is_dry_run: bool = False
    served: Resource | None = None
    others: Sequence[Resource] = ()
    decide: Callable[[UserInfo, AnyAttributes], Verdict] = deny_all

    @property
    def spoken(self) -> Resource:
        return self.served or self.resource

    def about(self, live: Mapping[str, Any] | None, value: Mapping[str, Any] | None) -> "AdmissionRequest":
        """Return the request with the operation and the name of these two versions of the object."""
        operation = "DELETE" if value is None else "CREATE" if live is None else "UPDATE"
        return replace(self, operation=operation, name=str((value or live or {})["metadata"].get("name") or ""))


@dataclass(frozen=True, slots=True)
class Attributes:
    """One write as the plugins handle it.

    `live` is the stored object, None on a create. Admission policies need `request`, which has the caller.
    """

    resource: Resource
    live: Mapping[str, Any] | None
    value: Object
    world: ClusterReader = EMPTY_CLUSTER
    subresource: str = ""
    request: AdmissionRequest | None = None

    @property
    def kind(self) -> str:
        return self.resource.kind

    @property
    def namespace(self) -> str:
        return str(self.value["metadata"].get("namespace") or "")

    @property
    def name(self) -> str:
        """Return the name, or the prefix of a name that is still to be generated."""
        metadata = self.value["metadata"]
        return str(metadata.get("name") or metadata.get("generateName") or "")

    def with_value(self, value: Object) -> "Attributes":
        return Attributes(self.resource, self.live, value, self.world, self.subresource, self.request)

    def forbidden(self, why: str) -> errors.ApiError:
        """Return the error of a plugin that refuses the write. Source: admission.NewForbidden."""
        return errors.refused(self.resource, self.name, why)
