"""Explanations of the scheduler's decisions, and of nodes that it skipped.

docs/reference/explanation-json.md lists the shapes.
"""
