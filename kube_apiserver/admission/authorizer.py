"""The CEL variable `authorizer`, which checks the rights of the caller or of a ServiceAccount.

Its values are maps with keys that no object can have. Its functions are methods of these values. Source:
apiserver/pkg/cel/library/authz.go.
"""

from collections.abc import Callable, Mapping
from typing import Any

from kube_apiserver.access import AuthorizationAttributes, Question, Verdict, Visit, Who, groups_of
from kube_apiserver.budgets import CALL_LIMIT
from kube_objects import names

_Value = Mapping[str, Any]
_AUTHORIZER, _GROUP, _RESOURCE, _PATH, _DECISION = (
    f"\x00{name}" for name in ("authorizer", "group", "resource", "path", "decision")
)
# One check costs 350,000 of the 1,000,000 units of an expression.
_MOST_CHECKS = 2
_NO_OVERLOAD = "no such overload"


def variable(request: AuthorizationAttributes) -> _Value:
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
    """The functions of `authorizer` for one expression, which may call `check` twice. Source: cost.go AuthzCost."""

    def __init__(self, who: Who | None, decide: Callable[[Who, Question], Verdict]) -> None:
        self._who, self._decide, self._count = who, decide, 0

    @property
    def are_over(self) -> bool:
        """Return True after more checks than one expression may make, even if the expression caught the error."""
        return self._count > _MOST_CHECKS

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """Return the functions by name."""
        return {"check": self._check, **_FUNCTIONS}

    def _check(self, given: Any, verb: Any) -> _Value:
        self._count += 1
        if self.are_over:
            raise ValueError(CALL_LIMIT)
        verdict = self._decide(_user(given, self._who), _question(given, str(verb)))
        return {_DECISION: "", "allowed": verdict.allowed, "reason": verdict.reason}


def _user(given: Any, who: Who | None) -> Who:
    if (name := given.get("user")) or who is None:
        return Who(str(name or ""), groups_of(str(name or ""), ()))
    return who


def _question(receiver: Any, verb: str) -> Question:
    if isinstance(receiver, Mapping) and _PATH in receiver:
        return Visit(verb, str(receiver[_PATH]))
    if not isinstance(receiver, Mapping) or _RESOURCE not in receiver:
        raise ValueError(_NO_OVERLOAD)
    subresource = receiver.get("subresource")
    resource = f"{receiver[_RESOURCE]}/{subresource}" if subresource else str(receiver[_RESOURCE])
    group, namespace, name = (str(receiver.get(key) or "") for key in ("group", "namespace", "name"))
    return AuthorizationAttributes(verb, group, resource, namespace, name)


def _method(of: str, name: str, key: str, *, must_say: bool = False) -> Callable[[Any, Any], _Value]:
    """Return a method of the type `of`: it takes a text and returns the value with the text as `key`."""

    def method(receiver: Any, text: Any) -> _Value:
        if not isinstance(receiver, Mapping) or of not in receiver or not isinstance(text, str):
            raise ValueError(_NO_OVERLOAD)
        if must_say and not text.strip():
            raise ValueError(f"{name} must not be empty")
        attributes = {
            each: item for each, item in receiver.items() if not each.startswith("\x00") or each == of == _RESOURCE
        }
        return {**attributes, key: text}

    return method


def _service_account(given: Any, namespace: Any, name: Any) -> _Value:
    if not isinstance(given, Mapping) or _AUTHORIZER not in given:
        raise ValueError(_NO_OVERLOAD)
    for what, text, rule in (("name", name, names.dns_subdomain), ("namespace", namespace, names.dns_label)):
        if rule(str(text)):
            raise ValueError(f"Invalid service account {what}")
    return {_AUTHORIZER: "", "user": f"system:serviceaccount:{namespace}:{name}"}


def _of_group(given: Any, resource: Any) -> _Value:
    made = _method(_GROUP, "resource", _RESOURCE, must_say=True)(given, resource)
    return {**made, "group": given[_GROUP]}


def _of_decision(key: str) -> Callable[[Any], Any]:
    def method(given: Any) -> Any:
        if not isinstance(given, Mapping) or _DECISION not in given:
            raise ValueError(_NO_OVERLOAD)
        return given[key]

    return method


def _no_error(made: Any) -> Callable[[Any], Any]:
    def method(given: Any) -> Any:
        _of_decision("allowed")(given)
        return made

    return method


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "group": _method(_AUTHORIZER, "group", _GROUP),
    "path": _method(_AUTHORIZER, "path", _PATH, must_say=True),
    "serviceAccount": _service_account,
    "resource": _of_group,
    **{
        name: _method(_RESOURCE, name, name)
        for name in ("subresource", "namespace", "name", "fieldSelector", "labelSelector")
    },
    "allowed": _of_decision("allowed"),
    "reason": _of_decision("reason"),
    "errored": _no_error(False),
    "error": _no_error(""),
}
