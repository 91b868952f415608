"""A parser for CEL. Source: cel-go parser/gen/CEL.g4.

It reads what the evaluating library reads, and the optional syntax of Kubernetes: `a.?b`, `a[?i]`, `{?k: v}`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache


class NotReadError(ValueError):
    """The text isn't CEL, or is nested too deeply."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant.

    `kind`: bool, bytes, double, int, null, string or uint. `length`: characters of a string or bytes of a sequence,
    else 0. `number`: the value of an integer. `text`: the value of a string.
    """

    kind: str
    length: int = 0
    number: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or the start of a qualified function name."""

    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """`target.field`, or `target.?field`."""

    target: "Node"
    field: str
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """`target[index]`, or `target[?index]`."""

    target: "Node"
    index: "Node"
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function, an operator, or a method if it has a target."""

    function: str
    target: "Node | None"
    arguments: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A list, map or object with these items. The items of a map are its keys and values in turn.

    `optional`: the places of the optional items of a list, or entries of a map. `type_name`: the type of an object.
    """

    items: tuple["Node", ...]
    is_list: bool
    optional: frozenset[int] = frozenset()
    type_name: str = ""


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
# An escaped character, and an escaped byte of a sequence.
_ESCAPE = re.compile(r"\\([xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)", re.DOTALL)
_OCTET = re.compile(r"\\(?:[xX][0-9a-fA-F]{2}|[0-3][0-7]{2})")
_SIMPLE_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
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
        parser = _ExpressionParser(_tokens(expression))
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


class _ExpressionParser:
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
        is_negative = self.kind == "number" and signs[-1:] == ["-"]
        if is_negative:
            signs.pop()
        node = self._member(is_negative=is_negative)
        # The arguments are the same for "!" and "-"; a row of them costs one each.
        for sign in signs:
            node = Call(sign, None, (node,))
        return node

    def _member(self, *, is_negative: bool) -> Node:
        node = self._primary(is_negative=is_negative)
        while self.kind == "sign":
            if self._skip("."):
                is_optional = self._skip("?")
                if self.kind != "name":
                    raise NotReadError(f"expected a field, not {self.sign!r}")
                field = self._next().strip("`")
                if not is_optional and self._skip("("):
                    node = Call(field, node, self._items(")"))
                else:
                    node = Select(node, field, is_optional)
            elif self._skip("["):
                is_optional = self._skip("?")
                index = self.expression()
                self._expect("]")
                node = Index(node, index, is_optional)
            elif self.sign == "{" and isinstance(node, Name | Select):
                self._next()
                node = self._made("}", type_name=qualified_name(node) or "?")
            else:
                break
        return node

    def _primary(self, *, is_negative: bool) -> Node:
        kind = self.kind
        if kind in ("raw", "text"):
            return _text(self._next(), is_raw=kind == "raw")
        if kind == "number":
            return _number(self._next(), is_negative=is_negative)
        if self._skip("("):
            node = self.expression()
            self._expect(")")
            return node
        if self._skip("["):
            return self._made("]")
        if self._skip("{"):
            return self._made("}")
        self._skip(".")
        if self.kind != "name":
            raise NotReadError(f"unexpected {self.sign!r}")
        name = self._next()
        if name in _CONSTANTS:
            return Literal("null" if name == "null" else "bool")
        return Call(name, None, self._items(")")) if self._skip("(") else Name(name)

    def _items(self, end: str) -> tuple[Node, ...]:
        nodes = list[Node]()
        while not self._skip(end):
            nodes.append(self.expression())
            if not self._skip(","):
                self._expect(end)
                break
        return tuple(nodes)

    def _made(self, end: str, type_name: str = "") -> Made:
        """Return a list, a map, or an object of this type."""
        nodes, optional, count = list[Node](), set[int](), 0
        while not self._skip(end):
            if self._skip("?"):
                optional.add(count)
            count += 1
            key = self.expression()
            if end == "}":
                # The name of an object's field isn't a variable.
                if type_name and isinstance(key, Name):
                    key = Literal("string", len(key.name), text=key.name)
                self._expect(":")
                nodes += [key, self.expression()]
            else:
                nodes.append(key)
            if not self._skip(","):
                self._expect(end)
                break
        return Made(tuple(nodes), end == "]", frozenset(optional), type_name)


def qualified_name(node: Node) -> str:
    """Return the names of a row of fields, joined by dots; "" if the node is something else."""
    names = list[str]()
    while isinstance(node, Select) and not node.is_optional:
        names.append(node.field)
        node = node.target
    return ".".join((node.name, *reversed(names))) if isinstance(node, Name) else ""


def _number(sign: str, *, is_negative: bool) -> Literal:
    if sign[-1] in "uU":
        return Literal("uint")
    if sign[:2].lower() != "0x" and not sign.isdecimal():
        return Literal("double")
    if len(sign) >= 20:
        return Literal("int")
    number = int(sign, 0 if sign[:2].lower() == "0x" else 10)
    return Literal("int", number=-number if is_negative else number)


def _text(sign: str, *, is_raw: bool) -> Literal:
    body = sign.lstrip("bBrR")
    prefix = sign[: len(sign) - len(body)].lower()
    quotes = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    body = body[quotes:-quotes]
    if "b" not in prefix:
        text = body if is_raw else _ESCAPE.sub(_unescaped, body)
        return Literal("string", len(text), text=text)
    octets = 0 if is_raw else len(_OCTET.findall(body))
    rest = body if is_raw else _ESCAPE.sub(_unescaped, _OCTET.sub("", body))
    return Literal("bytes", octets + len(rest.encode("utf-8", "surrogatepass")))


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "xXuU" and len(code) > 1:
        number = int(code[1:], 16)
    elif code[0].isdigit():
        number = int(code, 8)
    else:
        return _SIMPLE_ESCAPES.get(code, code)
    return chr(number) if number < 0x110000 else "?"
