"""The CEL variable `authorizer`, which checks the rights of the caller or of a ServiceAccount.

Its values are maps. A key with a zero byte, which no object can have, marks their type. Its functions are methods of
these values.

Source: apiserver/pkg/cel/library/authz.go.
"""

from collections.abc import Callable, Mapping
from typing import Any

from kube_apiserver.access import (
    AnyAttributes,
    AuthorizationAttributes,
    NonResourceAttributes,
    UserInfo,
    Verdict,
    groups_of,
)
from kube_apiserver.budgets import CALL_LIMIT
from kube_objects import names

_Value = Mapping[str, Any]
_AUTHORIZER, _GROUP, _RESOURCE, _PATH, _DECISION = (
    f"\x00{name}" for name in ("authorizer", "group", "resource", "path", "decision")
)
# One check costs 350,000 of the 1,000,000 units of an expression.
_MAX_CHECKS = 2
_NO_OVERLOAD = "no such overload"


def make_variable(request: AuthorizationAttributes) -> _Value:
    """Return the variable `authorizer`. `request` has the attributes of the write, without a verb."""
    resource, _, subresource = request.resource.partition("/")
    attributes = {
        _RESOURCE: resource,
        "user": "",
        "group": request.group,
        "subresource": subresource,
        "namespace": request.namespace,
        "name": request.name,
    }
    return {_AUTHORIZER: "", "user": "", "requestResource": attributes}


class Checks:
    """The functions of `authorizer` for one CEL expression. It may call `check` twice. Source: cost.go AuthzCost."""

    def __init__(self, who: UserInfo | None, decide: Callable[[UserInfo, AnyAttributes], Verdict]) -> None:
        self._who, self._decide, self._count = who, decide, 0

    @property
    def has_too_many(self) -> bool:
        """Return True if the expression made too many checks, even if it ignored the error of the last one."""
        return self._count > _MAX_CHECKS

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """Return the functions by name."""
        return {"check": self._check, **_FUNCTIONS}

    def _check(self, receiver: Any, verb: Any) -> _Value:
        self._count += 1
        if self.has_too_many:
            raise ValueError(CALL_LIMIT)
        verdict = self._decide(_find_user(receiver, self._who), _read_attributes(receiver, str(verb)))
        return {_DECISION: "", "allowed": verdict.allowed, "reason": verdict.reason}


def _find_user(receiver: Any, who: UserInfo | None) -> UserInfo:
    if (name := receiver.get("user")) or who is None:
        return UserInfo(str(name or ""), groups_of(str(name or ""), ()))
    return who


def _read_attributes(receiver: Any, verb: str) -> AnyAttributes:
    if isinstance(receiver, Mapping) and _PATH in receiver:
        return NonResourceAttributes(verb, str(receiver[_PATH]))
    if not isinstance(receiver, Mapping) or _RESOURCE not in receiver:
        raise ValueError(_NO_OVERLOAD)
    subresource = receiver.get("subresource")
    resource = f"{receiver[_RESOURCE]}/{subresource}" if subresource else str(receiver[_RESOURCE])
    group, namespace, name = (str(receiver.get(key) or "") for key in ("group", "namespace", "name"))
    return AuthorizationAttributes(verb, group, resource, namespace, name)


def _make_setter(type_key: str, name: str, key: str, *, is_required: bool = False) -> Callable[[Any, Any], _Value]:
    """Return a method of the type `type_key`, which returns a copy of its receiver with a text as `key`."""

    def method(receiver: Any, text: Any) -> _Value:
        if not isinstance(receiver, Mapping) or type_key not in receiver or not isinstance(text, str):
            raise ValueError(_NO_OVERLOAD)
        if is_required and not text.strip():
            raise ValueError(f"{name} must not be empty")
        attributes = {
            name: item
            for name, item in receiver.items()
            if not name.startswith("\x00") or name == type_key == _RESOURCE
        }
        return {**attributes, key: text}

    return method


def _set_service_account(receiver: Any, namespace: Any, name: Any) -> _Value:
    if not isinstance(receiver, Mapping) or _AUTHORIZER not in receiver:
        raise ValueError(_NO_OVERLOAD)
    for part, text, rule in (("name", name, names.dns_subdomain), ("namespace", namespace, names.dns_label)):
        if rule(str(text)):
            raise ValueError(f"Invalid service account {part}")
    return {_AUTHORIZER: "", "user": f"system:serviceaccount:{namespace}:{name}"}


def _set_resource(receiver: Any, resource: Any) -> _Value:
    attributes = _make_setter(_GROUP, "resource", _RESOURCE, is_required=True)(receiver, resource)
    return {**attributes, "group": receiver[_GROUP]}


def _make_decision_getter(key: str) -> Callable[[Any], Any]:
    def method(receiver: Any) -> Any:
        if not isinstance(receiver, Mapping) or _DECISION not in receiver:
            raise ValueError(_NO_OVERLOAD)
        return receiver[key]

    return method


def _make_constant_getter(value: Any) -> Callable[[Any], Any]:
    def method(receiver: Any) -> Any:
        _make_decision_getter("allowed")(receiver)
        return value

    return method


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "group": _make_setter(_AUTHORIZER, "group", _GROUP),
    "path": _make_setter(_AUTHORIZER, "path", _PATH, is_required=True),
    "serviceAccount": _set_service_account,
    "resource": _set_resource,
    **{
        name: _make_setter(_RESOURCE, name, name)
        for name in ("subresource", "namespace", "name", "fieldSelector", "labelSelector")
    },
    "allowed": _make_decision_getter("allowed"),
    "reason": _make_decision_getter("reason"),
    "errored": _make_constant_getter(False),
    "error": _make_constant_getter(""),
}
