"""What admission looks at besides the object that is written."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class World(Protocol):
    """The other objects of the cluster, as clients read them."""

    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None: ...

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]: ...


class _Nothing:
    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None:
        return {"metadata": {"name": name}} if kind == "Namespace" else None

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]:
        return ()


NOTHING: World = _Nothing()
"""A cluster with nothing but the namespaces that are asked for."""
