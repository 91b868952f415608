"""The ReplicationController controller, which reuses that of ReplicaSets. Source: pkg/controller/replication."""
