"""Object literals in CEL expressions, which the library lacks: `Object.spec{replicas: 1}`, and `?"key": value` in maps.

They are rewritten to function calls whose results carry their type until `plain` removes it. Source:
apiserver/pkg/cel/mutation/dynamic/objects.go.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import cel

TYPE = "\x00type"
_FUNCTION = "entriesOf"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_NAMED = re.compile(r"(?<![\w.)\]])([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)\s*$")
_WORDS = frozenset(["in", "true", "false", "null"])
_KEY = re.compile(r"`([^`]*)`|([A-Za-z_]\w*)")


class TypeNameError(ValueError):
    """Raised if an object has another type than its field requires."""


@dataclass(slots=True)
class _Entry:
    text: str = ""
    key: str | None = None
    is_optional: bool = False


@dataclass(slots=True)
class _Bracket:
    """An open bracket. `type` is the type name before an object's bracket."""

    sign: str
    type: str = ""
    entries: list[_Entry] = field(default_factory=lambda: [_Entry()])

    @property
    def entry(self) -> _Entry:
        return self.entries[-1]

    def closed(self) -> str:
        if self.sign != "{" or not (self.type or any(each.is_optional for each in self.entries)):
            return f"{self.sign}{','.join(map(_as_written, self.entries))}{_CLOSING[self.sign]}"
        parts = [f'"{self.type}"']
        for each in self.entries:
            if each.key is not None:
                parts += ["true" if each.is_optional else "false", self._key(each.key), each.text]
        return f"{_FUNCTION}({', '.join(parts)})"

    def _key(self, written: str) -> str:
        found = _KEY.fullmatch(written.strip()) if self.type else None
        return f'"{found[1] or found[2]}"' if found else written


def _as_written(entry: _Entry) -> str:
    key = "" if entry.key is None else f"{entry.key}:"
    return f"{'?' if entry.is_optional else ''}{key}{entry.text}"


def rewrite_object_literals(expression: str, literal: re.Pattern[str]) -> str:
    """Return the expression with function calls in place of object literals; unchanged if its brackets don't match.

    `literal` matches strings and comments, which stay unchanged.
    """
    if "{" not in expression:
        return expression
    open_ones, place = [_Bracket("")], 0
    while place < len(expression):
        if found := literal.match(expression, place):
            open_ones[-1].entry.text += found[0]
            place = found.end()
            continue
        sign, now = expression[place], open_ones[-1]
        place += 1
        if sign in _CLOSING:
            open_ones.append(_Bracket(sign, _take_type_name(now.entry) if sign == "{" else ""))
        elif sign in ")]}":
            if _CLOSING.get(now.sign) != sign:
                return expression
            open_ones.pop()
            open_ones[-1].entry.text += now.closed()
        elif sign == "," and now.sign:
            now.entries.append(_Entry())
        elif sign == ":" and now.sign == "{" and now.entry.key is None:
            now.entry.key, now.entry.text = now.entry.text, ""
        elif sign == "?" and now.sign == "{" and now.entry.key is None and not now.entry.text.strip():
            now.entry.is_optional = True
        else:
            now.entry.text += sign
    return expression if len(open_ones) > 1 else open_ones[0].entry.text


def _take_type_name(entry: _Entry) -> str:
    """Remove and return the type name before an object's bracket."""
    match = _NAMED.search(entry.text)
    if match is None or match[1] in _WORDS:
        return ""
    entry.text = entry.text[: match.start()]
    return re.sub(r"\s", "", match[1])


def _entries_of(type_: str, *given: Any) -> dict[str, Any]:
    made: dict[str, Any] = {TYPE: type_} if type_ else {}
    for is_optional, key, value in zip(given[::3], given[1::3], given[2::3], strict=True):
        if not is_optional:
            made[key] = value
        elif isinstance(value, cel.OptionalValue) and value.has_value():
            made[key] = value.value()
    return made


def type_of(value: Any) -> str:
    """Return the type of an object that an expression created; "" for other values."""
    return str(value.get(TYPE, "")) if isinstance(value, Mapping) else ""


def plain(value: Any, path: str = "") -> Any:
    """Return the value without types. Raise TypeNameError if a type isn't the path of its object.

    The library doesn't preserve the order of map keys. Source: ObjectVal.CheckTypeNamesMatchFieldPathNames.
    """
    if isinstance(value, list):
        return [plain(each, path) for each in value]
    if not isinstance(value, Mapping):
        return value
    name = type_of(value)
    path = path or name
    if not name:
        return {key: plain(value[key], path) for key in sorted(value)}
    if name != path:
        what = f'unexpected type name "{name}", expected "{path}", which matches field name path from root Object type'
        raise TypeNameError(what)
    return {key: plain(value[key], f"{path}.{key}") for key in sorted(value) if key != TYPE}


OBJECTS = {
    _FUNCTION: _entries_of,
    "jsonpatch.escapeKey": lambda key: key.replace("~", "~0").replace("/", "~1"),
}
"""The functions that build objects and maps in rewritten expressions."""
