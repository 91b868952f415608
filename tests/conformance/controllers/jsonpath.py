"""The part of JSONPath that scripts use with `kubectl get -o jsonpath=…`. Source: client-go/util/jsonpath."""

import json
import operator
import re
from collections.abc import Iterator, Mapping
from typing import Any

# In a filter: fields, whose dots may be escaped, and places in lists.
_PATH = r"(?:[.\w\-/]|\\\.|\[(?:\d+|\*)\])+"
_STEP = re.compile(
    r"\.(?P<name>(?:[\w\-/]|\\\.)+)|\[(?P<index>-?\d+)\]|\[(?P<all>\*)\]|\.(?P<each>\*)|\['(?P<quoted>[^']+)'\]"
    r"|\[(?P<from>-?\d*):(?P<to>-?\d*)\]"
    rf"|\[\?\(@(?P<of>{_PATH})\s*(?P<sign>==|!=|<=?|>=?)\s*(?P<is>\"[^\"]*\"|'[^']*'|-?[\w.]+)\)\]"
    rf"|\[\?\(@(?P<has>{_PATH})\)\]"
)
_SIGNS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_PLAIN = re.compile(r"-?\d{1,18}(\.\d{1,9})?|true|false")
# Text in quotes may have braces of its own.
_BRACES = re.compile(r"""\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}""")
_ACTION = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)


def printed(template: str, data: Any) -> str:
    """Return the template with its values; text outside of braces stays as it is.

    Raises IndexError if a list lacks an index.
    """
    if "{" not in template:
        template = "{" + template + "}"
    parts, at = [], 0
    for found in _BRACES.finditer(template):
        parts += [template[at : found.start()], found[0]]
        at = found.end()
    return _printed([*parts, template[at:]], data)


def from_go_template(template: str) -> str:
    """Return the JSONPath of a Go template that only prints fields and ranges over lists."""
    return _ACTION.sub(lambda found: "{" + found[1] + "}", template)


def _printed(parts: list[str], data: Any) -> str:
    out, at = "", 0
    while at < len(parts):
        part = parts[at]
        at += 1
        found = _BRACES.fullmatch(part)
        if found is None:
            out += part
        elif found[1].startswith("range "):
            end = _end_of_range(parts, at)
            out += "".join(_printed(parts[at:end], one) for one in values(found[1][6:], data, True))
            at = end + 1
        elif found[1][:1] in "\"'":
            out += _unquoted(found[1][1:-1])
        else:
            out += " ".join(map(_text, values(found[1], data, True)))
    return out


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)


def _end_of_range(parts: list[str], at: int) -> int:
    depth = 1
    while depth and at < len(parts):
        depth += parts[at].startswith("{range ") - (parts[at] == "{end}")
        at += 1
    return at - 1


def values(path: str, data: Any, is_strict: bool = False) -> list[Any]:
    """Return the values of a path; none if a field is missing.

    `is_strict`: raise IndexError for a missing list index.
    """
    path = path.strip().removeprefix("$").removeprefix("@")
    if path in ("", "."):
        return [data]
    if not path.startswith((".", "[")):
        path = f".{path}"
    found = [data]
    for step in _STEP.finditer(path):
        if is_strict and step["index"]:
            at = int(step["index"])
            for value in found:
                if isinstance(value, list) and not -len(value) <= at < len(value):
                    raise IndexError(f"array index out of bounds: index {at}, length {len(value)}")
        found = [one for value in found for one in _stepped(step, value)]
    return found


def _stepped(step: re.Match[str], value: Any) -> Iterator[Any]:
    named = step["quoted"] or (step["name"] or "").replace("\\.", ".")
    if named:
        if isinstance(value, Mapping) and named in value:
            yield value[named]
    elif step["index"]:
        if isinstance(value, list) and -len(value) <= int(step["index"]) < len(value):
            yield value[int(step["index"])]
    elif step["from"] is not None:
        if isinstance(value, list):
            yield from value[slice(*(int(step[end]) if step[end] else None for end in ("from", "to")))]
    elif step["of"]:
        yield from (one for one in value if _is_so(step, one))
    elif step["has"]:
        yield from (one for one in value if values(step["has"], one))
    elif isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _is_so(step: re.Match[str], one: Any) -> bool:
    """Return True if the field of a filter exists and compares as required: texts with texts, numbers with numbers."""
    given = step["is"]
    wanted = given[1:-1] if given[0] in "\"'" else json.loads(given) if _PLAIN.fullmatch(given) else given
    found = values(step["of"], one)
    if len(found) != 1 or isinstance(found[0], str) != isinstance(wanted, str):
        return False
    return bool(_SIGNS[step["sign"]](found[0], wanted))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"))
