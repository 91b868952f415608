"""When a container is started again: its own policy, and rules by its exit code.

Source: pkg/apis/core/validation validateContainerRestartPolicy.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause

Object = Mapping[str, Any]

_POLICIES = ("Always", "Never", "OnFailure")
_ACTIONS = ("Restart", "RestartAllContainers")
_OPERATORS = ("In", "NotIn")
_MOST_RULES, _MOST_CODES = 20, 255
_NEEDED = "must specify restartPolicy when restart rules are used"


def of_init(container: Object, path: str) -> Iterator[Cause]:
    if container.get("restartPolicy") is not None:
        yield from rules(container, path)
    elif container.get("restartPolicyRules"):
        yield causes.required(f"{path}.restartPolicy", _NEEDED)


def rules(container: Object, path: str) -> Iterator[Cause]:
    policy, given = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    if policy is None and given:
        yield causes.required(f"{path}.restartPolicy", _NEEDED)
    elif policy is not None and policy not in _POLICIES:
        yield causes.unsupported(f"{path}.restartPolicy", policy, _POLICIES)
    if len(given) > _MOST_RULES:
        yield causes.too_many(f"{path}.restartPolicyRules", len(given), _MOST_RULES)
    for number, each in enumerate(given):
        at, codes = f"{path}.restartPolicyRules[{number}]", each.get("exitCodes")
        if (each.get("action") or "") not in _ACTIONS:
            yield causes.unsupported(f"{at}.action", each.get("action") or "", _ACTIONS)
        if codes is None:
            yield causes.required(f"{at}.exitCodes", "must be specified")
            continue
        if (codes.get("operator") or "") not in _OPERATORS:
            yield causes.unsupported(f"{at}.exitCodes.operator", codes.get("operator") or "", _OPERATORS)
        if len(codes.get("values") or ()) > _MOST_CODES:
            yield causes.too_many(f"{at}.exitCodes.values", len(codes["values"]), _MOST_CODES)
