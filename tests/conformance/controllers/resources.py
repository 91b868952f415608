"""The names by which kubectl accepts the kinds of a recording."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kube_objects.kinds.api_names import API_NAMES, ApiNames


class Resource(NamedTuple):
    kind: str
    full: str  # as `-o name` prints it
    namespaced: bool = True


def _words(names: ApiNames) -> Iterator[str]:
    yield from (names.singular, names.plural, *names.short_names)
    if names.group:
        yield from (f"{names.plural}.{names.group}", f"{names.singular}.{names.group}")


def _resource(names: ApiNames) -> Resource:
    return Resource(names.kind, f"{names.singular}.{names.group}" if names.group else names.singular, names.namespaced)


# If several groups have a kind of this name, the first one counts, which is that of the core group.
_LISTED = tuple(API_NAMES.values())[::-1]
BY_NAME: Mapping[str, Resource] = {word: _resource(names) for names in _LISTED for word in _words(names)}
BY_KIND: Mapping[str, Resource] = {names.kind: _resource(names) for names in _LISTED}
# What `kubectl get all` means.
OF_ALL = ("po", "rc", "svc", "ds", "deploy", "rs", "sts", "hpa", "cj", "jobs")


def known_as(word: str) -> Resource | None:
    """Return the resource of a name, also with group and version: `deployments.v1.apps`."""
    plain = word.lower()
    return BY_NAME.get(plain) or BY_NAME.get(plain.partition(".")[0])
