"""Bugs of the engine: exceptions that end one attempt or one reconcile, but not the cluster.

Upstream recovers from panics in the same way. Source: apimachinery/pkg/util/runtime HandleCrash.
"""

import re

# Addresses differ from process to process, so a record that has one could not be made again.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class EndsTheRun(Exception):  # noqa: N818 - its subclasses are errors
    """An exception about the run as a whole, which no attempt and no reconcile may catch."""


# A process without memory may do the same work later: that isn't an outcome.
PASSED_ON = (EndsTheRun, MemoryError)


def message_of(error: BaseException) -> str:
    """Return the message of an exception, the same in every process."""
    return _ADDRESS.sub("", str(error))


def describe_defect(error: BaseException) -> str:
    """Return the name and the message of an exception, the same in every process."""
    return f"{type(error).__name__}: {message_of(error)}"


def raise_defect(error: Exception) -> None:
    """Raise the exception. This is the default where no caller reports bugs."""
    raise error
