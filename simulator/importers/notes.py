"""What an import passes over in silence unless it is told: the sentences that page, API and command line share."""

from kube_objects.collect import ReadResult
from kube_objects.pod_makers import counted
from kube_objects.sentences import say


def notes_of(read: ReadResult) -> list[str]:
    """One sentence for each thing that was left out of what was read."""
    notes = list(read.notes)
    if read.repeated:
        notes.append(say("given more than once, the first was kept: {kinds}", kinds=counted(read.repeated)))
    return notes


def unused_kinds(read: ReadResult) -> dict[str, int]:
    """How many objects there are of each kind that scheduling reads nothing of."""
    return {unused.kind: unused.count for unused in read.unused if not unused.path}


def makes_no_pods(kinds: dict[str, int]) -> str:
    """What to say of kinds whose controllers do not run here; "" for none."""
    return (
        say("no pods are made of {kinds}: only pods that are given are scheduled", kinds=counted(kinds))
        if kinds
        else ""
    )
