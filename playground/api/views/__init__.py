"""The views, by subject."""
