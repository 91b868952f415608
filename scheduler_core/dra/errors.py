"""Errors of an allocation."""


class AllocationError(Exception):
    """Raised if the attempt ends; the message is upstream's."""


class NodeAllocationError(Exception):
    """Raised if this node can't satisfy any claim; the message is upstream's."""
