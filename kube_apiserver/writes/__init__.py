"""What a write makes of an object: read by its type, patched, prepared, checked, deleted, evicted."""
