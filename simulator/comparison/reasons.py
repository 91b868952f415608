"""Kinds of reasons for pending pods, for counting: a FailedScheduling text without its numbers of nodes."""

import re

_REASONS = re.compile(r"^0/\d+ nodes are available: (.*?)\.(?: |$)")
NO_REASON = "no reason recorded"


def reason_kind(message: str) -> str:
    """Return the kinds of reasons in a FailedScheduling text, and any other text unchanged."""
    match = _REASONS.match(message)
    if match is None:
        return message or NO_REASON
    return ", ".join(sorted(re.sub(r"^\d+ ", "", reason) for reason in match[1].split(", ")))
