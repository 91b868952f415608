"""Cluster autoscaler: nodes that come when pods find none, and go when they are not needed.

Source: kubernetes/autoscaler, cluster-autoscaler.
"""
