"""How an allocation ends without devices."""


class AllocationError(Exception):
    """The attempt ends; the text is upstream's."""


class NodeAllocationError(Exception):
    """This node cannot do it, whatever was asked for; the text is upstream's."""
