"""The kubelet's part of a Pod's life: it starts, becomes ready, ends or is stopped. Source: pkg/kubelet.

Annotations of the Pod set the durations. Everything follows from the times in its status, so there is no memory.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest
from kube_controllers.hashing import fnv32a
from kube_controllers.node_lifecycle import pod_addresses
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
# Seconds to pull the image and start, to run to completion, and to stop.
START_SECONDS, _RUN_SECONDS, _STOP_SECONDS = 2.0, 30.0, 1.0
# A Node's annotation: `stopped` while its kubelet doesn't run.
KUBELET, STOPPED = PREFIX + "kubelet", "stopped"
# Exit codes of a container that a signal ends: 128 plus the signal's number.
_SIGKILL, _SIGTERM = 137, 143
CRASH_LOOP = "CrashLoopBackOff"
FIRST_BACKOFF, MOST_BACKOFF = 10.0, 300.0
_MOST_SECONDS = 366 * 24 * 3600.0


class KubeletController:
    name = "kubelet"
    kind = "Pod"
    watches = frozenset({"Node", "Pod"})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is None:
            return ()
        if kind(new) == self.kind:
            return (ReconcileRequest(key(new)),) if node_of(new) and not _is_settled(new) else ()
        if old is not None and is_silent(old) and not is_silent(new):
            return [ReconcileRequest(key(pod)) for pod in view.pods_on(name(new))]
        return ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        node = view.get("Node", node_of(obj))
        if node is None or is_silent(node):
            return Outcome()  # no running kubelet
        if is_deleted(obj):
            return _stop(obj, view)
        if is_finished(obj):
            return Outcome()
        return _start(obj, node, view) if phase(obj) == "Pending" else _run(obj, view)


def is_silent(node: Manifest) -> bool:
    """Return whether the Node's kubelet is stopped: it neither runs nor reports Pods."""
    return annotations(node).get(KUBELET) == STOPPED


def with_kubelet(node: Manifest) -> dict[str, Any]:
    """Return the Node with a running kubelet."""
    left = {key: value for key, value in annotations(node).items() if key != KUBELET}
    return with_meta(node, annotations=left or None)


def seconds_of(pod: Manifest, annotation: str, otherwise: float) -> float:
    """Return a duration from 0 to a year: `30`, `10..20` (uniform), or `~30` (exponential, 30 on average).

    Random values follow from the Pod's uid, which follows from the seed.
    """
    text = annotations(pod).get(annotation)
    if text is None:
        return otherwise
    try:
        return min(max(_draw_seconds(str(text), _random_part(pod, annotation)), 0.0), _MOST_SECONDS)
    except ValueError:
        return otherwise


def _draw_seconds(text: str, part: float) -> float:
    low, dots, high = text.partition("..")
    if dots:
        return float(low) + (float(high) - float(low)) * part
    return -math.log(1.0 - part) * float(text[1:]) if text.startswith("~") else float(text)


def _random_part(pod: Manifest, annotation: str) -> float:
    """Return a number from 0 up to 1 that depends on Pod, annotation and restart count."""
    return _hash_to_part(uid(pod), annotation, _restarts(pod))


@lru_cache(maxsize=4096)
def _hash_to_part(pod_uid: str, annotation: str, run: int) -> float:
    return fnv32a(f"{pod_uid} {annotation} {run}".encode()) / 2.0**32


def _start(pod: Manifest, node: Manifest, view: View) -> Outcome:
    bound = condition(conditions(pod), "PodScheduled") or {}
    # A Pod that was created with a Node name was never scheduled.
    since = parse_time(bound.get("lastTransitionTime")) or parse_time(meta(pod).get("creationTimestamp")) or view.now
    start = since + seconds_of(pod, START, START_SECONDS)
    if start > view.now:
        return Outcome(requeue_at=start)
    started_at = format_time(view.now)
    started = {
        **status(pod),
        **pod_addresses.pod_addresses(pod, node, view),
        "phase": "Running",
        "startTime": started_at,
    }
    running = _status_with_containers(
        with_status(pod, started), {"running": {"startedAt": started_at}}, ready=False, now=view.now
    )
    return _write_status(pod, running, view, say("Pod {pod} starts on node {node}", pod=name(pod), node=node_of(pod)))


def _restarts(pod: Manifest) -> int:
    return max(
        (number(container.get("restartCount"), 0) for container in status(pod).get("containerStatuses") or ()),
        default=0,
    )


def _container_state(pod: Manifest, state: str) -> Mapping[str, Any]:
    """Return a state of the first container, which stands for all of them."""
    statuses: Sequence[Mapping[str, Any]] = status(pod).get("containerStatuses") or ({},)
    return (statuses[0].get("state") or {}).get(state) or {}


def _run(pod: Manifest, view: View) -> Outcome:
    if _container_state(pod, "waiting").get("reason") == CRASH_LOOP:
        return _restart(pod, view)
    since = parse_time(_container_state(pod, "running").get("startedAt") or status(pod).get("startTime")) or view.now
    end = _completion_time(pod, since)
    if end is not None and end <= view.now:
        return _handle_exit(pod, view)
    if is_ready(pod):
        return Outcome(requeue_at=end)
    ready_at = since + seconds_of(pod, READY, _probe_delay(pod))
    if ready_at > view.now:
        return Outcome(requeue_at=ready_at if end is None else min(ready_at, end))
    ready = _status_with_containers(pod, {"running": {"startedAt": format_time(since)}}, ready=True, now=view.now)
    return _write_status(pod, ready, view, say("Pod {pod} is ready", pod=name(pod)))


def _is_settled(pod: Manifest) -> bool:
    """Return whether the Pod is ready and never ends, so that a reconcile would change nothing."""
    if phase(pod) != "Running" or is_deleted(pod) or not is_ready(pod):
        return False
    return _completion_time(pod, 0.0) is None and _container_state(pod, "waiting").get("reason") != CRASH_LOOP


def _completion_time(pod: Manifest, since: float) -> float | None:
    """Return the time at which the containers end by themselves; None for never."""
    if RUN not in annotations(pod) and (_restart_policy(pod) == "Always" or _runs_forever(pod)):
        return None
    return since + seconds_of(pod, RUN, _RUN_SECONDS)


def _restart_policy(pod: Manifest) -> str:
    return str(spec(pod).get("restartPolicy") or "Always")


def _runs_forever(pod: Manifest) -> bool:
    return not any(kind(owner) == "Job" for owner in meta(pod).get("ownerReferences") or ())


def _handle_exit(pod: Manifest, view: View) -> Outcome:
    code = _exit_code(pod)
    terminated = _terminated(pod, code, view.now)
    if _restart_policy(pod) == "Always" or (code and _restart_policy(pod) == "OnFailure"):
        return _back_off(pod, terminated, view)
    ended = _finished_status(pod, terminated, view.now)
    reason = (
        say("Pod {pod} fails with exit code {code}", pod=name(pod), code=code)
        if code
        else say("Pod {pod} succeeds", pod=name(pod))
    )
    return _write_status(pod, ended, view, reason)


def _exit_code(pod: Manifest) -> int:
    """Return the exit code of the current run from a list such as `1,1,0`, whose last entry repeats."""
    codes = str(annotations(pod).get(EXIT_CODE, "0")).split(",")
    try:
        return int(codes[min(_restarts(pod), len(codes) - 1)]) % 256
    except ValueError:
        return 0


def backoff_after(restarts: int) -> float:
    """Return the seconds before a restart: 0 at first, then doubling. Source: pkg/kubelet doBackOff,
    MaxContainerBackOff.
    """
    return 0.0 if restarts <= 1 else min(FIRST_BACKOFF * 2.0 ** min(restarts - 2, 10), MOST_BACKOFF)


def _back_off(pod: Manifest, ended: Mapping[str, Any], view: View) -> Outcome:
    """Set the containers to CrashLoopBackOff until they restart."""
    waiting = {"waiting": {"reason": CRASH_LOOP}}
    new_status = _status_with_containers(
        pod, waiting, ready=False, now=view.now, restarts=_restarts(pod) + 1, last={"terminated": ended}
    )
    count = _restarts({"status": new_status})
    seconds = backoff_after(count)
    reason = say(
        "Pod {pod} ends with exit code {code}: restarts in {seconds} seconds",
        pod=name(pod),
        code=int(ended["exitCode"]),
        seconds=round(seconds),
    )
    outcome = _write_status(pod, new_status, view, reason)
    outcome.requeue_at = view.now + seconds
    return outcome


def _restart(pod: Manifest, view: View) -> Outcome:
    container = status(pod)["containerStatuses"][0]
    ended = ((container.get("lastState") or {}).get("terminated")) or {}
    restart_at = (parse_time(ended.get("finishedAt")) or view.now) + backoff_after(_restarts(pod))
    if restart_at > view.now:
        return Outcome(requeue_at=restart_at)
    state = {"running": {"startedAt": format_time(view.now)}}
    running = _status_with_containers(pod, state, ready=False, now=view.now, last={"terminated": ended})
    return _write_status(pod, running, view, say("Pod {pod} restarts", pod=name(pod)))


def _probe_delay(pod: Manifest) -> float:
    """Return the longest initial delay of the readiness probes."""
    delays = [
        number((container.get("readinessProbe") or {}).get("initialDelaySeconds"), 0)
        for container in spec(pod).get("containers") or ()
    ]
    return float(max(delays, default=0))


def _stop(pod: Manifest, view: View) -> Outcome:
    """Stop a deleted Pod within its grace: first report its end, then remove it.

    Source: pkg/kubelet/kubelet.go SyncTerminatingPod, SyncTerminatedPod; pkg/kubelet/status canBeDeleted.
    """
    api = Api(view)
    grace = number(meta(pod).get("deletionGracePeriodSeconds"), 0)
    deadline = parse_time(str(meta(pod)["deletionTimestamp"])) or view.now
    seconds = seconds_of(pod, STOP, _STOP_SECONDS)
    stop_at = deadline - grace + min(seconds, float(grace))
    if stop_at > view.now and not is_finished(pod):
        return Outcome(requeue_at=stop_at)
    if phase(pod) == "Running":
        before = status(pod)["containerStatuses"][0] if _container_state(pod, "waiting") else {}
        ended = (before.get("lastState") or {}).get("terminated") or _terminated(
            pod, _killed_code(pod, is_in_time=seconds < grace), view.now
        )
        return _write_status(
            pod, _finished_status(pod, ended, view.now), view, say("Pod {pod} has stopped", pod=name(pod))
        )
    # A Pod whose containers never started has no end to report.
    api.delete(pod, grace=0)
    return Outcome(api.changes, say("Pod {pod} is removed", pod=name(pod)))


def _killed_code(pod: Manifest, *, is_in_time: bool) -> int:
    """Return the exit code of containers that get SIGTERM: 0 for servers, 143 for unfinished work."""
    if not is_in_time:
        return _SIGKILL
    return 0 if _completion_time(pod, 0.0) is None else _SIGTERM


def _terminated(pod: Manifest, code: int, now: float) -> dict[str, Any]:
    """Return the state of a container that ends now, with the time at which it started if that is known."""
    started = _container_state(pod, "running").get("startedAt")
    ended = {"exitCode": code, "reason": "Error" if code else "Completed"}
    return {**ended, **({"startedAt": started} if started else {}), "finishedAt": format_time(now)}


def _finished_status(pod: Manifest, ended: Mapping[str, Any], now: float) -> dict[str, Any]:
    """Return the status of a Pod whose containers have all ended, and don't start again."""
    over = with_status(pod, {**status(pod), "phase": "Failed" if ended.get("exitCode") else "Succeeded"})
    return _status_with_containers(over, {"terminated": ended}, ready=False, now=now)


def _status_with_containers(
    pod: Manifest,
    state: Mapping[str, Any],
    *,
    ready: bool,
    now: float,
    restarts: int | None = None,
    last: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the Pod's status with the state of its containers, and the conditions that follow from it."""
    before = {container["name"]: container for container in status(pod).get("containerStatuses") or ()}
    containers = spec(pod).get("containers") or ()
    statuses = [
        {
            "name": container["name"],
            "image": container.get("image", ""),
            "ready": ready,
            "restartCount": number((before.get(container["name"]) or {}).get("restartCount"), 0)
            if restarts is None
            else restarts,
            "state": state,
            **({} if last is None else {"lastState": last}),
        }
        for container in containers
    ]
    unready = () if ready else [str(container["name"]) for container in containers]
    reported = kubelet_conditions(conditions(pod), phase(pod), unready, now)
    return {**status(pod), "containerStatuses": statuses, "conditions": reported}


def _write_status(pod: Manifest, new: Mapping[str, Any], view: View, reason: str) -> Outcome:
    api = Api(view)
    api.update_status(pod, new)
    return Outcome(api.changes, reason)
