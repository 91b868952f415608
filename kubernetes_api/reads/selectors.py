"""Label and field selectors of a list. Source: apimachinery/pkg/labels, fields; the fields of pkg/registry."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Object = Mapping[str, Any]
Match = Callable[[Object], bool]

MAX_LENGTH = 16 * 1024
_REQUIREMENT = re.compile(
    r"""\s*(?:
      (?P<absent>!)\s*(?P<absent_key>[\w./-]+)
    | (?P<key>[\w./-]+)\s*(?:
        (?P<set>\bin\b|\bnotin\b)\s*\((?P<values>[^()]*)\)
      | (?P<operator>==|!=|=|>|<)\s*(?P<value>[\w.-]*)
      )?
    )\s*(?:,|$)""",
    re.VERBOSE,
)
_WORD = re.compile(r"[\w./-]+|[^\s\w]+")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "Pod": (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.nominatedNodeName",
    ),
    "Node": ("spec.unschedulable",),
    "Namespace": ("status.phase",),
    "Secret": ("type",),
    "ReplicaSet": ("status.replicas",),
    "ReplicationController": ("status.replicas",),
    "Job": ("status.successful",),
    "ResourceSlice": ("spec.nodeName", "spec.driver"),
    "Event": (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
}


class SelectorError(ValueError):
    """It cannot be read, or names what no selector can ask for."""


def _complaint(rest: str) -> str:
    """What upstream's parser stumbles over: it reads word by word."""
    words = _WORD.findall(rest)
    if len(words) > 2 and words[1] in ("in", "notin") and words[2] != "(":
        return f"found '{words[2][:40]}' expected: '('"
    if len(words) > 1 and re.fullmatch(r"[\w./-]+", words[0]) and words[1] not in ("in", "notin", "(", ")"):
        return f"found '{words[1][:40]}', expected: in, notin, =, ==, !=, gt, lt"
    return f"found {rest.strip()[:40]!r}"


def labels(written: str) -> Match:
    """Whether an object's labels fit."""
    if len(written) > MAX_LENGTH:
        raise SelectorError(f"unable to parse requirement: longer than {MAX_LENGTH} characters")
    checks: list[Callable[[Mapping[str, str]], bool]] = []
    place = 0
    while written[place:].strip():
        found = _REQUIREMENT.match(written, place)
        if found is None or found.end() == place:
            raise SelectorError(f"unable to parse requirement: {_complaint(written[place:])}")
        checks.append(_requirement(found))
        place = found.end()
    return lambda value: all(check((value.get("metadata") or {}).get("labels") or {}) for check in checks)


def fields(written: str, kind: str) -> Match:
    """Whether an object's fields fit; those of the kind can be asked for, besides its name and namespace."""
    if len(written) > MAX_LENGTH:
        raise SelectorError(f"invalid selector: longer than {MAX_LENGTH} characters")
    known = ("metadata.name", "metadata.namespace", *_FIELDS.get(kind, ()))
    wanted = []
    for term in filter(None, written.split(",")):
        found = re.fullmatch(r"([^=!]+?)(!=|==|=)(.*)", term)
        if found is None:
            raise SelectorError(f"invalid selector: '{written}'; can't understand '{term}'")
        name, operator, value = found.groups()
        if name not in known:
            raise SelectorError(f"field label not supported: {name}")
        wanted.append((name.split("."), operator != "!=", value))
    return lambda value: all((_at(value, path) == text) is equals for path, equals, text in wanted)


def _requirement(found: re.Match[str]) -> Callable[[Mapping[str, str]], bool]:
    if found["absent"]:
        absent = found["absent_key"]
        return lambda there: absent not in there
    key, operator = found["key"], found["operator"] or found["set"]
    if operator is None:
        return lambda there: key in there
    if operator in ("in", "notin"):
        values = {each.strip() for each in found["values"].split(",")}
        return (
            (lambda there: there.get(key) in values)
            if operator == "in"
            else (lambda there: there.get(key) not in values)
        )
    value = found["value"]
    if operator in ("=", "=="):
        return lambda there: there.get(key) == value
    if operator == "!=":
        return lambda there: there.get(key) != value
    if not re.fullmatch(r"-?\d{1,18}", value):
        raise SelectorError(
            f"values[0][{key}]: Invalid value: {value!r}: for 'Gt', 'Lt' operators, the value must be an integer"
        )
    limit, is_more = int(value), operator == ">"

    def compares(there: Mapping[str, str]) -> bool:
        text = there.get(key, "")
        if not re.fullmatch(r"-?\d{1,18}", text):
            return False
        return int(text) > limit if is_more else int(text) < limit

    return compares


def _at(value: Any, path: list[str]) -> str:
    if path == ["source"]:
        return _at(value, ["source", "component"]) or _at(value, ["reportingComponent"])
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "false" if path[-1] in ("unschedulable", "hostNetwork") else ""
    return str(value)
