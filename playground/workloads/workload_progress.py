"""A workload's progress, and the reason if it is stuck, as sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kube_controllers.deployment import util
from kube_controllers.pods import is_active, is_finished, is_ready, node_of
from kube_objects.manifests import Manifest, condition, conditions, kind, number, spec, status
from kube_objects.sentences import say

Revision = tuple[str, bool, list[Manifest]]
State = Literal["complete", "rolling", "stuck", "idle"]


@dataclass(slots=True, frozen=True)
class Standing:
    state: State
    says: str
    why: str | None = None


def describe_progress(
    owner: Manifest, pods: Sequence[Manifest], revisions: Sequence[Revision], lives: bool
) -> Standing:
    """Return the workload's progress; `lives` says whether controllers run."""
    if not lives:
        return Standing("idle", say("no controller creates its Pods"))
    match kind(owner):
        case "Job":
            return _job(owner, pods)
        case "CronJob":
            active = len(status(owner).get("active") or ())
            return Standing("complete", say("active Jobs: {n}", n=active))
        case "Deployment":
            return _deployment(owner, pods, revisions)
    return _replicated(owner, pods)


def _job(job: Manifest, pods: Sequence[Manifest]) -> Standing:
    done, wanted = number(status(job).get("succeeded"), 0), number(spec(job).get("completions"), 1)
    says = say("{done} of {all} done", done=done, all=wanted)
    ended = {str(one["type"]) for one in conditions(job) if one["status"] == "True"}
    if "Complete" in ended:
        return Standing("complete", says)
    if "Failed" in ended:
        failed = condition(conditions(job), "Failed") or {}
        return Standing("stuck", say("failed"), str(failed.get("message", "")))
    return _with_pending("rolling", says, pods)


def _desired_replicas(owner: Manifest) -> int:
    if kind(owner) == "DaemonSet":
        return number(status(owner).get("desiredNumberScheduled"), 0)
    return number(spec(owner).get("replicas"), 1)


def _replicated(owner: Manifest, pods: Sequence[Manifest]) -> Standing:
    wanted, ready = _desired_replicas(owner), sum(is_ready(pod) for pod in pods)
    says = say("{ready} of {all} ready", ready=ready, all=wanted)
    return Standing("complete", says) if ready == wanted == len(pods) else _with_pending("rolling", says, pods)


def _deployment(deployment: Manifest, pods: Sequence[Manifest], revisions: Sequence[Revision]) -> Standing:
    has, wanted = status(deployment), util.replicas(deployment)
    ready = sum(is_ready(pod) for pod in pods)
    says = say("{ready} of {all} ready", ready=ready, all=wanted)
    if util.is_complete(deployment, has):
        return Standing("complete", says)
    new = [pod for _, current, own in revisions if current for pod in own]
    old = [pod for _, current, own in revisions if not current for pod in own if is_active(pod)]
    if old:
        says = say("{new} of {all} new, {ready} ready", new=len(new), all=wanted, ready=ready)
    waiting = _pending(new)
    if not waiting:
        return _with_pending("rolling", says, pods)
    least, most = util.min_available(deployment), wanted + util.max_surge(deployment)
    if old and ready <= least:
        why = say(
            "New Pods without a node: {n}. No old Pod can be deleted: {ready} are ready, and "
            "maxUnavailable requires {least}. maxSurge allows {most} Pods in total. {message}",
            n=len(waiting),
            ready=ready,
            least=least,
            most=most,
            message=_message(waiting[0]),
        )
        return Standing("stuck", says, why)
    return _with_pending("rolling", says, pods)


def _pending(pods: Sequence[Manifest]) -> list[Manifest]:
    """Return the active Pods that the scheduler could not place."""
    unassigned = [pod for pod in pods if is_active(pod) and not is_finished(pod) and not node_of(pod)]
    return [pod for pod in unassigned if _message(pod)]


def _message(pod: Manifest) -> str:
    scheduled = condition(conditions(pod), "PodScheduled") or {}
    return str(scheduled.get("message", "")) if scheduled.get("status") == "False" else ""


def _with_pending(state: State, says: str, pods: Sequence[Manifest]) -> Standing:
    waiting = _pending(pods)
    if not waiting:
        return Standing(state, says)
    why = say("Pods without a node: {n}. {message}", n=len(waiting), message=_message(waiting[0]))
    return Standing("stuck", says, why)
