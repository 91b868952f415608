"""Clusters: made, commanded, undone, deleted."""
