"""Kubernetes objects that the scheduler reads: typed, parsed and validated by path."""
