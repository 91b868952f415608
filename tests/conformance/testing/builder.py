"""The base of the builders of all kinds: a manifest under construction."""

import copy
from typing import Any, Self


class ManifestBuilder:
    """A builder. Every method changes the manifest and returns the builder; `manifest` returns an independent copy."""

    def __init__(self, api_version: str, kind: str, name: str, namespace: str = "") -> None:
        metadata: dict[str, Any] = {"name": name}
        if namespace:
            metadata["namespace"] = namespace
        self._manifest: dict[str, Any] = {"apiVersion": api_version, "kind": kind, "metadata": metadata}

    def manifest(self) -> dict[str, Any]:
        return copy.deepcopy(self._manifest)

    def uid(self, uid: str) -> Self:
        return self._set("metadata", uid=uid)

    def label(self, key: str, value: str) -> Self:
        self._part("metadata", "labels")[key] = value
        return self

    def labels(self, **labels: str) -> Self:
        self._part("metadata", "labels").update(labels)
        return self

    def annotation(self, key: str, value: str) -> Self:
        self._part("metadata", "annotations")[key] = value
        return self

    def owner(self, kind: str, name: str, uid: str = "", api_version: str = "apps/v1") -> Self:
        """Set the controller of the object."""
        reference = {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, "controller": True}
        return self._append("metadata", "ownerReferences", reference)

    def created(self, time: str) -> Self:
        return self._set("metadata", creationTimestamp=time)

    def terminating(self, time: str = "2025-01-01T00:00:00Z") -> Self:
        return self._set("metadata", deletionTimestamp=time)

    def spec(self, **fields: Any) -> Self:
        """Set any fields of the spec, as in YAML."""
        return self._set("spec", **fields)

    def status(self, **fields: Any) -> Self:
        """Set any fields of the status, as in YAML."""
        return self._set("status", **fields)

    def _part(self, *path: str) -> dict[str, Any]:
        part = self._manifest
        for key in path:
            part = part.setdefault(key, {})
        return part

    def _set(self, part: str, **fields: Any) -> Self:
        self._part(part).update(fields)
        return self

    def _append(self, part: str, key: str, item: Any) -> Self:
        self._part(part).setdefault(key, []).append(item)
        return self
