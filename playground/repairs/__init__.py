"""Repairs: the smallest changes that let pending Pods be scheduled."""
