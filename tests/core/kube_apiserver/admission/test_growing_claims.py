"""Which claims may ask for more. Measured from kube-apiserver v1.36.2; source: persistentvolume/resize."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers
from kube_apiserver.writes.patches import MERGE_PATCH
from tests.core.kube_apiserver.refusals import BY, Object, created, resource

CLAIMS = resource("persistentvolumeclaims")
BOUND: Object = {"phase": "Bound", "capacity": {"storage": "1Gi"}}
OLDER = {"volume.beta.kubernetes.io/storage-class": "grows"}
NOT_ALLOWED = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
)


class _World:
    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None:
        if kind == "StorageClass" and name not in ("grows", "stays"):
            return None
        return {"metadata": {"name": name}, "allowVolumeExpansion": name == "grows"}

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]:
        return ()


# Name, the class of the claim, its annotations, its status, what it asks for, why not.
CASES: list[tuple[str, str, dict[str, str], Object, str, str]] = [
    ("a class that lets it grow", "grows", {}, BOUND, "2Gi", ""),
    ("named as one did before", "", OLDER, BOUND, "2Gi", ""),
    ("a class that does not", "stays", {}, BOUND, "2Gi", NOT_ALLOWED),
    ("a class that is not there", "gone", {}, BOUND, "2Gi", NOT_ALLOWED),
    ("no class", "", {}, BOUND, "2Gi", NOT_ALLOWED),
    ("as much as before", "stays", {}, BOUND, "1024Mi", ""),
]


@pytest.mark.parametrize(("name", "class_", "annotations", "status", "asks", "why"), CASES)
def test_a_claim_grows(
    name: str, class_: str, annotations: dict[str, str], status: Object, asks: str, why: str
) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": class_}
    live = created("persistentvolumeclaims", {"metadata": {"annotations": annotations}, "spec": spec}).value
    assert live is not None
    live["status"], live["metadata"]["resourceVersion"] = status, "1"
    patch = {"spec": {"resources": {"requests": {"storage": asks}}}}
    told = ""
    try:
        handlers.patch(CLAIMS, live, MERGE_PATCH, patch, BY, _World())
    except ApiError as refused:
        told = str(refused).removeprefix('persistentvolumeclaims "web" is forbidden: ')
    assert told == why
