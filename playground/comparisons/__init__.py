"""Comparisons: several profiles over the same pending pods."""
