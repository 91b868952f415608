"""Validation of CertificateSigningRequests. Source: pkg/apis/certificates/validation.

The content and the signature of the PKCS #10 request are not checked.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

APPROVED, DENIED, FAILED = "Approved", "Denied", "Failed"
_USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)
_LEGACY = "kubernetes.io/legacy-unknown"
_LEAST_SECONDS = 600
_LONGEST_DOMAIN, _LONGEST_SIGNER = 253, 253 + 253 + 63 + 2
_CONDITIONS = "status.conditions"
_REQUEST = re.compile(rb"-----BEGIN CERTIFICATE REQUEST-----\r?\n[A-Za-z0-9+/=\s]+-----END CERTIFICATE REQUEST-----")


def validate_signing_request(value: Object) -> Iterator[Cause]:
    spec, status = value.get("spec") or {}, value.get("status") or {}
    if not _is_pem_request(str(spec.get("request") or "")):
        yield causes.invalid("spec.request", spec.get("request"), "PEM block type must be CERTIFICATE REQUEST")
    yield from _validate_usages(spec.get("usages") or ())
    signer = str(spec.get("signerName") or "")
    if signer == _LEGACY:
        detail = "the legacy signerName is not allowed via this API version"
        yield causes.invalid("spec.signerName", signer, detail)
    else:
        yield from _validate_signer_name(signer)
    seconds = spec.get("expirationSeconds")
    if seconds is not None and seconds < _LEAST_SECONDS:
        detail = f"may not specify a duration less than {_LEAST_SECONDS} seconds (10 minutes)"
        yield causes.invalid("spec.expirationSeconds", seconds, detail)
    yield from _validate_conditions(status.get("conditions") or ())


def validate_signing_request_status_update(live: Object, value: Object) -> Iterator[Cause]:
    """Validate an update of the `status` subresource, which may not approve or deny."""
    yield from validate_signing_request(value)
    yield from _validate_no_removed_conditions(live, value)
    for kind in (APPROVED, DENIED):
        if len(list_conditions(value, kind)) > len(list_conditions(live, kind)):
            yield causes.forbidden(_CONDITIONS, f'updates may not add a condition of type "{kind}"')
    old, new = ((each.get("status") or {}).get("certificate") for each in (live, value))
    if old and old != new:
        yield causes.forbidden("status.certificate", "updates may not modify existing certificate content")


def validate_approval_update(live: Object, value: Object) -> Iterator[Cause]:
    """Validate an update of the `approval` subresource, which may not issue a certificate."""
    yield from validate_signing_request(value)
    yield from _validate_no_removed_conditions(live, value)


def list_conditions(value: Object, kind: str) -> list[Object]:
    return [each for each in (value.get("status") or {}).get("conditions") or () if each.get("type") == kind]


def _validate_no_removed_conditions(live: Object, value: Object) -> Iterator[Cause]:
    for kind in (APPROVED, DENIED, FAILED):
        if len(list_conditions(value, kind)) < len(list_conditions(live, kind)):
            yield causes.forbidden(_CONDITIONS, f'updates may not remove a condition of type "{kind}"')


def _is_pem_request(written: str) -> bool:
    try:
        return _REQUEST.search(base64.b64decode(written)) is not None
    except (binascii.Error, ValueError):
        return False


def _validate_usages(usages: Sequence[str]) -> Iterator[Cause]:
    if not usages:
        yield causes.required("spec.usages")
    for number, usage in enumerate(usages):
        if usage not in _USAGES:
            yield causes.unsupported(f"spec.usages[{number}]", usage, _USAGES)
    seen: set[str] = set()
    for number, usage in enumerate(usages):
        if usage in seen:
            yield causes.duplicate(f"spec.usages[{number}]", usage)
        seen.add(usage)


def _validate_signer_name(name: str) -> Iterator[Cause]:
    """Source: ValidateSignerName of pkg/apis/core/validation."""
    path = "spec.signerName"
    if not name:
        yield causes.required(path)
        return
    domain, _, end = name.partition("/")
    if name.count("/") != 1:
        detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        yield causes.invalid(path, name, detail)
        return
    if len(domain) > _LONGEST_DOMAIN:
        yield causes.too_long(path, _LONGEST_DOMAIN)
    for whole, rule in ((domain, names.dns_label), (end, names.dns_subdomain)):
        wrong = next(((label, text) for label in whole.split(".") if (text := rule(label))), None)
        if wrong is not None:
            yield from report_broken_rules(path, whole, f'validating label "{wrong[0]}": {wrong[1]}')
        if whole is domain and "." not in domain:
            yield causes.invalid(path, domain, "should be a domain with at least two segments separated by dots")
    if len(name) > _LONGEST_SIGNER:
        yield causes.too_long(path, _LONGEST_SIGNER)


def _validate_conditions(conditions: Sequence[Object]) -> Iterator[Cause]:
    before: set[str] = set()
    for number, condition in enumerate(conditions):
        kind, status, path = condition.get("type") or "", condition.get("status") or "", f"{_CONDITIONS}[{number}]"
        allowed = ("True",) if kind in (APPROVED, DENIED, FAILED) else ("False", "True", "Unknown")
        if not kind:
            yield causes.required(f"{path}.type")
        if not status:
            yield causes.required(f"{path}.status")
        elif status not in allowed:
            yield causes.unsupported(f"{path}.status", status, allowed)
        if {APPROVED: DENIED, DENIED: APPROVED}.get(kind, "-") in before:
            yield causes.invalid(_CONDITIONS, kind, "Approved and Denied conditions are mutually exclusive")
        if kind in before:
            yield causes.duplicate(f"{path}.type", kind)
        before.add(kind)
