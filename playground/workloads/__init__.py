"""Workloads: owners with their revisions and Pods, rollout progress, and the last steps of controllers."""
