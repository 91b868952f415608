"""Disruptions: what budgets allow, and what was announced and never came. Source: pkg/controller/disruption."""
