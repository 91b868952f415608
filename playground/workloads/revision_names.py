"""The names of a workload's revisions, and which one is current."""

from collections.abc import Iterable, Mapping

from kube_controllers.controller_revisions import HASH_LABEL, revision_of
from kube_controllers.deployment import util
from kube_objects.manifests import Manifest, labels, name


def name_of_replica_set(replica_set: Manifest) -> str:
    return f"v{util.revision(replica_set)}"


def numbers_by_label(history: Iterable[Manifest]) -> dict[str, int]:
    """Return the numbers of ControllerRevisions by the value of the Pods' label: name for a StatefulSet, else hash."""
    return {label: revision_of(one) for one in history for label in (name(one), labels(one).get(HASH_LABEL, ""))}


def name_of_label(label: str, known: Mapping[str, int]) -> tuple[str, bool]:
    """Return the revision's name, and whether it is the newest. A pruned revision is named by its hash."""
    number = known.get(label)
    if number is None:
        return label.rpartition("-")[2], not known
    return f"r{number}", number == max(known.values())
