"""How large a configuration may be. kube-scheduler reads a trusted file; here the text comes from anybody."""

MAX_BYTES = 1 << 20
MAX_DEPTH = 100
MAX_VALUES = 100_000


class LimitError(ValueError):
    """A text beyond the limits; the message says which."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line
