"""Preemption: dry runs, candidates, victims."""
