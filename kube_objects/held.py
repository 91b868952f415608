"""Configurations of a scheduler where they stand: a document of a text, or the text that a ConfigMap holds."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube_objects.shapes import (
    DESCHEDULER_POLICY,
    POLICY_KEY,
    is_bare_policy,
    is_configuration,
    is_descheduler_policy,
)
from kube_objects.text.document import Document, slice_of
from kube_objects.text.errors import TextError
from kube_objects.text.limits import Limits
from kube_objects.text.read import documents

_WORDS = re.compile(r"KubeSchedulerConfiguration|\bPolicy\b")
# A ConfigMap has at most 1 MiB, a configuration that is read too.
_LIMITS = Limits(bytes=1 << 20, values=100_000, documents=100)


def held_by(config_map: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Return the configurations in a ConfigMap under any key: key, text, number of lines before the value."""
    data = config_map.get("data")
    for key, value in data.items() if isinstance(data, Mapping) else ():
        if not isinstance(value, str) or len(value) > _LIMITS.bytes:
            continue
        if key == POLICY_KEY or _WORDS.search(value):
            yield from ((key, *slice_of(value, document)) for document in _configurations(key, value))


def policies_in(config_map: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the DeschedulerPolicies in a ConfigMap, such as that of the descheduler's chart, each with its key."""
    data = config_map.get("data")
    for key, value in data.items() if isinstance(data, Mapping) else ():
        if not isinstance(value, str) or len(value) > _LIMITS.bytes or DESCHEDULER_POLICY not in value:
            continue
        try:
            yield from ((key, each.value) for each in documents(value, _LIMITS) if is_descheduler_policy(each.value))
        except TextError:
            continue


def _configurations(key: str, text: str) -> Iterator[Document]:
    try:
        for document in documents(text, _LIMITS):
            if is_configuration(document.value) or (key == POLICY_KEY and is_bare_policy(document.value)):
                yield document
    except TextError:
        return  # something else that has the word in it
