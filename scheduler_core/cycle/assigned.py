"""The Event of a pod that was bound: nothing else is said as often, and whoever knows pod and node knows all of it."""

TYPE, REASON = "Normal", "Scheduled"


def assigned(pod: str, node: str) -> str:
    """Its message. `pod` is a key. Source: pkg/scheduler/schedule_one.go, `bind`."""
    return f"Successfully assigned {pod} to {node}"


def assigned_event(pod: str, node: str) -> dict[str, str]:
    """All of it, as a record tells it."""
    return {"type": TYPE, "reason": REASON, "kind": "Pod", "object": pod, "message": assigned(pod, node)}
