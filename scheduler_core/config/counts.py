"""Limits on the lengths of lists, checked before a configuration is decoded."""

from kube_objects.sentences import say
from kube_objects.text.errors import LimitError
from kube_objects.text.node import TextNode
from scheduler_core.config.limits import MAX_EXTENDERS, MAX_ITEMS, MAX_PROFILES

_MOST = {"profiles": MAX_PROFILES, "extenders": MAX_EXTENDERS}


def check_counts(root: TextNode) -> None:
    """Raise LimitError for a list that is too long."""
    for entry in root.entries:
        # Some decoders ignore the case of keys.
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
