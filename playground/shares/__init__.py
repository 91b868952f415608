"""Shared moments, and the gallery of those that ship."""
