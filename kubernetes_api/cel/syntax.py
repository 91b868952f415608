"""A parser for CEL. Source: cel-go parser/gen/CEL.g4.

It reads what the evaluating library reads, and the optional syntax of Kubernetes: `a.?b`, `a[?i]`, `{?k: v}`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache


class NotReadError(ValueError):
    """The text isn't CEL, or is nested too deeply."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `length` is the number of characters of a string, else 0; `number` the value of an integer."""

    length: int = 0
    number: int | None = None
    text: str | None = None
    is_null: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or the start of a qualified function name."""

    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """`target.field`."""

    target: "Node"
    field: str


@dataclass(frozen=True, slots=True)
class Index:
    """`target[index]`."""

    target: "Node"
    index: "Node"


@dataclass(frozen=True, slots=True)
class Call:
    """A function, an operator, or a method if it has a target."""

    function: str
    target: "Node | None"
    arguments: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A list, map or object with these items. The items of a map are its keys and values in turn."""

    items: tuple["Node", ...]
    is_list: bool


Node = Literal | Name | Select | Index | Call | Made

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*)"
    r"|(?P<raw>(?:[bB]?[rR]|[rR][bB])(?:\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|\"[^\"\n]*\"|'[^'\n]*'))"
    r"|(?P<text>[bB]?(?:\"{3}(?s:\\.|[^\\])*?\"{3}|'{3}(?s:\\.|[^\\])*?'{3}"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'))"
    r"|(?P<number>0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?[uU]?)"
    r"|(?P<name>[A-Za-z_]\w*|`[^`\n]*`)"
    r"|(?P<sign>&&|\|\||[<>=!]=|[-+*/%!<>?:.,()\[\]{}])"
)
_LEVELS: tuple[frozenset[str], ...] = (
    frozenset(["||"]),
    frozenset(["&&"]),
    frozenset(["<", "<=", ">", ">=", "==", "!=", "in"]),
    frozenset(["+", "-"]),
    frozenset(["*", "/", "%"]),
)
_PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_CONSTANTS = ("true", "false", "null")
CONDITION = "_?_:_"


@lru_cache(maxsize=1024)
def parse(expression: str) -> Node:
    """Return the syntax tree. Raise NotReadError."""
    try:
        parser = _Parser(_tokens(expression))
        node = parser.expression()
    except RecursionError as error:
        raise NotReadError("nested too deeply") from error
    if parser.sign:
        raise NotReadError(f"unexpected {parser.sign!r}")
    return node


def _tokens(expression: str) -> list[tuple[str, str]]:
    tokens, place = list[tuple[str, str]](), 0
    while place < len(expression):
        token = _TOKEN.match(expression, place)
        if token is None:
            raise NotReadError(f"unexpected {expression[place]!r}")
        place = token.end()
        kind = str(token.lastgroup)
        if kind != "space":
            tokens.append((kind, token[0]))
    return tokens


class _Parser:
    """A recursive descent over tokens. `sign` is the current token; "" is the end."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens, self._place = [*tokens, ("end", "")], 0
        self.kind, self.sign = self._tokens[0]

    def _next(self) -> str:
        sign = self.sign
        if self._place + 1 < len(self._tokens):
            self._place += 1
        self.kind, self.sign = self._tokens[self._place]
        return sign

    def _is(self, sign: str) -> bool:
        return self.sign == sign and self.kind in ("sign", "name")

    def _skip(self, sign: str) -> bool:
        if not self._is(sign):
            return False
        self._next()
        return True

    def _expect(self, sign: str) -> None:
        if not self._skip(sign):
            raise NotReadError(f"expected {sign!r}, not {self.sign!r}")

    def expression(self) -> Node:
        node = self._binary(0)
        if self._skip("?"):
            chosen = self._binary(0)
            self._expect(":")
            return Call(CONDITION, None, (node, chosen, self.expression()))
        return node

    def _binary(self, level: int) -> Node:
        node = self._unary()
        while self.kind in ("sign", "name") and _PRECEDENCE.get(self.sign, -1) >= level:
            operator = self._next()
            nodes = [node, self._binary(_PRECEDENCE[operator] + 1)]
            while operator in ("&&", "||") and self._skip(operator):
                nodes.append(self._binary(_PRECEDENCE[operator] + 1))
            node = Call(operator, None, tuple(nodes))
        return node

    def _unary(self) -> Node:
        signs = list[str]()
        while self._is("!") or self._is("-"):
            signs.append(self._next())
        node = self._member()
        # The arguments are the same for "!" and "-"; a row of them costs one each.
        for sign in signs:
            node = Call(sign, None, (node,))
        return node

    def _member(self) -> Node:
        node = self._primary()
        while self.kind == "sign":
            if self._skip("."):
                is_optional = self._skip("?")
                if self.kind != "name":
                    raise NotReadError(f"expected a field, not {self.sign!r}")
                field = self._next().strip("`")
                if not is_optional and self._skip("("):
                    node = Call(field, node, self._items(")"))
                else:
                    node = Select(node, field)
            elif self._skip("["):
                self._skip("?")
                index = self.expression()
                self._expect("]")
                node = Index(node, index)
            elif self.sign == "{" and isinstance(node, Name | Select):
                self._next()
                node = Made(self._entries(is_object=True), is_list=False)
            else:
                break
        return node

    def _primary(self) -> Node:
        kind = self.kind
        if kind in ("raw", "text"):
            return _text(self._next(), is_raw=kind == "raw")
        if kind == "number":
            sign = self._next()
            return Literal(number=int(sign) if sign.isdecimal() and len(sign) < 20 else None)
        if self._skip("("):
            node = self.expression()
            self._expect(")")
            return node
        if self._skip("["):
            return Made(self._items("]"), is_list=True)
        if self._skip("{"):
            return Made(self._entries(), is_list=False)
        self._skip(".")
        if self.kind != "name":
            raise NotReadError(f"unexpected {self.sign!r}")
        name = self._next()
        if name in _CONSTANTS:
            return Literal(is_null=name == "null")
        return Call(name, None, self._items(")")) if self._skip("(") else Name(name)

    def _items(self, end: str) -> tuple[Node, ...]:
        return self._until(end, lambda: [self._item()])

    def _entries(self, *, is_object: bool = False) -> tuple[Node, ...]:
        return self._until("}", lambda: self._entry(is_object=is_object))

    def _until(self, end: str, read: Callable[[], list[Node]]) -> tuple[Node, ...]:
        nodes = list[Node]()
        while not self._skip(end):
            nodes += read()
            if not self._skip(","):
                self._expect(end)
                break
        return tuple(nodes)

    def _item(self) -> Node:
        self._skip("?")
        return self.expression()

    def _entry(self, *, is_object: bool) -> list[Node]:
        """Return key and value. The field's name of an object isn't a variable."""
        key = self._item()
        if is_object and isinstance(key, Name):
            key = Literal(len(key.name))
        self._expect(":")
        return [key, self.expression()]


def _text(sign: str, *, is_raw: bool) -> Literal:
    body = sign.lstrip("bBrR")
    quotes = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    body = body[quotes:-quotes]
    return Literal(len(body), text=body if is_raw or "\\" not in body else None)
