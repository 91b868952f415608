"""When the virtual time of every cluster begins."""

EPOCH_SECONDS = 1748736000.0
"""Virtual time 0 in manifests, 2025-06-01T00:00:00Z, in seconds since 1970."""
