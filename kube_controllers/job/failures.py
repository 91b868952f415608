"""What a failed pod means for its Job: its policy, and how long to wait.

Source: pkg/controller/job/pod_failure_policy.go, backoff_utils.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kube_controllers.pods import phase
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    created,
    is_deleted,
    meta,
    name,
    namespace,
    number,
    parse_time,
    spec,
    status,
)

_ACTIONS = ("FailJob", "Ignore", "Count", "FailIndex")
FIRST_BACKOFF, MOST_BACKOFF = 10.0, 600.0


class Match(NamedTuple):
    """`message` if the Job fails of it; whether the failure counts against the backoff limit; the action."""

    message: str | None
    counts: bool
    action: str | None


def match_policy(policy: Mapping[str, Any] | None, pod: Manifest) -> Match:
    """Source: matchPodFailurePolicy: the first rule that matches decides."""
    for at, rule in enumerate((policy or {}).get("rules") or ()):
        message = ""
        if rule.get("onExitCodes") is not None:
            message = _exit_code(rule, at, pod)
        elif rule.get("onPodConditions"):
            message = _condition(rule, at, pod)
        action = str(rule["action"])
        if not message or action not in _ACTIONS:
            continue
        match action:
            case "Ignore":
                return Match(None, False, action)
            case "FailJob":
                return Match(message, True, action)
            case _:
                return Match(None, True, action)
    return Match(None, True, None)


def _exit_code(rule: Mapping[str, Any], at: int, pod: Manifest) -> str:
    wanted = rule["onExitCodes"]
    for one in [*(status(pod).get("containerStatuses") or ()), *(status(pod).get("initContainerStatuses") or ())]:
        ended = (one.get("state") or {}).get("terminated")
        if ended is None or wanted.get("containerName") not in (None, "", one.get("name")):
            continue
        code, values = number(ended.get("exitCode"), 0), wanted.get("values") or ()
        is_meant = {"In": code in values, "NotIn": code not in values}.get(str(wanted["operator"]), False)
        if code and is_meant:
            return (
                f"Container {one.get('name', '')} for pod {namespace(pod)}/{name(pod)} failed with exit code {code} "
                f"matching {rule['action']} rule at index {at}"
            )
    return ""


def _condition(rule: Mapping[str, Any], at: int, pod: Manifest) -> str:
    for found in conditions(pod):
        for wanted in rule["onPodConditions"]:
            if (found["type"], found.get("status")) == (wanted["type"], wanted.get("status") or "True"):
                return (
                    f"Pod {namespace(pod)}/{name(pod)} has condition {found['type']} "
                    f"matching {rule['action']} rule at index {at}"
                )
    return ""


def finished_at(pod: Manifest) -> float:
    """Source: getFinishedTime."""
    sidecars = {one["name"] for one in spec(pod).get("initContainers") or () if one.get("restartPolicy") == "Always"}
    beside = [one for one in status(pod).get("initContainerStatuses") or () if one.get("name") in sidecars]
    ends = [
        parse_time(((one.get("state") or {}).get("terminated") or {}).get("finishedAt"))
        for one in [*(status(pod).get("containerStatuses") or ()), *beside]
    ]
    if ends and all(end is not None for end in ends):
        return max(end for end in ends if end is not None)
    ready = condition(conditions(pod), "Ready")
    if ready is not None and ready.get("status") == "False" and ready.get("lastTransitionTime"):
        return parse_time(ready["lastTransitionTime"]) or 0.0
    if is_deleted(pod):
        at = parse_time(str(meta(pod)["deletionTimestamp"])) or 0.0
        return at - number(meta(pod).get("deletionGracePeriodSeconds"), 0)
    return parse_time(created(pod) or None) or 0.0


class Setback(NamedTuple):
    """The failures since the last success, and when the last of them was. Source: backoffRecord."""

    failures: int = 0
    last: float | None = None

    def after(self, succeeded: Sequence[Manifest], failed: Sequence[Manifest]) -> "Setback":
        """With the pods that have ended since. Source: newBackoffRecord."""
        ends = sorted(finished_at(pod) for pod in failed)
        if not succeeded:
            return Setback(self.failures + len(ends), ends[-1]) if ends else self
        success = max(finished_at(pod) for pod in succeeded)
        later = [end for end in ends if end > success]
        return Setback(len(later), later[-1] if later else None)


def wait_until(
    count: int, last: float | None, now: float, first: float = FIRST_BACKOFF, most: float = MOST_BACKOFF
) -> float | None:
    """When the next pod may be created; None if at once. Source: getRemainingTimeForFailuresCount."""
    if count == 0 or last is None:
        return None
    until = last + min(first * 2.0 ** min(count - 1, 30), most)
    return until if until > now else None


def restarts_past_limit(job: Manifest, pods: Sequence[Manifest]) -> bool:
    """Source: pastBackoffLimitOnFailure: containers that start again in place count as well."""
    template = (spec(job).get("template") or {}).get("spec") or {}
    if template.get("restartPolicy") != "OnFailure":
        return False
    count = 0
    for pod in pods:
        if phase(pod) in ("Running", "Pending"):
            for field in ("initContainerStatuses", "containerStatuses"):
                count += sum(number(one.get("restartCount"), 0) for one in status(pod).get(field) or ())
    limit = number(spec(job).get("backoffLimit"), 6)
    return count > 0 if limit == 0 else count >= limit
