"""Disruptions: PodDisruptionBudgets and stale disruption conditions. Source: pkg/controller/disruption."""
