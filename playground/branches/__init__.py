"""Branches: other courses that a cluster's history takes."""
