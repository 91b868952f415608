"""Dynamic resource allocation (DRA): the devices that a node can give to a pod's ResourceClaims."""
