"""The scheduler's view of the cluster: assumed pods and their expiry, and the columnar NodeTable."""
