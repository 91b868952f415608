"""The pod failure policy of a Job, and the backoff after failures.

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


class PolicyMatch(NamedTuple):
    """The result of a pod failure policy.

    `message` is set if the Job fails; `counts` means that the failure counts against the backoff limit.
    """

    message: str | None
    counts: bool
    action: str | None


def match_policy(policy: Mapping[str, Any] | None, pod: Manifest) -> PolicyMatch:
    """Return the result of the first rule that matches. Source: matchPodFailurePolicy."""
    for index, rule in enumerate((policy or {}).get("rules") or ()):
        message = ""
        if rule.get("onExitCodes") is not None:
            message = _match_exit_code(rule, index, pod)
        elif rule.get("onPodConditions"):
            message = _match_condition(rule, index, pod)
        action = str(rule["action"])
        if not message or action not in _ACTIONS:
            continue
        match action:
            case "Ignore":
                return PolicyMatch(None, False, action)
            case "FailJob":
                return PolicyMatch(message, True, action)
            case _:
                return PolicyMatch(None, True, action)
    return PolicyMatch(None, True, None)


def _match_exit_code(rule: Mapping[str, Any], index: int, pod: Manifest) -> str:
    wanted = rule["onExitCodes"]
    for container in [*(status(pod).get("containerStatuses") or ()), *(status(pod).get("initContainerStatuses") or ())]:
        ended = (container.get("state") or {}).get("terminated")
        if ended is None or wanted.get("containerName") not in (None, "", container.get("name")):
            continue
        code, values = number(ended.get("exitCode"), 0), wanted.get("values") or ()
        is_meant = {"In": code in values, "NotIn": code not in values}.get(str(wanted["operator"]), False)
        if code and is_meant:
            return (
                f"Container {container.get('name', '')} for pod {namespace(pod)}/{name(pod)} "
                f"failed with exit code {code} matching {rule['action']} rule at index {index}"
            )
    return ""


def _match_condition(rule: Mapping[str, Any], index: int, pod: Manifest) -> str:
    for listed in conditions(pod):
        for wanted in rule["onPodConditions"]:
            if (listed["type"], listed.get("status")) == (wanted["type"], wanted.get("status") or "True"):
                return (
                    f"Pod {namespace(pod)}/{name(pod)} has condition {listed['type']} "
                    f"matching {rule['action']} rule at index {index}"
                )
    return ""


def finished_at(pod: Manifest) -> float:
    """Return the time at which the Pod finished. Source: getFinishedTime."""
    sidecars = {
        container["name"]
        for container in spec(pod).get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    }
    of_sidecars = [
        container for container in status(pod).get("initContainerStatuses") or () if container.get("name") in sidecars
    ]
    ends = [
        parse_time(((container.get("state") or {}).get("terminated") or {}).get("finishedAt"))
        for container in [*(status(pod).get("containerStatuses") or ()), *of_sidecars]
    ]
    if ends and all(end is not None for end in ends):
        return max(end for end in ends if end is not None)
    ready = condition(conditions(pod), "Ready")
    if ready is not None and ready.get("status") == "False" and ready.get("lastTransitionTime"):
        return parse_time(ready["lastTransitionTime"]) or 0.0
    if is_deleted(pod):
        deadline = parse_time(str(meta(pod)["deletionTimestamp"])) or 0.0
        return deadline - number(meta(pod).get("deletionGracePeriodSeconds"), 0)
    return parse_time(created(pod) or None) or 0.0


class FailureBackoff(NamedTuple):
    """The number of failures since the last success, and the time of the last one. Source: backoffRecord."""

    failures: int = 0
    last: float | None = None

    def after(self, succeeded: Sequence[Manifest], failed: Sequence[Manifest]) -> "FailureBackoff":
        """Return the backoff with the Pods that have finished since. Source: newBackoffRecord."""
        ends = sorted(finished_at(pod) for pod in failed)
        if not succeeded:
            return FailureBackoff(self.failures + len(ends), ends[-1]) if ends else self
        success = max(finished_at(pod) for pod in succeeded)
        later = [end for end in ends if end > success]
        return FailureBackoff(len(later), later[-1] if later else None)


def wait_until(
    count: int, last: float | None, now: float, first: float = FIRST_BACKOFF, most: float = MOST_BACKOFF
) -> float | None:
    """Return the time at which the next Pod may be created; None for now. Source: getRemainingTimeForFailuresCount."""
    if count == 0 or last is None:
        return None
    until = last + min(first * 2.0 ** min(count - 1, 30), most)
    return until if until > now else None


def restarts_past_limit(job: Manifest, pods: Sequence[Manifest]) -> bool:
    """Return whether container restarts exceed the backoff limit. Source: pastBackoffLimitOnFailure."""
    template = (spec(job).get("template") or {}).get("spec") or {}
    if template.get("restartPolicy") != "OnFailure":
        return False
    count = 0
    for pod in pods:
        if phase(pod) in ("Running", "Pending"):
            for field in ("initContainerStatuses", "containerStatuses"):
                count += sum(number(container.get("restartCount"), 0) for container in status(pod).get(field) or ())
    limit = number(spec(job).get("backoffLimit"), 6)
    return count > 0 if limit == 0 else count >= limit
