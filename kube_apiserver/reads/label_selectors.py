"""A parser of label selectors with upstream's error messages. Source: apimachinery/pkg/labels/selector.go."""

from collections.abc import Iterator
from dataclasses import dataclass

from kube_objects import names
from kube_objects.selectors import (
    DOES_NOT_EXIST,
    EXISTS,
    GT,
    IN,
    LT,
    NOT_IN,
    LabelSelector,
    Requirement,
    aggregate,
    requirement_errors,
)
from kube_objects.text.go import quote

_SPECIAL, _BLANK = "=!(),><", " \t\r\n"
_PAIRS = ("==", "!=")
_BINARY = "in, notin, =, ==, !=, gt, lt"
_OPERATORS = {"in": IN, "=": IN, "==": IN, "notin": NOT_IN, "!=": NOT_IN, ">": GT, "<": LT}
_END, _NAME, _WORD = "", "name", "word"


class SelectorError(ValueError):
    """The error of a selector that can't be parsed, or that uses an unknown field."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A token. `kind` is _END, _NAME, _WORD for `in` and `notin`, or the character itself."""

    kind: str
    text: str


def _tokenize(written: str) -> Iterator[_Token]:
    place = 0
    while True:
        while place < len(written) and written[place] in _BLANK:
            place += 1
        if place == len(written):
            break
        start = place
        if written[place] in _SPECIAL:
            place += 2 if written[place : place + 2] in _PAIRS else 1
            yield _Token(written[start:place], written[start:place])
            continue
        while place < len(written) and written[place] not in _SPECIAL and written[place] not in _BLANK:
            place += 1
        text = written[start:place]
        yield _Token(_WORD if text in ("in", "notin") else _NAME, text)
    yield _Token(_END, "")


class _Parser:
    def __init__(self, written: str) -> None:
        self._words = list(_tokenize(written))
        self._place = 0

    def _next(self) -> _Token:
        return self._words[min(self._place, len(self._words) - 1)]

    def _take_token(self) -> _Token:
        found = self._next()
        self._place += 1
        return found

    def requirements(self) -> Iterator[Requirement]:
        while True:
            token = self._next()
            if token.kind == _END:
                return
            if token.kind not in (_NAME, _WORD, "!"):
                raise SelectorError(f"found '{token.text}', expected: !, identifier, or 'end of string'")
            try:
                yield self._requirement()
            except SelectorError as wrong:
                raise SelectorError(f"unable to parse requirement: {wrong}") from wrong
            separator = self._take_token()
            if separator.kind == _END:
                return
            if separator.kind != ",":
                raise SelectorError(f"found '{separator.text}', expected: ',' or 'end of string'")
            if self._next().kind not in (_NAME, _WORD, "!"):
                raise SelectorError(f"found '{self._next().text}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        token = self._take_token()
        is_absent = token.kind == "!"
        if is_absent:
            token = self._take_token()
        if token.kind not in (_NAME, _WORD):
            raise SelectorError(f"found '{token.text}', expected: identifier")
        key = token.text
        if wrong := names.qualified_name(key):
            raise SelectorError(f"<nil>: Invalid value: {quote(key)}: {wrong}")
        if is_absent:
            return Requirement(key, DOES_NOT_EXIST)
        if self._next().kind in (_END, ","):
            return Requirement(key, EXISTS)
        operator = self._take_token()
        if operator.kind not in (_WORD, "=", "==", "!=", ">", "<"):
            raise SelectorError(f"found '{operator.text}', expected: {_BINARY}")
        values = self._values() if operator.kind == _WORD else [self._value()]
        requirement = Requirement(key, _OPERATORS[operator.text], tuple(values))
        if errors := list(requirement_errors(requirement)):
            raise SelectorError(aggregate(errors))
        return requirement

    def _value(self) -> str:
        if self._next().kind in (_END, ","):
            return ""
        found = self._take_token()
        if found.kind not in (_NAME, _WORD):
            raise SelectorError(f"found '{found.text}', expected: identifier")
        return found.text

    def _values(self) -> list[str]:
        found = self._take_token()
        if found.kind != "(":
            raise SelectorError(f"found '{found.text}' expected: '('")
        first = self._next()
        if first.kind == ")":
            self._take_token()
            return [""]
        if first.kind not in (_NAME, _WORD, ","):
            raise SelectorError(f"found '{first.text}', expected: ',', ')' or identifier")
        values = self._identifiers()
        if self._take_token().kind != ")":
            raise SelectorError(f"found '{first.text}', expected: ')'")
        return sorted(values)

    def _identifiers(self) -> set[str]:
        values = set[str]()
        while True:
            token = self._take_token()
            if token.kind in (_NAME, _WORD):
                values.add(token.text)
                if self._next().kind == ")":
                    return values
                if self._next().kind != ",":
                    raise SelectorError(f"found '{self._next().text}', expected: ',' or ')'")
            elif token.kind == ",":
                if not values or self._next().kind in (")", ","):
                    values.add("")
                if self._next().kind == ")":
                    return values
            else:
                raise SelectorError(f"found '{token.text}', expected: ',', or identifier")


def parse(written: str) -> LabelSelector:
    """Return the selector, or raise SelectorError."""
    return LabelSelector(tuple(_Parser(written).requirements()))
