"""The scheduling queue: activeQ, backoffQ and unschedulable pods, nominations, and queueing hints."""
