"""PodTopologySpread: pods of a kind are spread evenly over zones, nodes, or whatever a label divides the nodes into."""
