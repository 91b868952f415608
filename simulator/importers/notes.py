"""Notes about parts of the input that an import leaves out; the UI, the API and the command line show them."""

from kube_objects.collect import ReadResult
from kube_objects.pod_makers import format_counts
from kube_objects.sentences import say


def notes_of(read: ReadResult) -> list[str]:
    """Return one sentence per kind of omission."""
    notes = list(read.notes)
    if read.repeated:
        notes.append(say("duplicates, of which only the first is used: {kinds}", kinds=format_counts(read.repeated)))
    return notes


def unused_kinds(read: ReadResult) -> dict[str, int]:
    """Return the number of objects of each kind that scheduling does not read."""
    return {unused.kind: unused.count for unused in read.unused if not unused.path}


def podless_kinds_note(kinds: dict[str, int]) -> str:
    """Return the note about workloads without Pods, because no controller runs; "" for none."""
    return (
        say("{kinds}: no Pods are created from these; only Pods in the input are scheduled", kinds=format_counts(kinds))
        if kinds
        else ""
    )
