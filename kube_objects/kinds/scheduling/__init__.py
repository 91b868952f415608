"""scheduling.k8s.io."""
