"""The ReplicaSet controller, which creates and deletes Pods. Source: pkg/controller/replicaset."""
