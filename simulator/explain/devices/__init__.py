"""Devices and claims: a node's devices, their use, and the allocator's search for a pod's claims."""
