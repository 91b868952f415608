"""Workloads: the apps group."""
