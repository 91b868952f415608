"""The playground on one machine with one command: `python -m playground` starts broker, workers and web.

Only the start is special here. What it starts is what a distributed deployment runs: the same Celery app, the same ASGI
application, a Redis-compatible server between them.
"""
