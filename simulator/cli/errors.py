"""The exit status of the commands, and the error for input that they cannot use."""

from collections.abc import Iterable

OK, FAILED, BAD_INPUT, DEFECT = 0, 1, 2, 3


class InputError(Exception):
    """The input cannot be used; `lines` say why, one problem each, with file, place and rule."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        super().__init__("\n".join(self.lines))
