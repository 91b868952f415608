"""Label selectors, read word by word as upstream reads them. Source: apimachinery/pkg/labels/selector.go."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_objects import names

Check = Callable[[Mapping[str, str]], bool]

_SPECIAL, _BLANK = "=!(),><", " \t\r\n"
_PAIRS = ("==", "!=")
_BINARY = "in, notin, =, ==, !=, gt, lt"
_NUMBER = re.compile(r"[+-]?\d{1,18}")
_END, _NAME, _WORD = "", "name", "word"


class SelectorError(ValueError):
    """It cannot be read, or names what no selector can ask for."""


@dataclass(frozen=True, slots=True)
class _Word:
    """`kind` is _END, _NAME, _WORD for `in` and `notin`, or the sign itself."""

    kind: str
    text: str


def _words(written: str) -> Iterator[_Word]:
    place = 0
    while True:
        while place < len(written) and written[place] in _BLANK:
            place += 1
        if place == len(written):
            break
        start = place
        if written[place] in _SPECIAL:
            place += 2 if written[place : place + 2] in _PAIRS else 1
            yield _Word(written[start:place], written[start:place])
            continue
        while place < len(written) and written[place] not in _SPECIAL and written[place] not in _BLANK:
            place += 1
        text = written[start:place]
        yield _Word(_WORD if text in ("in", "notin") else _NAME, text)
    yield _Word(_END, "")


class _Parser:
    def __init__(self, written: str) -> None:
        self._words = list(_words(written))
        self._place = 0

    def _next(self) -> _Word:
        return self._words[min(self._place, len(self._words) - 1)]

    def _take(self) -> _Word:
        found = self._next()
        self._place += 1
        return found

    def requirements(self) -> Iterator[Check]:
        while True:
            found = self._next()
            if found.kind == _END:
                return
            if found.kind not in (_NAME, _WORD, "!"):
                raise SelectorError(f"found '{found.text}', expected: !, identifier, or 'end of string'")
            try:
                yield self._requirement()
            except SelectorError as wrong:
                raise SelectorError(f"unable to parse requirement: {wrong}") from wrong
            behind = self._take()
            if behind.kind == _END:
                return
            if behind.kind != ",":
                raise SelectorError(f"found '{behind.text}', expected: ',' or 'end of string'")
            if self._next().kind not in (_NAME, _WORD, "!"):
                raise SelectorError(f"found '{self._next().text}', expected: identifier after ','")

    def _requirement(self) -> Check:
        found = self._take()
        is_absent = found.kind == "!"
        if is_absent:
            found = self._take()
        if found.kind not in (_NAME, _WORD):
            raise SelectorError(f"found '{found.text}', expected: identifier")
        key = found.text
        if wrong := names.qualified_name(key):
            raise SelectorError(f"<nil>: Invalid value: {_quoted(key)}: {wrong}")
        if is_absent:
            return lambda there: key not in there
        if self._next().kind in (_END, ","):
            return lambda there: key in there
        operator = self._take()
        if operator.kind not in (_WORD, "=", "==", "!=", ">", "<"):
            raise SelectorError(f"found '{operator.text}', expected: {_BINARY}")
        values = self._values() if operator.kind == _WORD else [self._value()]
        _check(key, operator.text, values)
        return _compare(key, operator.text, values)

    def _value(self) -> str:
        if self._next().kind in (_END, ","):
            return ""
        found = self._take()
        if found.kind not in (_NAME, _WORD):
            raise SelectorError(f"found '{found.text}', expected: identifier")
        return found.text

    def _values(self) -> list[str]:
        found = self._take()
        if found.kind != "(":
            raise SelectorError(f"found '{found.text}' expected: '('")
        first = self._next()
        if first.kind == ")":
            self._take()
            return [""]
        if first.kind not in (_NAME, _WORD, ","):
            raise SelectorError(f"found '{first.text}', expected: ',', ')' or identifier")
        values = self._identifiers()
        if self._take().kind != ")":
            raise SelectorError(f"found '{first.text}', expected: ')'")
        return sorted(values)

    def _identifiers(self) -> set[str]:
        values = set[str]()
        while True:
            found = self._take()
            if found.kind in (_NAME, _WORD):
                values.add(found.text)
                if self._next().kind == ")":
                    return values
                if self._next().kind != ",":
                    raise SelectorError(f"found '{self._next().text}', expected: ',' or ')'")
            elif found.kind == ",":
                if not values or self._next().kind in (")", ","):
                    values.add("")
                if self._next().kind == ")":
                    return values
            else:
                raise SelectorError(f"found '{found.text}', expected: ',', or identifier")


def _check(key: str, operator: str, values: Sequence[str]) -> None:
    wrong = []
    for number, each in enumerate(values):
        if operator in ("<", ">") and not _NUMBER.fullmatch(each):
            detail = "for 'Gt', 'Lt' operators, the value must be an integer"
            wrong.append(f"values[{number}]: Invalid value: {_quoted(each)}: {detail}")
    for number, each in enumerate(values):
        if rule := names.label_value(each):
            wrong.append(f"values[{number}][{key}]: Invalid value: {_quoted(each)}: {rule}")
    if wrong:
        raise SelectorError(wrong[0] if len(wrong) == 1 else f"[{', '.join(wrong)}]")


def _compare(key: str, operator: str, values: Sequence[str]) -> Check:
    if operator in ("in", "=", "=="):
        return lambda there: there.get(key) in values
    if operator in ("notin", "!="):
        return lambda there: there.get(key) not in values
    limit, is_more = int(values[0]), operator == ">"

    def compares(there: Mapping[str, str]) -> bool:
        text = there.get(key, "")
        if not _NUMBER.fullmatch(text):
            return False
        return int(text) > limit if is_more else int(text) < limit

    return compares


def _quoted(text: Any) -> str:
    return json.dumps(text, ensure_ascii=False)


def parse(written: str) -> list[Check]:
    """The requirements, all of which an object's labels have to meet; SelectorError."""
    return list(_Parser(written).requirements())
