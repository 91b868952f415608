"""A stand-in for the package of this name, which offers a cluster of the playground instead of a kind cluster."""
