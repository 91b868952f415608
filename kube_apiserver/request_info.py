"""The attributes of a request that authorization needs, from its method, path and query.

Source: apiserver/pkg/endpoints/request/requestinfo.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kube_apiserver.access import AuthorizationAttributes
from kube_apiserver.reads import selectors

_VERBS = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_NAMESPACES, _PROXY, WATCH = "namespaces", "proxy", "watch"
_SPECIAL_VERBS = (_PROXY, WATCH)
_NAMESPACE_SUBRESOURCES = ("status", "finalize")
_FALSE_VALUES = ("", "0", "false", "False")


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """The parts of a request's path.

    `parts` are the path segments from the resource on: resource, name, subresource, and the path for a proxy.
    `is_resource` is False for paths such as `/version`. Then only `path` and `verb` are set.
    `special_verb` is the verb in a path such as `/api/v1/watch/pods` (deprecated), else "".
    `selected_name` is the name in the field selector of a list or watch, else "".
    """

    verb: str
    path: str
    is_resource: bool = False
    group: str = ""
    version: str = ""
    namespace: str = ""
    parts: Sequence[str] = ()
    special_verb: str = ""
    selected_name: str = ""

    @property
    def resource(self) -> str:
        return self.parts[0] if self.parts else ""

    @property
    def name(self) -> str:
        return self.parts[1] if len(self.parts) > 1 else ""

    @property
    def subresource(self) -> str:
        return self.parts[2] if len(self.parts) > 2 else ""

    @property
    def attributes(self) -> AuthorizationAttributes:
        """Return the attributes that the authorizer decides on."""
        resource = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        return AuthorizationAttributes(self.verb, self.group, resource, self.namespace, self.name or self.selected_name)


def read(method: str, path: str, query: Mapping[str, str]) -> RequestInfo:
    """Return the attributes of a request.

    `path` is relative to the URL of the cluster, without leading or trailing slash.
    """
    verb, parts = _VERBS.get(method, method.lower()), path.split("/")
    prefix = {"api": 2, "apis": 3}.get(parts[0], len(parts))
    if len(parts) <= prefix:
        return RequestInfo(method.lower(), f"/{path}")
    group, version, segments = parts[1] if prefix == 3 else "", parts[prefix - 1], parts[prefix:]
    special_verb = ""
    if segments[0] in _SPECIAL_VERBS and len(segments) > 1:
        verb = special_verb = segments[0]
        segments = segments[1:]
    namespace = ""
    if segments[0] == _NAMESPACES and len(segments) > 1:
        namespace = segments[1]
        if len(segments) > 2 and segments[2] not in _NAMESPACE_SUBRESOURCES:
            segments = segments[2:]
    selected_name = ""
    if (len(segments) < 2 or not segments[1]) and verb == "get":
        verb = WATCH if query.get("watch", "") not in _FALSE_VALUES else "list"
        selected_name = selectors.selected_name(query.get("fieldSelector", ""))
    elif (len(segments) < 2 or not segments[1]) and verb == "delete":
        verb = "deletecollection"
    return RequestInfo(verb, f"/{path}", True, group, version, namespace, segments, special_verb, selected_name)
