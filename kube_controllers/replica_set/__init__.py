"""ReplicaSet: as many pods as it says. Source: pkg/controller/replicaset."""
