"""How an allocation ends without devices."""


class AllocationError(Exception):
    """The attempt ends; the text is upstream's."""


class NodeAllocationError(Exception):
    """This node cannot do it, whatever was asked for; the text is upstream's."""


class SelectorError(Exception):
    """The expression cannot be compiled, or fails for a device; the text is upstream's where the library's is."""
