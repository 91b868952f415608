"""Validation of Pods and their containers, one module per part."""
