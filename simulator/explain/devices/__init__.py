"""Devices and claims: what a node has, what of it is taken, and how the allocator searches it for a pod's claims."""
