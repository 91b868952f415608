"""Objects in API versions that v1.20 served and current API servers don't."""

from collections.abc import Mapping
from typing import Any

from kube_objects.kinds.table import KINDS

# (apiVersion, kind) → current apiVersion. The fields that scheduling reads are the same.
_MOVED: Mapping[tuple[str, str], str] = {
    (f"{kind.group}/{version}", kind.name): kind.api_version for kind in KINDS.values() for version in kind.older
}


def with_current_api_version(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the manifest with a current apiVersion, if its own has been removed."""
    moved = _MOVED.get((str(manifest.get("apiVersion")), str(manifest.get("kind"))))
    return manifest if moved is None else {**manifest, "apiVersion": moved}
