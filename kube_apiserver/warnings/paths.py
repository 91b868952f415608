"""Files of a volume that hide each other. Source: pkg/api/pod warningsForOverlappingVirtualPaths."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]
_Named = tuple[str, str]
"""A path, and what it comes from."""

_WITH_ITEMS = (("configMap", "name", "ConfigMap"), ("secret", "secretName", "Secret"))


def overlapping(volumes: Any) -> Iterator[str]:
    for volume in volumes or ():
        name = volume.get("name")
        for key, named, kind in _WITH_ITEMS:
            source = volume.get(key) or {}
            for message in _collisions([(path, "") for path in _paths(source)]):
                yield f'volume "{name}" ({kind} "{source.get(named)}"): overlapping paths: {message}'
        for message in _collisions([(path, "") for path in _paths(volume.get("downwardAPI") or {})]):
            yield f'volume "{name}" (DownwardAPI): overlapping paths: {message}'
        if volume.get("projected") is not None:
            yield from _projected(str(name), volume["projected"].get("sources") or ())


def _projected(volume: str, sources: Sequence[Object]) -> Iterator[str]:
    found: list[_Named] = []
    for source in sources:
        if not any(part is not None for part in source.values()):
            yield f'volume "{volume}" (Projected) has no sources provided'
        for key, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
            given = source.get(key) or {}
            found += [(path, f'{kind} "{given.get("name")}"') for path in _paths(given)]
        found += [(path, "DownwardAPI") for path in _paths(source.get("downwardAPI") or {})]
        if source.get("serviceAccountToken") is not None:
            found.append((str(source["serviceAccountToken"].get("path") or ""), "ServiceAccountToken"))
    for message in _collisions(found):
        yield f'volume "{volume}" (Projected): overlapping paths: {message}'


def _paths(source: Object) -> list[str]:
    return [str(each.get("path") or "") for each in source.get("items") or ()]


def _collisions(given: Sequence[_Named]) -> Iterator[str]:
    seen: list[_Named] = []
    for path, source in given:
        here = path.rstrip("/")
        for there, other in seen:
            if here and there and (f"{there}/".startswith(f"{here}/") or f"{here}/".startswith(f"{there}/")):
                yield f"{_shown(here, source)} with {_shown(there, other)}"
        seen.append((here, source))


def _shown(path: str, source: str) -> str:
    return f'"{path}" ({source})' if source else f'"{path}"'
