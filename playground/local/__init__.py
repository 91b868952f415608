"""The supervisor behind `python -m playground`: it starts broker, workers and web server on one machine.

A distributed deployment runs the same Celery app, the same ASGI application and a Redis-compatible server. Only the
start differs.
"""
