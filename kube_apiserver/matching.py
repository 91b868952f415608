"""Whether labels fit the selector of an object, and how times are written. Source: apimachinery/pkg/apis/meta/v1."""

from collections.abc import Mapping
from typing import Any

TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


def selects(selector: Any, labels: Mapping[str, Any]) -> bool:
    """A LabelSelector: none selects nothing, an empty one everything."""
    if not isinstance(selector, Mapping):
        return False
    if any(labels.get(name) != value for name, value in (selector.get("matchLabels") or {}).items()):
        return False
    return all(_fits(each, labels) for each in selector.get("matchExpressions") or ())


def _fits(requirement: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    name, values = str(requirement.get("key")), requirement.get("values") or ()
    match requirement.get("operator"):
        case "In":
            return name in labels and labels[name] in values
        case "NotIn":
            return labels.get(name) not in values
        case "Exists":
            return name in labels
        case "DoesNotExist":
            return name not in labels
    return False
