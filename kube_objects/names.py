"""The syntax of names and labels, and the classes of resource names.

Each check returns "" for a valid value, else upstream's sentence about it ("; " between several).
Source: apimachinery/pkg/util/validation/validation.go, pkg/apis/core/helper/helpers.go.
"""

import re
from functools import lru_cache

from kube_objects.sentences import quoted

_DNS_LABEL_FORMAT = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_SUBDOMAIN_FORMAT = rf"{_DNS_LABEL_FORMAT}(\.{_DNS_LABEL_FORMAT})*"
_QUALIFIED_FORMAT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE_FORMAT = f"({_QUALIFIED_FORMAT})?"
_DNS_1035_FORMAT = "[a-z]([-a-z0-9]*[a-z0-9])?"
_DNS_1035 = re.compile(_DNS_1035_FORMAT)
_DNS_LABEL = re.compile(_DNS_LABEL_FORMAT)
_DNS_SUBDOMAIN = re.compile(_DNS_SUBDOMAIN_FORMAT)
_QUALIFIED = re.compile(_QUALIFIED_FORMAT)
_LABEL_VALUE = re.compile(_LABEL_VALUE_FORMAT)


def _sentence(rule: str, pattern: str, *examples: str) -> str:
    """Source: RegexError, with its odd comma after each example."""
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{rule} (e.g. {shown}regex used for validation is '{pattern}')"


_CHARACTERS = (
    "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_SUBDOMAIN_RULE = _sentence(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    _DNS_SUBDOMAIN_FORMAT,
    "example.com",
)
_DNS_LABEL_RULE = _sentence(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character",
    _DNS_LABEL_FORMAT,
    "my-name",
    "123-abc",
)
_DNS_1035_RULE = _sentence(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character",
    _DNS_1035_FORMAT,
    "my-name",
    "abc-123",
)
_QUALIFIED_RULE = _sentence(f"must {_CHARACTERS}", _QUALIFIED_FORMAT, "MyName", "my.name", "123-abc")
_LABEL_VALUE_RULE = _sentence(
    f"a valid label must be an empty string or {_CHARACTERS}", _LABEL_VALUE_FORMAT, "MyValue", "my_value", "12345"
)
_LONGEST_QUALIFIED_NAME = 253 + 1 + 63

STANDARD_CONTAINER_RESOURCES = frozenset({"cpu", "memory", "ephemeral-storage"})
HUGE_PAGES_PREFIX = "hugepages-"
_NATIVE_DOMAIN = "kubernetes.io/"


def dns_subdomain(value: str) -> str:
    """Return the error of a DNS subdomain, the name of most objects."""
    return _rules(_most(value, 253), "" if _DNS_SUBDOMAIN.fullmatch(value) else _SUBDOMAIN_RULE)


def dns_label(value: str) -> str:
    """Return the error of a DNS label, the name of namespaces and containers."""
    rule = ""
    if not _DNS_LABEL.fullmatch(value):
        rule = quoted("must not contain dots") if _DNS_SUBDOMAIN.fullmatch(value) else _DNS_LABEL_RULE
    return _rules(_most(value, 63), rule)


def dns_1035(value: str) -> str:
    """Return the error of a DNS-1035 label, the name of Services, kinds and versions."""
    return _rules(_most(value, 63), "" if _DNS_1035.fullmatch(value) else _DNS_1035_RULE)


def _most(value: str, number: int) -> str:
    return quoted("must be no more than {n} characters", n=number) if _length(value) > number else ""


def _length(text: str) -> int:
    """Return the length in bytes. Half a surrogate pair counts as three."""
    return len(text.encode(errors="surrogatepass"))


def _rules(*found: str) -> str:
    return "; ".join(filter(None, found))


def qualified_name(value: str) -> str:
    """Label keys, taint keys, gates, resource names: `name` or `example.com/name`."""
    # Only texts of a bounded length may stay in the memory of a cached check.
    return (_qualified_name if len(value) <= _LONGEST_QUALIFIED_NAME else _qualified_name.__wrapped__)(value)


@lru_cache(maxsize=4096)
def _qualified_name(value: str) -> str:
    prefix, slash, name = value.rpartition("/")
    if "/" in prefix:
        optional_prefix = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return f"a valid label key {_QUALIFIED_RULE} {optional_prefix}"
    rules = []
    if slash and not prefix:
        rules.append("prefix part must be non-empty")
    elif slash and len(prefix) > 253:
        rules.append("prefix part must be no more than 253 bytes")
    elif slash and (rule := dns_subdomain(prefix)):
        rules += [f"prefix part {each}" for each in rule.split("; ")]
    if not name:
        rules.append("name part must be non-empty")
    elif _length(name) > 63:
        rules.append("name part must be no more than 63 bytes")
    if not _QUALIFIED.fullmatch(name):
        rules.append(f"name part {_QUALIFIED_RULE}")
    return "; ".join(rules)


def label_value(value: str) -> str:
    if _length(value) > 63:
        return _rules("must be no more than 63 bytes", _label_value.__wrapped__(value))
    return _label_value(value)


@lru_cache(maxsize=16384)
def _label_value(value: str) -> str:
    return "" if _LABEL_VALUE.fullmatch(value) else _LABEL_VALUE_RULE


def container_resource(name: str) -> str:
    """Return the error of a resource that a container requests. Source: validateContainerResourceName."""
    if len(name) > _LONGEST_QUALIFIED_NAME:
        return qualified_name(name)
    return _container_resource(name)


@lru_cache(maxsize=1024)
def _container_resource(name: str) -> str:
    if rule := qualified_name(name):
        return rule
    if "/" not in name:
        if name in STANDARD_CONTAINER_RESOURCES or name.startswith(HUGE_PAGES_PREFIX):
            return ""
        return quoted("must be a standard resource for containers")
    if _NATIVE_DOMAIN in name or is_extended_resource(name):
        return ""
    return quoted("doesn't follow extended resource name standard")


def pod_resource(name: str) -> str:
    """Return the error of a pod-level resource. Source: validatePodResourceName."""
    if is_pod_level_resource(name):
        return qualified_name(name)
    return 'must be one of "cpu", "hugepages-…", "memory"'


def is_pod_level_resource(name: str) -> bool:
    """Source: component-helpers/resource IsSupportedPodLevelResource."""
    return name in ("cpu", "memory") or name.startswith(HUGE_PAGES_PREFIX)


def is_extended_resource(name: str) -> bool:
    """Return True for a resource outside kubernetes.io, like `nvidia.com/gpu`: whole units, never overcommitted."""
    return (
        "/" in name
        and _NATIVE_DOMAIN not in name
        and not name.startswith("requests.")
        and not qualified_name(f"requests.{name}")
    )


def is_scalar_resource(name: str) -> bool:
    """Return True for a resource that the scheduler counts besides cpu, memory, ephemeral-storage and pods."""
    return (
        is_extended_resource(name)
        or name.startswith((HUGE_PAGES_PREFIX, "attachable-volumes-"))
        or _NATIVE_DOMAIN in name
    )


def is_overcommit_allowed(name: str) -> bool:
    """Return whether a limit may exceed its request."""
    return ("/" not in name or _NATIVE_DOMAIN in name) and not name.startswith(HUGE_PAGES_PREFIX)
