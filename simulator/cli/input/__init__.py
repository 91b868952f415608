"""Readers of the commands' input: scenarios, stories and traces, with their errors."""
