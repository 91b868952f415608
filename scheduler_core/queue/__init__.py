"""The scheduling queue: active, backoff and unschedulable pods, nominations, hints."""
