"""Objects in the API versions that v1.20 served and today's API server no longer does."""

from collections.abc import Mapping
from typing import Any

from kube_objects.kinds.table import KINDS

# (apiVersion, kind) → today's apiVersion. The fields that scheduling reads are the same.
_MOVED: Mapping[tuple[str, str], str] = {
    (f"{kind.group}/{version}", kind.name): kind.api_version for kind in KINDS.values() for version in kind.older
}


def as_served_today(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The manifest with today's apiVersion, if its own has been removed since."""
    moved = _MOVED.get((str(manifest.get("apiVersion")), str(manifest.get("kind"))))
    return manifest if moved is None else {**manifest, "apiVersion": moved}
