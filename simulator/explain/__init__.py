"""Explanations: why the scheduler decided as it did, and what it did not look at. docs/explain.md lists the shapes."""
