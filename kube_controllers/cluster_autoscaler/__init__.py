"""The cluster autoscaler: it adds Nodes for unschedulable Pods and removes Nodes that are not needed.

Source: kubernetes/autoscaler, cluster-autoscaler.
"""
