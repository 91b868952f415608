"""Sequences recorded from a real controller manager, played with the actors. The format: docs/workloads.md."""
