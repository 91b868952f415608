"""Writes: decode, patch, default, admit, validate, delete and evict objects."""
