"""Counts of a configuration are checked before anything is made of it."""

from kube_objects.sentences import say
from kube_objects.text.errors import LimitError
from kube_objects.text.node import Node
from scheduler_core.config.limits import MAX_EXTENDERS, MAX_ITEMS, MAX_PROFILES

_MOST = {"profiles": MAX_PROFILES, "extenders": MAX_EXTENDERS}


def check_counts(root: Node) -> None:
    """Raises LimitError for a list that is longer than any that serves a purpose."""
    for entry in root.entries:
        # As a decoder would that does not care for the case of keys.
        most = _MOST.get(entry.key.casefold(), MAX_ITEMS)
        if len(entry.value.items) > most:
            raise LimitError(say("more than {n} {key}", n=most, key=entry.key), entry.line)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if len(node.items) > MAX_ITEMS:
            raise LimitError(say("a list of more than {n} items", n=MAX_ITEMS), node.line)
        waiting += node.items
        waiting += [entry.value for entry in node.entries]
