"""Sequences recorded from a real controller manager. tests/core/controllers/sequences/README.md describes it."""
