"""The sharing of equal parts between manifests: thousands of Pods of one template are parsed separately."""

import marshal
from typing import Any

from kube_objects.read import Manifest

# Parts that are remembered, those of the templates that objects are made of at a time; and how long one may be.
_MOST = 4096
_LONGEST = 4096
_parts: dict[bytes, Any] = {}
# Frequent texts are shared, too.
_MOST_TEXTS = 16_384
_LONGEST_TEXT = 253
_texts: dict[str, str] = {}
_ALIKE = frozenset({"apiVersion", "kind", "namespace", "nodeName", "generateName", "creationTimestamp"})


def shared(manifest: Manifest) -> Manifest:
    """Return an equal manifest that shares its parts with others. Manifests are never changed in place."""
    return {
        name: _text(name, part) if type(part) is not dict else _inner(part) if name == "metadata" else _shared(part)
        for name, part in manifest.items()
    }


def _inner(part: dict[str, Any]) -> dict[str, Any]:
    return {name: _shared(value) if type(value) in (dict, list) else _text(name, value) for name, value in part.items()}


def _text(name: str, value: Any) -> Any:
    if name not in _ALIKE or type(value) is not str or len(value) > _LONGEST_TEXT:
        return value
    if len(_texts) >= _MOST_TEXTS:
        _texts.clear()
    return _texts.setdefault(value, value)


def _shared(value: Any) -> Any:
    try:
        # The key distinguishes 1, 1.0 and True, and the order of keys.
        key = marshal.dumps(value, 2)
    except ValueError:
        return value
    known = _parts.get(key)
    if known is not None:
        return known
    if type(value) is dict:
        value = _inner(value)
    if len(key) <= _LONGEST:
        if len(_parts) >= _MOST:
            _parts.clear()
        _parts[key] = value
    return value
