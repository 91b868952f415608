"""ReplicationController: a replica set with a simpler selector. Source: pkg/controller/replication."""
