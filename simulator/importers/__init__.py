"""Other ways to bring a cluster in than Kubernetes manifests."""
