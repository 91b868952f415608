"""A Pod template as Go prints its struct. Upstream hashes this text.

Invalid templates get a text, too. Source: k8s.io/utils/dump ForHash, github.com/davecgh/go-spew format.go. Types:
tools/kubernetes_template.go.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube_controllers.data.template import TYPES
from kube_objects.quantity import BINARY_SI, DECIMAL_EXPONENT, DECIMAL_SI, QuantityError, parse_quantity

TEMPLATE = "v1.PodTemplateSpec"
_NIL = "<nil>"
_NO_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"
# Amounts with more digits may not fit into an int64; Go stores them as a decimal.
_DIGITS, _BINARY_DIGITS = 18, 14
_PARTS = re.compile(r"(-?)([0-9]+)(.*)")
_POWERS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENTS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_WORD = 1 << 64


def dump(template: Mapping[str, Any]) -> str:
    """Return the text of `fmt` with `%#v`, without methods and addresses, and with sorted keys."""
    return "".join(_typed(TEMPLATE, template))


def _typed(type_name: str, value: Any) -> Iterator[str]:
    """Yield the type and the value. An empty value that may be nil is nil, as after storage."""
    yield f"({type_name})"
    if type_name.startswith("*"):
        yield from (_NIL,) if value is None else _plain(type_name[1:], value)
    else:
        yield from _plain(type_name, value)


def _plain(type_name: str, value: Any) -> Iterator[str]:
    if printer := _SPECIAL_TYPES.get(type_name):
        yield printer(value)
    elif type_name.startswith("*"):
        yield from (_NIL,) if value is None else ("<*>", *_plain(type_name[1:], value))
    elif type_name.startswith("[]"):
        yield from _list(type_name[2:], value)
    elif type_name.startswith("map["):
        yield from _map(type_name, value)
    elif type_name in TYPES:
        known = TYPES[type_name]
        yield from _struct(known, value) if isinstance(known, list) else _plain(known, value)
    else:
        yield _scalar(type_name, value)


def _list(type_name: str, value: Any) -> Iterator[str]:
    if not value or not isinstance(value, list):
        yield _NIL
        return
    yield "["
    for index, item in enumerate(value):
        yield " " if index else ""
        yield from _plain(type_name, item)
    yield "]"


def _map(type_name: str, value: Any) -> Iterator[str]:
    if not value or not isinstance(value, Mapping):
        yield _NIL
        return
    value_type = type_name.partition("]")[2]
    yield "map["
    # Go sorts by bytes.
    for index, key in enumerate(sorted(value, key=lambda key: str(key).encode())):
        yield f"{' ' if index else ''}{key}:"
        yield from _plain(value_type, value[key])
    yield "]"


def _struct(fields: Sequence[Sequence[str]], struct: Any) -> Iterator[str]:
    value = struct if isinstance(struct, Mapping) else {}
    yield "{"
    for index, (name, type_name, json_name) in enumerate(fields):
        yield f"{' ' if index else ''}{name}:"
        yield from _typed(type_name, value.get(json_name) if json_name else value)
    yield "}"


def _scalar(type_name: str, value: Any) -> str:
    if type_name == "bool":
        return "true" if value else "false"
    return str(value or "") if type_name == "string" else str(value or 0)


def _int_or_string(value: Any) -> str:
    is_text = isinstance(value, str)
    number, text = (0, value) if is_text else (value or 0, "")
    return f"{{Type:(intstr.Type){int(is_text)} IntVal:(int32){number} StrVal:(string){text}}}"


def _quantity(value: Any) -> str:
    """Return a quantity in its canonical form, as it is stored. Source: ParseQuantity."""
    try:
        quantity = parse_quantity(str(value or "0"))
    except QuantityError:
        return str(value)
    text = str(quantity)
    if text == "0":
        return _whole(0, 0, text, DECIMAL_SI)
    sign, digits, suffix = _PARTS.fullmatch(text).groups()  # type: ignore[union-attr]  # it has that form
    number = int(sign + digits)
    if suffix in _POWERS:
        power = _POWERS[suffix]
        if _BINARY_DIGITS - len(digits) - power * 3 // 10 < 0:
            return _decimal(quantity.nano, BINARY_SI)
        return _whole(number << power, 0, text if number % 8 else "", BINARY_SI)
    if len(digits) > _DIGITS:
        return _decimal(quantity.nano, quantity.format)
    exponent = _EXPONENTS[suffix] if suffix in _EXPONENTS else int(suffix[1:])
    format_ = DECIMAL_SI if suffix in _EXPONENTS else DECIMAL_EXPONENT
    return _whole(number, exponent, "" if digits.endswith("000") else text, format_)


def _whole(value: int, scale: int, text: str, format_: str) -> str:
    """Return an int64 quantity. `text` is its cached text, or "" if Go would compute it again."""
    amount = f"(resource.int64Amount){{value:(int64){value} scale:(resource.Scale){scale}}}"
    decimal = "(resource.infDecAmount){Dec:(*inf.Dec)<nil>}"
    return f"{{i:{amount} d:{decimal} s:(string){text} Format:(resource.Format){format_}}}"


def _decimal(nano: int, format_: str) -> str:
    """Return a quantity that may not fit into an int64."""
    rest, words = abs(nano), []
    while rest:
        words.append(str(rest % _WORD))
        rest //= _WORD
    sign = "true" if nano < 0 else "false"
    unscaled = f"(big.Int){{neg:(bool){sign} abs:(big.nat)[{' '.join(words)}]}}"
    amount = "(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0}"
    decimal = f"(resource.infDecAmount){{Dec:(*inf.Dec){{unscaled:{unscaled} scale:(inf.Scale)9}}}}"
    return f"{{i:{amount} d:{decimal} s:(string) Format:(resource.Format){format_}}}"


_SPECIAL_TYPES: Mapping[str, Callable[[Any], str]] = {
    "intstr.IntOrString": _int_or_string,
    "resource.Quantity": _quantity,
    # Templates have no creation time and no managed fields.
    "v1.Time": lambda _: _NO_TIME,
    "v1.FieldsV1": lambda _: "{Raw:([]uint8)<nil>}",
}
