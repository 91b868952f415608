"""Shared moments: links to a cluster at a point in time; and the gallery of those that ship."""
