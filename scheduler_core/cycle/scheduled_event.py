"""The `Scheduled` Event, which kube-scheduler records for each Pod that it binds."""

EVENT_TYPE, EVENT_REASON = "Normal", "Scheduled"


def scheduled_message(pod: str, node: str) -> str:
    """Return the Event's message. `pod` is `namespace/name`. Source: pkg/scheduler/schedule_one.go, `bind`."""
    return f"Successfully assigned {pod} to {node}"


def scheduled_event(pod: str, node: str) -> dict[str, str]:
    """Return the Event as it stands in a record of the simulation."""
    return {
        "type": EVENT_TYPE,
        "reason": EVENT_REASON,
        "kind": "Pod",
        "object": pod,
        "message": scheduled_message(pod, node),
    }
