"""PodTopologySpread: spread pods evenly over the domains of a topology key, such as zones or nodes."""
