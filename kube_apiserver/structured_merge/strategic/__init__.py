"""Strategic merge patches: created from two or three objects, and applied.

Source: apimachinery/pkg/util/strategicpatch.
"""

from kube_apiserver.structured_merge.strategic.conflicts import PatchConflict
from kube_apiserver.structured_merge.strategic.creating import three_way_patch, two_way_patch
from kube_apiserver.structured_merge.strategic.directives import PatchError
from kube_apiserver.structured_merge.strategic.merging import apply_and_leave, apply_patch
from kube_apiserver.structured_merge.strategic.patch_types import PatchType

__all__ = [
    "PatchConflict",
    "PatchError",
    "PatchType",
    "apply_and_leave",
    "apply_patch",
    "three_way_patch",
    "two_way_patch",
]
