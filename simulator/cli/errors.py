"""Exit statuses of the commands, and the error for invalid input."""

from collections.abc import Iterable

OK, FAILED, BAD_INPUT, DEFECT = 0, 1, 2, 3


class InputError(Exception):
    """Error for invalid input; `lines` has one problem each, with file, place and rule."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        super().__init__("\n".join(self.lines))
