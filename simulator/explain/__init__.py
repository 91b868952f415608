"""Explanations of the scheduler's decisions, and of nodes that it skipped. docs/explain.md lists the shapes."""
