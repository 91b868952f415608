"""Workloads: owners, their revisions and pods, how a rollout goes, and what controllers did last."""
