"""Kubelets: a bound pod starts, becomes ready, ends or is stopped, each at its time. Source: pkg/kubelet.

How long things take is said by annotations of the pod; everything is worked out from the times in its status, so that
nothing has to be remembered.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, Wake
from kube_controllers.hashing import fnv32a
from kube_controllers.node_lifecycle import addresses
from kube_controllers.objects import View
from kube_controllers.pods import is_finished, is_ready, node_of, phase
from kube_controllers.statuses import kubelet_conditions
from kube_objects.manifests import (
    Manifest,
    annotations,
    condition,
    conditions,
    format_time,
    is_deleted,
    key,
    kind,
    meta,
    name,
    number,
    parse_time,
    spec,
    status,
    uid,
    with_meta,
    with_status,
)
from kube_objects.sentences import say

PREFIX = "playground.kube-scheduler/"
START, READY, RUN, EXIT_CODE, STOP = (
    PREFIX + word for word in ("start-seconds", "ready-seconds", "run-seconds", "exit-code", "stop-seconds")
)
# Pulling the image and starting; the work of a pod that is to end; ending when told to.
START_SECONDS, _RUN_SECONDS, _STOP_SECONDS = 2.0, 30.0, 1.0
# Of a node: `stopped` while its kubelet says nothing and does nothing.
KUBELET, STOPPED = PREFIX + "kubelet", "stopped"
# Exit codes of a container that a signal ends: 128 and the signal's number.
_SIGKILL, _SIGTERM = 137, 143
CRASH_LOOP = "CrashLoopBackOff"
FIRST_BACKOFF, MOST_BACKOFF = 10.0, 300.0
_MOST_SECONDS = 366 * 24 * 3600.0


class KubeletActor:
    name = "kubelet"
    kind = "Pod"
    watches = frozenset({"Node", "Pod"})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is None:
            return ()
        if kind(new) == self.kind:
            return (Wake(key(new)),) if node_of(new) and not _runs_on(new) else ()
        if old is not None and is_silent(old) and not is_silent(new):
            return [Wake(key(pod)) for pod in view.pods_on(name(new))]
        return ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        node = view.get("Node", node_of(obj))
        if node is None or is_silent(node):
            return Outcome()  # no kubelet is there to do anything
        if is_deleted(obj):
            return _stop(obj, view)
        if is_finished(obj):
            return Outcome()
        return _start(obj, node, view) if phase(obj) == "Pending" else _run(obj, view)


def is_silent(node: Manifest) -> bool:
    """Whether its kubelet has stopped: the pods are left to themselves, and nobody hears of them."""
    return annotations(node).get(KUBELET) == STOPPED


def with_kubelet(node: Manifest) -> dict[str, Any]:
    """The node with a kubelet that works."""
    left = {key: value for key, value in annotations(node).items() if key != KUBELET}
    return with_meta(node, annotations=left or None)


def seconds_of(pod: Manifest, annotation: str, otherwise: float) -> float:
    """Never negative, and never beyond a year: `30`; `10..20`, each as likely; `~30`, 30 on average (exponential).

    What is drawn follows from the pod's uid, and that from the seed: nothing has to be remembered.
    """
    text = annotations(pod).get(annotation)
    if text is None:
        return otherwise
    try:
        return min(max(_drawn(str(text), _part(pod, annotation)), 0.0), _MOST_SECONDS)
    except ValueError:
        return otherwise


def _drawn(text: str, part: float) -> float:
    low, dots, high = text.partition("..")
    if dots:
        return float(low) + (float(high) - float(low)) * part
    return -math.log(1.0 - part) * float(text[1:]) if text.startswith("~") else float(text)


def _part(pod: Manifest, annotation: str) -> float:
    """Of the pod and the annotation, from 0 up to 1; another one for each run of its containers."""
    return _drawn_part(uid(pod), annotation, _restarts(pod))


@lru_cache(maxsize=4096)
def _drawn_part(pod_uid: str, annotation: str, run: int) -> float:
    return fnv32a(f"{pod_uid} {annotation} {run}".encode()) / 2.0**32


def _start(pod: Manifest, node: Manifest, view: View) -> Outcome:
    bound = condition(conditions(pod), "PodScheduled") or {}
    # Who is made with a node was never scheduled.
    since = parse_time(bound.get("lastTransitionTime")) or parse_time(meta(pod).get("creationTimestamp")) or view.now
    at = since + seconds_of(pod, START, START_SECONDS)
    if at > view.now:
        return Outcome(wake_at=at)
    moment = format_time(view.now)
    started = {**status(pod), **addresses.of(pod, node, view), "phase": "Running", "startTime": moment}
    running = _with_containers(with_status(pod, started), {"running": {"startedAt": moment}}, ready=False, now=view.now)
    return _written(pod, running, view, say("Pod {pod} starts on node {node}", pod=name(pod), node=node_of(pod)))


def _restarts(pod: Manifest) -> int:
    return max((number(one.get("restartCount"), 0) for one in status(pod).get("containerStatuses") or ()), default=0)


def _state(pod: Manifest, of: str) -> Mapping[str, Any]:
    """Of its first container, which stands for all of them."""
    found: Sequence[Mapping[str, Any]] = status(pod).get("containerStatuses") or ({},)
    return (found[0].get("state") or {}).get(of) or {}


def _run(pod: Manifest, view: View) -> Outcome:
    if _state(pod, "waiting").get("reason") == CRASH_LOOP:
        return _start_again(pod, view)
    since = parse_time(_state(pod, "running").get("startedAt") or status(pod).get("startTime")) or view.now
    end = _end_of(pod, since)
    if end is not None and end <= view.now:
        return _ended(pod, view)
    if is_ready(pod):
        return Outcome(wake_at=end)
    at = since + seconds_of(pod, READY, _probe_delay(pod))
    if at > view.now:
        return Outcome(wake_at=at if end is None else min(at, end))
    ready = _with_containers(pod, {"running": {"startedAt": format_time(since)}}, ready=True, now=view.now)
    return _written(pod, ready, view, say("Pod {pod} is ready", pod=name(pod)))


def _runs_on(pod: Manifest) -> bool:
    """Whether it is ready and has no end: a look at it would come to nothing."""
    if phase(pod) != "Running" or is_deleted(pod) or not is_ready(pod):
        return False
    return _end_of(pod, 0.0) is None and _state(pod, "waiting").get("reason") != CRASH_LOOP


def _end_of(pod: Manifest, since: float) -> float | None:
    """When its containers end by themselves; None if they are to run for ever."""
    if RUN not in annotations(pod) and (_policy(pod) == "Always" or _has_no_end(pod)):
        return None
    return since + seconds_of(pod, RUN, _RUN_SECONDS)


def _policy(pod: Manifest) -> str:
    return str(spec(pod).get("restartPolicy") or "Always")


def _has_no_end(pod: Manifest) -> bool:
    return not any(kind(owner) == "Job" for owner in meta(pod).get("ownerReferences") or ())


def _ended(pod: Manifest, view: View) -> Outcome:
    code = _exit_code(pod)
    found = _terminated(pod, code, view.now)
    if _policy(pod) == "Always" or (code and _policy(pod) == "OnFailure"):
        return _crashed(pod, found, view)
    ended = _finished(pod, found, view.now)
    reason = (
        say("Pod {pod} fails with exit code {code}", pod=name(pod), code=code)
        if code
        else say("Pod {pod} has done its work", pod=name(pod))
    )
    return _written(pod, ended, view, reason)


def _exit_code(pod: Manifest) -> int:
    """`1,1,0`: that of each run of its containers, the last one of all further ones."""
    codes = str(annotations(pod).get(EXIT_CODE, "0")).split(",")
    try:
        return int(codes[min(_restarts(pod), len(codes) - 1)]) % 256
    except ValueError:
        return 0


def backoff_after(restarts: int) -> float:
    """The first time at once, then longer and longer. Source: pkg/kubelet doBackOff, MaxContainerBackOff."""
    return 0.0 if restarts <= 1 else min(FIRST_BACKOFF * 2.0 ** min(restarts - 2, 10), MOST_BACKOFF)


def _crashed(pod: Manifest, ended: Mapping[str, Any], view: View) -> Outcome:
    """Its containers are to start again, after a while."""
    waiting = {"waiting": {"reason": CRASH_LOOP}}
    again = _with_containers(
        pod, waiting, ready=False, now=view.now, restarts=_restarts(pod) + 1, last={"terminated": ended}
    )
    count = _restarts({"status": again})
    seconds = backoff_after(count)
    reason = say(
        "Pod {pod} ends with exit code {code}: it starts again in {seconds} seconds",
        pod=name(pod),
        code=int(ended["exitCode"]),
        seconds=round(seconds),
    )
    outcome = _written(pod, again, view, reason)
    outcome.wake_at = view.now + seconds
    return outcome


def _start_again(pod: Manifest, view: View) -> Outcome:
    found = status(pod)["containerStatuses"][0]
    ended = ((found.get("lastState") or {}).get("terminated")) or {}
    at = (parse_time(ended.get("finishedAt")) or view.now) + backoff_after(_restarts(pod))
    if at > view.now:
        return Outcome(wake_at=at)
    state = {"running": {"startedAt": format_time(view.now)}}
    running = _with_containers(pod, state, ready=False, now=view.now, last={"terminated": ended})
    return _written(pod, running, view, say("Pod {pod} starts again", pod=name(pod)))


def _probe_delay(pod: Manifest) -> float:
    """The longest first delay of its readiness probes."""
    delays = [
        number((one.get("readinessProbe") or {}).get("initialDelaySeconds"), 0)
        for one in spec(pod).get("containers") or ()
    ]
    return float(max(delays, default=0))


def _stop(pod: Manifest, view: View) -> Outcome:
    """End a deleted Pod within its grace: first report its end, then let it go.

    Source: pkg/kubelet/kubelet.go SyncTerminatingPod, SyncTerminatedPod; pkg/kubelet/status canBeDeleted.
    """
    api = Api(view)
    grace = number(meta(pod).get("deletionGracePeriodSeconds"), 0)
    last = parse_time(str(meta(pod)["deletionTimestamp"])) or view.now
    seconds = seconds_of(pod, STOP, _STOP_SECONDS)
    at = last - grace + min(seconds, float(grace))
    if at > view.now and not is_finished(pod):
        return Outcome(wake_at=at)
    if phase(pod) == "Running":
        before = status(pod)["containerStatuses"][0] if _state(pod, "waiting") else {}
        ended = (before.get("lastState") or {}).get("terminated") or _terminated(
            pod, _killed_code(pod, is_in_time=seconds < grace), view.now
        )
        return _written(pod, _finished(pod, ended, view.now), view, say("Pod {pod} has stopped", pod=name(pod)))
    # A Pod whose containers never started has no end to report.
    api.delete(pod, grace=0)
    return Outcome(api.changes, say("Pod {pod} is removed", pod=name(pod)))


def _killed_code(pod: Manifest, *, is_in_time: bool) -> int:
    """Return the exit code of containers that get SIGTERM: 0 for servers, 143 for unfinished work."""
    if not is_in_time:
        return _SIGKILL
    return 0 if _end_of(pod, 0.0) is None else _SIGTERM


def _terminated(pod: Manifest, code: int, now: float) -> dict[str, Any]:
    """Return the state of a container that ends now, with the time at which it started if that is known."""
    started = _state(pod, "running").get("startedAt")
    ended = {"exitCode": code, "reason": "Error" if code else "Completed"}
    return {**ended, **({"startedAt": started} if started else {}), "finishedAt": format_time(now)}


def _finished(pod: Manifest, ended: Mapping[str, Any], now: float) -> dict[str, Any]:
    """Return the status of a Pod whose containers have all ended, and don't start again."""
    over = with_status(pod, {**status(pod), "phase": "Failed" if ended.get("exitCode") else "Succeeded"})
    return _with_containers(over, {"terminated": ended}, ready=False, now=now)


def _with_containers(
    pod: Manifest,
    state: Mapping[str, Any],
    *,
    ready: bool,
    now: float,
    restarts: int | None = None,
    last: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the Pod's status with the state of its containers, and the conditions that follow from it."""
    before = {one["name"]: one for one in status(pod).get("containerStatuses") or ()}
    containers = spec(pod).get("containers") or ()
    found = [
        {
            "name": one["name"],
            "image": one.get("image", ""),
            "ready": ready,
            "restartCount": number((before.get(one["name"]) or {}).get("restartCount"), 0)
            if restarts is None
            else restarts,
            "state": state,
            **({} if last is None else {"lastState": last}),
        }
        for one in containers
    ]
    unready = () if ready else [str(one["name"]) for one in containers]
    reported = kubelet_conditions(conditions(pod), phase(pod), unready, now)
    return {**status(pod), "containerStatuses": found, "conditions": reported}


def _written(pod: Manifest, new: Mapping[str, Any], view: View, reason: str) -> Outcome:
    api = Api(view)
    api.update_status(pod, new)
    return Outcome(api.changes, reason)
