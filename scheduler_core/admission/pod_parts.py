"""Where a pod's spec has its containers."""

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
"""In the order in which a pod starts them."""
