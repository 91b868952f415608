"""Validation of names, with Kubernetes' messages.

Source: apimachinery/pkg/util/validation/validation.go, pkg/apis/core/v1/helper/helpers.go.
"""

import re

_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"
_LABEL_VALUE = f"({_NAME})?"
_ALPHANUMERIC = (
    "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_NAME_RULE = f"must {_ALPHANUMERIC}"
_NAME_EXAMPLES = ("MyName", "my.name", "123-abc")
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)


def qualified_name_errors(value: str) -> list[str]:
    """Return the errors of a label key or resource name (`name` or `prefix/name`)."""
    errors = []
    prefix, slash, name = value.partition("/")
    if "/" in name:
        rule = _pattern(_NAME_RULE, _NAME, _NAME_EXAMPLES)
        optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a qualified name {rule} {optional}"]
    if not slash:
        name = value
    elif not prefix:
        errors.append("prefix part must be non-empty")
    else:
        errors += [f"prefix part {error}" for error in subdomain_errors(prefix)]
    if not name:
        errors.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        errors.append("name part must be no more than 63 characters")
    if not re.fullmatch(_NAME, name):
        errors.append(f"name part {_pattern(_NAME_RULE, _NAME, _NAME_EXAMPLES)}")
    return errors


def subdomain_errors(value: str) -> list[str]:
    errors = []
    if len(value.encode()) > 253:
        errors.append("must be no more than 253 characters")
    if not re.fullmatch(_SUBDOMAIN, value):
        errors.append(_pattern(_SUBDOMAIN_RULE, _SUBDOMAIN, ("example.com",)))
    return errors


def label_value_errors(value: str) -> list[str]:
    errors = []
    if len(value.encode()) > 63:
        errors.append("must be no more than 63 characters")
    if not re.fullmatch(_LABEL_VALUE, value):
        rule = f"a valid label must be an empty string or {_ALPHANUMERIC}"
        errors.append(_pattern(rule, _LABEL_VALUE, ("MyValue", "my_value", "12345")))
    return errors


def is_extended_resource(name: str) -> bool:
    """Return True if a resource is neither Kubernetes' own nor a quota name."""
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return not qualified_name_errors(f"requests.{name}")


def _pattern(rule: str, pattern: str, examples: tuple[str, ...]) -> str:
    listed = " or ".join(f"'{example}', " for example in examples)
    return f"{rule} (e.g. {listed}regex used for validation is '{pattern}')"
