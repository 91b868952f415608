"""Sequences recorded from a real controller manager. tests/core/actors/sequences/README.md describes it."""
