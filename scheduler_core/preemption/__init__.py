"""Preemption: eligibility, dry runs, candidates, and victims."""
