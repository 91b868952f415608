"""The API server's rules for replayed recordings, which are those of the playground's Kubernetes API."""

from collections.abc import Iterator
from typing import Any

from kube_apiserver import controller_validation, unknown_fields
from kube_apiserver.errors import ApiError
from kube_controllers.api import WriteRefused
from kube_objects.collect import ReadResult
from kube_objects.manifests import Manifest
from simulator.cli.language import in_words


class Rules:
    """The API server of a replay. Source: pkg/registry (strategies), pkg/apis (validation)."""

    def knows(self, given: Manifest) -> bool:
        return controller_validation.resource_of(given) is not None

    def filled(self, given: Manifest) -> Manifest:
        return controller_validation.filled(given)

    def created(self, given: Manifest, strictness: str) -> Manifest:
        try:
            return controller_validation.created(given, strictness)
        except ApiError as error:
            raise _refused(error) from error

    def changed(self, before: Manifest, given: Manifest, subresource: str, strictness: str) -> Manifest:
        try:
            return controller_validation.changed(before, given, subresource, strictness)
        except ApiError as error:
            raise _refused(error) from error

    def patched(self, before: Manifest, how: str, sent: Any) -> Manifest:
        try:
            return controller_validation.patched(before, how, sent)
        except ApiError as error:
            raise _refused(error) from error

    def applied(self, before: Manifest, last: Manifest, given: Manifest) -> Manifest | None:
        try:
            return controller_validation.applied(before, last, given)
        except ApiError as error:
            raise _refused(error) from error


def warn_of_unknown_fields(read: ReadResult) -> Iterator[str]:
    """Yield a line for each field that Kubernetes doesn't have, with the text of `kubectl apply`."""
    for field in unknown_fields.split_unknown(read.unused)[1]:
        more = f" and {field.count - 1} more" if field.count > 1 else ""
        hint = unknown_fields.hint(field.kind, field.path)
        path = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in field.path)
        yield f'{field.kind} {field.key}{more}: unknown field "{path}"' + (f"; {in_words(hint)}" if hint else "")


def _refused(error: ApiError) -> WriteRefused:
    return WriteRefused(str(error), str(error.status.get("reason", "")))
