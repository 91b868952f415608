"""Sequences recorded from a real controller manager. docs/reference/controllers.md describes the format."""
