"""VolumeBinding: find volumes for the pod's PVCs on each node, and bind them."""
