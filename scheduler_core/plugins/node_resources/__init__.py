"""The plugins that compare a pod's requests with the free resources of nodes."""
