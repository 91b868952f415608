"""Validation of names of device pools and device attributes. Source: pkg/apis/resource/validation."""

import re
from collections.abc import Iterator

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

EFFECTS = ("NoExecute", "NoSchedule", "None")
_LONGEST_POOL, _LONGEST_ID = 253, 32
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_IDENTIFIER_RULE = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters "
    "or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')"
)


def validate_pool_name(name: str, path: str) -> Iterator[Cause]:
    if not name:
        yield causes.required(path)
        return
    if len(name) > _LONGEST_POOL:
        yield causes.too_long(path, _LONGEST_POOL)
    for part in name.split("/"):
        yield from report_broken_rules(path, part, names.dns_subdomain(part))


def validate_qualified_name(name: str, path: str) -> Iterator[Cause]:
    """Yield what is wrong with `domain/name`, or with a name alone. Source: validateQualifiedName."""
    parts = name.split("/")
    if len(parts) == 1:
        yield from _validate_c_identifier(name, path)
    elif len(parts) == 2:
        if not parts[0]:
            yield causes.invalid(path, "", "the domain must not be empty")
        else:
            yield from claims.validate_csi_driver_name(parts[0], path)
        if not parts[1]:
            yield causes.invalid(path, "", "the name must not be empty")
        else:
            yield from _validate_c_identifier(parts[1], path)


def _validate_c_identifier(name: str, path: str) -> Iterator[Cause]:
    if len(name) > _LONGEST_ID:
        yield causes.too_long(path, _LONGEST_ID)
    if not _IDENTIFIER.fullmatch(name):
        yield causes.invalid(path, name, _IDENTIFIER_RULE)
