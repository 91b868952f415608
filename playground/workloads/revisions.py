"""What the revisions of a workload are called, and which of them is to stay."""

from collections.abc import Iterable, Mapping

from kube_controllers.controller_revisions import HASH_LABEL, revision_of
from kube_controllers.deployment import util
from kube_objects.manifests import Manifest, labels, name


def of_set(replica_set: Manifest) -> str:
    return f"v{util.revision(replica_set)}"


def numbers(history: Iterable[Manifest]) -> dict[str, int]:
    """Of ControllerRevisions, by what pods are labelled with: the name with a StatefulSet, else the hash."""
    return {label: revision_of(one) for one in history for label in (name(one), labels(one).get(HASH_LABEL, ""))}


def of_label(label: str, known: Mapping[str, int]) -> tuple[str, bool]:
    """Its name, and whether it is the newest; one that is kept no more goes by its hash."""
    number = known.get(label)
    if number is None:
        return label.rpartition("-")[2], not known
    return f"r{number}", number == max(known.values())
