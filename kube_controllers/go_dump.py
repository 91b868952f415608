"""A pod template as Go prints the struct that it becomes, which upstream hashes.

What no API server would have taken has some form, too.

Source: k8s.io/utils/dump ForHash, github.com/davecgh/go-spew format.go. The types: tools/kubernetes_template.go.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube_controllers.data.template import TYPES
from kube_objects.quantity import BINARY_SI, DECIMAL_EXPONENT, DECIMAL_SI, QuantityError, parse_quantity

TEMPLATE = "v1.PodTemplateSpec"
_NIL = "<nil>"
_NO_TIME = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}"
# More digits than these do not surely fit into an int64: Go keeps such an amount in another way.
_DIGITS, _BINARY_DIGITS = 18, 14
_PARTS = re.compile(r"(-?)([0-9]+)(.*)")
_POWERS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENTS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_WORD = 1 << 64


def dump(template: Mapping[str, Any]) -> str:
    """As `fmt` prints it by `%#v`, without methods and addresses, and with sorted keys."""
    return "".join(_typed(TEMPLATE, template))


def _typed(of: str, value: Any) -> Iterator[str]:
    """With its type before it; what is empty and may be nil is nil, as when it was stored in between."""
    yield f"({of})"
    if of.startswith("*"):
        yield from (_NIL,) if value is None else _plain(of[1:], value)
    else:
        yield from _plain(of, value)


def _plain(of: str, value: Any) -> Iterator[str]:
    if by_hand := _BY_HAND.get(of):
        yield by_hand(value)
    elif of.startswith("*"):
        yield from (_NIL,) if value is None else ("<*>", *_plain(of[1:], value))
    elif of.startswith("[]"):
        yield from _list(of[2:], value)
    elif of.startswith("map["):
        yield from _map(of, value)
    elif of in TYPES:
        known = TYPES[of]
        yield from _struct(known, value) if isinstance(known, list) else _plain(known, value)
    else:
        yield _scalar(of, value)


def _list(of: str, value: Any) -> Iterator[str]:
    if not value or not isinstance(value, list):
        yield _NIL
        return
    yield "["
    for place, item in enumerate(value):
        yield " " if place else ""
        yield from _plain(of, item)
    yield "]"


def _map(of: str, value: Any) -> Iterator[str]:
    if not value or not isinstance(value, Mapping):
        yield _NIL
        return
    of_value = of.partition("]")[2]
    yield "map["
    # Go sorts by bytes.
    for place, key in enumerate(sorted(value, key=lambda key: str(key).encode())):
        yield f"{' ' if place else ''}{key}:"
        yield from _plain(of_value, value[key])
    yield "]"


def _struct(fields: Sequence[Sequence[str]], given: Any) -> Iterator[str]:
    value = given if isinstance(given, Mapping) else {}
    yield "{"
    for place, (name, of, in_json) in enumerate(fields):
        yield f"{' ' if place else ''}{name}:"
        yield from _typed(of, value.get(in_json) if in_json else value)
    yield "}"


def _scalar(of: str, value: Any) -> str:
    if of == "bool":
        return "true" if value else "false"
    return str(value or "") if of == "string" else str(value or 0)


def _int_or_string(value: Any) -> str:
    is_text = isinstance(value, str)
    number, text = (0, value) if is_text else (value or 0, "")
    return f"{{Type:(intstr.Type){int(is_text)} IntVal:(int32){number} StrVal:(string){text}}}"


def _quantity(value: Any) -> str:
    """In its canonical form, as it is stored. Source: ParseQuantity."""
    try:
        known = parse_quantity(str(value or "0"))
    except QuantityError:
        return str(value)
    text = str(known)
    if text == "0":
        return _whole(0, 0, text, DECIMAL_SI)
    sign, digits, suffix = _PARTS.fullmatch(text).groups()  # type: ignore[union-attr]  # it has that form
    number = int(sign + digits)
    if suffix in _POWERS:
        power = _POWERS[suffix]
        if _BINARY_DIGITS - len(digits) - power * 3 // 10 < 0:
            return _decimal(known.nano, BINARY_SI)
        return _whole(number << power, 0, text if number % 8 else "", BINARY_SI)
    if len(digits) > _DIGITS:
        return _decimal(known.nano, known.format)
    exponent = _EXPONENTS[suffix] if suffix in _EXPONENTS else int(suffix[1:])
    written = DECIMAL_SI if suffix in _EXPONENTS else DECIMAL_EXPONENT
    return _whole(number, exponent, "" if digits.endswith("000") else text, written)


def _whole(value: int, scale: int, text: str, written: str) -> str:
    """`text`: as it was read, if nothing about it is to be changed when it is written."""
    amount = f"(resource.int64Amount){{value:(int64){value} scale:(resource.Scale){scale}}}"
    decimal = "(resource.infDecAmount){Dec:(*inf.Dec)<nil>}"
    return f"{{i:{amount} d:{decimal} s:(string){text} Format:(resource.Format){written}}}"


def _decimal(nano: int, written: str) -> str:
    """An amount that may not fit into an int64."""
    rest, words = abs(nano), []
    while rest:
        words.append(str(rest % _WORD))
        rest //= _WORD
    sign = "true" if nano < 0 else "false"
    unscaled = f"(big.Int){{neg:(bool){sign} abs:(big.nat)[{' '.join(words)}]}}"
    amount = "(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0}"
    decimal = f"(resource.infDecAmount){{Dec:(*inf.Dec){{unscaled:{unscaled} scale:(inf.Scale)9}}}}"
    return f"{{i:{amount} d:{decimal} s:(string) Format:(resource.Format){written}}}"


_BY_HAND: Mapping[str, Callable[[Any], str]] = {
    "intstr.IntOrString": _int_or_string,
    "resource.Quantity": _quantity,
    # Nobody gives a template a time of its own, or who manages it.
    "v1.Time": lambda _: _NO_TIME,
    "v1.FieldsV1": lambda _: "{Raw:([]uint8)<nil>}",
}
