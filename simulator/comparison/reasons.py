"""Why pods are pending, as kinds that can be counted: a FailedScheduling text without its numbers of nodes."""

import re

_REASONS = re.compile(r"^0/\d+ nodes are available: (.*?)\.(?: |$)")
NO_REASON = "no reason recorded"


def kind_of(message: str) -> str:
    """The kinds of reasons in a FailedScheduling text; another text as it is."""
    found = _REASONS.match(message)
    if found is None:
        return message or NO_REASON
    return ", ".join(sorted(re.sub(r"^\d+ ", "", reason) for reason in found[1].split(", ")))
