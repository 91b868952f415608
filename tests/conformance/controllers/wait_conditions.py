"""The conditions of `kubectl wait` and `kubectl rollout status`.

Source: kubectl/pkg/cmd/wait, kubectl/pkg/polymorphichelpers.
"""

import re

from kube_controllers.deployment import util
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    generation,
    kind,
    name,
    number,
    spec,
    status,
)
from tests.conformance.controllers.arguments import Fault
from tests.conformance.controllers.jsonpath import values

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(text: str, otherwise: float) -> float:
    """Return the seconds of a duration: `20s`, `1m30s`."""
    found = re.findall(r"(\d+(?:\.\d+)?)(ms|[smh])", text)
    if not found:
        return otherwise
    return sum(float(amount) * (0.001 if unit == "ms" else _SECONDS[unit]) for amount, unit in found)


def is_met(obj: Manifest | None, wanted: str) -> bool:
    """Return True if the object meets `--for`; a deleted object is None."""
    what, _, rest = wanted.partition("=")
    if what == "delete" or obj is None:
        return what == "delete" and obj is None
    if what == "create":
        return True
    if what == "condition":
        of, _, value = rest.partition("=")
        found = next((one for one in conditions(obj) if str(one["type"]).lower() == of.lower()), None)
        return found is not None and str(found.get("status")).lower() == (value or "true").lower()
    if what == "jsonpath":
        path, has_value, value = rest.strip("'\"").partition("}=")
        found_values = [str(one) for one in values(path.strip("{}"), obj)]
        return found_values == [value.strip("'\"")] if has_value else bool(found_values)
    raise Fault(f"error: unrecognized condition: {wanted!r}")


def has_rolled_out(obj: Manifest) -> bool:
    """Return True if the rollout is complete. Raises Fault if it can't be awaited or has stopped.

    Source: StatusViewers.
    """
    if kind(obj) not in ("Deployment", "DaemonSet", "StatefulSet"):
        raise Fault(f"error: no status viewer has been implemented for {kind(obj)}")
    strategy = str((spec(obj).get("updateStrategy") or {}).get("type") or "RollingUpdate")
    if kind(obj) != "Deployment" and strategy != "RollingUpdate":
        raise Fault("error: rollout status is only available for RollingUpdate strategy type")
    if number(status(obj).get("observedGeneration"), 0) < generation(obj):
        return False
    match kind(obj):
        case "Deployment":
            return _is_deployed(obj)
        case "DaemonSet":
            desired = number(status(obj).get("desiredNumberScheduled"), 0)
            done = (number(status(obj).get(of), 0) for of in ("updatedNumberScheduled", "numberAvailable"))
            return all(count >= desired for count in done)
    return _is_set_up(obj)


def _is_deployed(obj: Manifest) -> bool:
    found = condition(conditions(obj), "Progressing")
    if found is not None and found.get("reason") == util.TIMED_OUT:
        raise Fault(f'error: deployment "{name(obj)}" exceeded its progress deadline')
    updated = util.status_number(obj, "updatedReplicas")
    return (
        updated >= util.replicas(obj)
        and util.status_number(obj, "replicas") <= updated
        and util.status_number(obj, "availableReplicas") >= updated
    )


def _is_set_up(obj: Manifest) -> bool:
    count = status(obj)
    if number(count.get("readyReplicas"), 0) < util.replicas(obj):
        return False
    rolling = (spec(obj).get("updateStrategy") or {}).get("rollingUpdate") or {}
    if rolling.get("partition") is not None:
        return number(count.get("updatedReplicas"), 0) >= util.replicas(obj) - int(rolling["partition"])
    return bool(count.get("updateRevision") == count.get("currentRevision"))
