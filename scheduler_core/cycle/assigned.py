"""The `Scheduled` Event, which kube-scheduler records for each Pod that it binds."""

TYPE, REASON = "Normal", "Scheduled"


def assigned(pod: str, node: str) -> str:
    """Return the Event's message. `pod` is `namespace/name`. Source: pkg/scheduler/schedule_one.go, `bind`."""
    return f"Successfully assigned {pod} to {node}"


def assigned_event(pod: str, node: str) -> dict[str, str]:
    """Return the Event as it stands in a record of the simulation."""
    return {"type": TYPE, "reason": REASON, "kind": "Pod", "object": pod, "message": assigned(pod, node)}
