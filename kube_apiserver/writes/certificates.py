"""What an API server itself writes into a request for a certificate. Source: registry/certificates/certificates."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver.access import Who
from kube_apiserver.validation.groups.certificates import APPROVED, DENIED, conditions

Object = dict[str, Any]

KIND, APPROVAL = "CertificateSigningRequest", "approval"


def asked_by(value: Object, who: Who | None) -> None:
    """Who asks is who sends it, whatever the request says."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return
    for name in ("username", "uid", "groups", "extra"):
        spec.pop(name, None)
    if who is not None:
        extra = {name: list(values) for name, values in who.extra.items()}
        found = {"username": who.name, "uid": who.uid, "groups": list(who.groups), "extra": extra}
        spec |= {name: part for name, part in found.items() if part}


def through(door: str, live: Mapping[str, Any], value: Object, time: str) -> Object:
    """The status that comes of what was sent through a door: conditions, and a certificate where one is signed."""
    sent, was = dict(value.get("status") or {}), dict(live.get("status") or {})
    found = [dict(each) for each in sent.get("conditions") or ()]
    if door != APPROVAL:
        for kind in (APPROVED, DENIED):
            _keep(kind, live, found)
    for each in found:
        each["lastUpdateTime"] = each.get("lastUpdateTime") or time
        each["lastTransitionTime"] = each.get("lastTransitionTime") or _since(each, live) or time
    status = was if door == APPROVAL else sent
    status.pop("conditions", None)
    return {**status, **({"conditions": found} if found else {})}


def _keep(kind: str, live: Mapping[str, Any], found: list[Object]) -> None:
    before, numbers = conditions(live, kind), [n for n, each in enumerate(found) if each.get("type") == kind]
    if len(before) == len(numbers):
        for number, each in zip(numbers, before, strict=True):
            found[number] = dict(each)


def _since(condition: Mapping[str, Any], live: Mapping[str, Any]) -> Any:
    same = conditions(live, str(condition.get("type") or ""))
    times = (each.get("lastTransitionTime") for each in same if each.get("status") == condition.get("status"))
    return next(filter(None, times), None)
