"""Clusters: creation, commands, undo, reset and deletion."""
