"""The scheduler's cache: nodes, pods on nodes, assumed pods and their expiry, and the columnar NodeTable."""
