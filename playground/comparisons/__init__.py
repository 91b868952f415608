"""Comparisons of several profiles on the same pending Pods."""
