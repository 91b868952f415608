"""Dynamic resource allocation: which devices a node could give to the claims of a pod."""
