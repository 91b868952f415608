"""Capacity: how many copies of a Pod fit, which Nodes to add or to drain, and the effects of failures."""
