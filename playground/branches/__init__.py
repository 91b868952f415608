"""Branches: clusters that were forked from a cluster's history."""
