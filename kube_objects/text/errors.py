"""Errors of texts that can't be read."""

from kube_objects.sentences import say


class TextError(ValueError):
    """A text that cannot be read. `rule` is our sentence, `str()` is upstream's where that differs.

    `line` counts from 1; None if it is unknown.
    """

    def __init__(self, rule: str, line: int | None = None, upstream: str = "") -> None:
        super().__init__(upstream or rule)
        self.rule = rule
        self.line = line


class LimitError(TextError):
    """A text beyond the limits; the rule says which."""


class YAMLError(TextError):
    """A text that is invalid YAML, or YAML that can't be converted to JSON."""


class JSONError(TextError):
    """No JSON. `at_end`: the text ends too early; `number`: the one that is wrong, if only that is known.

    `start` is where the value begins that cannot be read, None if that is not known; `documents` precede it.
    """

    def __init__(
        self,
        rule: str,
        line: int | None = None,
        *,
        number: str = "",
        at_end: bool = False,
        start: int | None = None,
        documents: int = 0,
    ) -> None:
        super().__init__(rule, line)
        self.number = number
        self.at_end = at_end
        self.start = start
        self.documents = documents


class SelectorError(Exception):
    """The expression cannot be compiled, or fails for a device; the text is upstream's where the library's is."""


def too_deep(depth: int, line: int | None = None) -> LimitError:
    return LimitError(say("nested more than {n} levels deep", n=depth), line)


def too_many(values: int, line: int | None = None) -> LimitError:
    return LimitError(say("more than {n} values", n=values), line)
