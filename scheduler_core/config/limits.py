"""How large a configuration may be. kube-scheduler reads a trusted file; here the text comes from anybody."""

MAX_BYTES = 1 << 18
MAX_DEPTH = 100
MAX_VALUES = 20_000
# A profile takes some milliseconds to build, and each of these lists is gone through for every pod or node.
MAX_PROFILES = 100
MAX_EXTENDERS = 50
MAX_ITEMS = 1_000


class LimitError(ValueError):
    """A text beyond the limits; the message says which."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line
