"""The scheduling engine: Kubernetes v1.34.1 scheduler behaviour as a pure, deterministic library."""
