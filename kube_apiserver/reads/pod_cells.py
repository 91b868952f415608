"""The cells of a Pod: ready containers, status, restarts. Source: printPod."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]


def pod(value: Object, since: Callable[[Any], str]) -> dict[str, Any]:
    """Return the cells of a Pod. `since` returns the age of a time stamp."""
    spec, status, metadata = (value.get(name) or {} for name in ("spec", "status", "metadata"))
    states = status.get("containerStatuses") or ()
    sidecars = {each.get("name") for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"}
    inits = status.get("initContainerStatuses") or ()
    beside = [each for each in inits if each.get("name") in sidecars]
    total = len(spec.get("containers") or ()) + len(sidecars)
    ready = sum(bool(each.get("ready")) for each in beside)
    reason = status.get("reason") or status.get("phase", "")
    scheduled = _condition(status, "PodScheduled")
    if scheduled.get("reason") == "SchedulingGated":
        reason = "SchedulingGated"
    initializing = _initializing(inits, sidecars, len(spec.get("initContainers") or ()))
    restarted = [*inits]
    if initializing and _condition(status, "Initialized").get("status") != "True":
        reason = initializing
    else:
        restarted = [*beside, *states]
        reason, running = _running(states, reason)
        ready += running
    deleted = metadata.get("deletionTimestamp")
    if deleted and status.get("reason") == "NodeLost":
        reason = "Unknown"
    elif deleted and status.get("phase") not in ("Succeeded", "Failed"):
        reason = "Terminating"
    gates = spec.get("readinessGates") or ()
    passed = sum(_condition(status, each.get("conditionType")).get("status") == "True" for each in gates)
    addresses = status.get("podIPs") or ()
    return {
        "Ready": f"{ready}/{total}",
        "Status": reason,
        "Restarts": _restarts(restarted, since),
        "IP": (addresses[0].get("ip") if addresses else status.get("podIP")) or "<none>",
        "Node": spec.get("nodeName") or "<none>",
        "Nominated Node": status.get("nominatedNodeName") or "<none>",
        "Readiness Gates": f"{passed}/{len(gates)}" if gates else "<none>",
    }


def _condition(status: Object, kind: Any) -> Object:
    return next((each for each in status.get("conditions") or () if each.get("type") == kind), {})


def _ended(state: Object, prefix: str) -> str:
    if state.get("reason"):
        return f"{prefix}{state['reason']}"
    if state.get("signal"):
        return f"{prefix}Signal:{state['signal']}"
    return f"{prefix}ExitCode:{state.get('exitCode', 0)}"


def _initializing(inits: Sequence[Object], sidecars: set[Any], total: int) -> str:
    """Return the status of the first init container that hasn't completed, or ""."""
    for number, container in enumerate(inits):
        state = container.get("state") or {}
        ended, waits = state.get("terminated"), state.get("waiting") or {}
        if ended is not None and not ended.get("exitCode"):
            continue
        if container.get("name") in sidecars and container.get("started"):
            continue
        if ended is not None:
            return _ended(ended, "Init:")
        if waits.get("reason") and waits["reason"] != "PodInitializing":
            return f"Init:{waits['reason']}"
        return f"Init:{number}/{total}"
    return ""


def _running(states: Sequence[Object], reason: str) -> tuple[str, int]:
    """Return the status that the containers give the Pod, and the number of ready ones. The first container wins."""
    ready, runs = 0, False
    for container in reversed(states):
        state = container.get("state") or {}
        ended, waits = state.get("terminated"), state.get("waiting") or {}
        if waits.get("reason"):
            reason = waits["reason"]
        elif ended is not None:
            reason = _ended(ended, "")
        elif container.get("ready") and state.get("running") is not None:
            runs = True
            ready += 1
    if reason == "Completed" and runs:
        reason = (
            "Running"
            if all((container.get("ready") or (container.get("state") or {}).get("terminated")) for container in states)
            else "NotReady"
        )
    return reason, ready


def _restarts(states: Sequence[Object], since: Callable[[Any], str]) -> str:
    count = sum(int(each.get("restartCount") or 0) for each in states)
    ends = [((each.get("lastState") or {}).get("terminated") or {}).get("finishedAt") for each in states]
    last = max(filter(None, ends), default=None)
    return f"{count} ({since(last)} ago)" if count and last else str(count)
