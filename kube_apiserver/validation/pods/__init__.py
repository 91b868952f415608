"""Pods and their containers, by the part of them that is checked."""
