"""Pure functions of a Kubernetes API server, without Django, a clock or I/O.

`playground/kubernetes/` stores objects, authenticates callers and serves HTTP.
"""
