"""Validation of the other API groups, one module per subject."""
