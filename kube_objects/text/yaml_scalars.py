"""A YAML scalar → the value that kube-scheduler's YAML library takes it for (YAML 1.1 with its own corners).

`weight: 010` is eight, `name: on` is true, `08` is 8.0 and `1_000` a thousand. Source: go.yaml.in/yaml/v2 resolve.go.
"""

import base64
import binascii
import re

Scalar = str | int | float | bool | None

_TAG = "tag:yaml.org,2002:"
STR_TAG, BOOL_TAG, INT_TAG, FLOAT_TAG = _TAG + "str", _TAG + "bool", _TAG + "int", _TAG + "float"
NULL_TAG, TIMESTAMP_TAG, BINARY_TAG, MERGE_TAG = _TAG + "null", _TAG + "timestamp", _TAG + "binary", _TAG + "merge"
_RESOLVABLE = {"", STR_TAG, BOOL_TAG, INT_TAG, FLOAT_TAG, NULL_TAG, TIMESTAMP_TAG}

_INF, _NAN = float("inf"), float("nan")
_WORDS: dict[str, tuple[str, Scalar]] = {
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], (BOOL_TAG, True)),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], (BOOL_TAG, False)),
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], (NULL_TAG, None)),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], (FLOAT_TAG, _NAN)),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], (FLOAT_TAG, _INF)),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], (FLOAT_TAG, -_INF)),
}
_INTEGER = re.compile(r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_MAX_INTEGER_TEXT = 100  # 64 binary digits and their prefix fit easily; Python refuses to convert very long texts
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"([Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


class ResolveError(ValueError):
    """A scalar that does not fit its explicit tag; the text is upstream's, without `yaml: `."""


def resolve(tag: str, text: str) -> Scalar:
    """Return the value of a plain (or explicitly tagged) scalar; `tag` is "" for an untagged one."""
    if tag == BINARY_TAG:
        try:
            return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True).decode("utf-8", "replace")
        except binascii.Error:
            raise ResolveError("!!binary value contains invalid base64 data") from None
    if tag not in _RESOLVABLE or tag == STR_TAG:
        return text
    resolved_tag, value = _plain(tag, text)
    if tag in ("", resolved_tag):
        return value
    if tag == FLOAT_TAG and resolved_tag == INT_TAG and isinstance(value, int) and value < 1 << 63:
        return float(value)
    raise ResolveError(f"cannot decode {_short(resolved_tag)} `{text}` as a {_short(tag)}")


def tag_of(text: str) -> str:
    """Return the tag of a plain scalar; TIMESTAMP_TAG for timestamps, which are text in JSON."""
    return _plain("", text)[0]


def _short(tag: str) -> str:
    return tag.replace(_TAG, "!!", 1)


def _plain(tag: str, text: str) -> tuple[str, Scalar]:
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first == "." and _FLOAT.fullmatch(text) and abs(float(text)) != _INF:
        return FLOAT_TAG, float(text)
    if first not in "+-0123456789":
        return STR_TAG, text
    if tag in ("", TIMESTAMP_TAG) and _TIMESTAMP.fullmatch(text):
        return TIMESTAMP_TAG, text
    number = text.replace("_", "")
    integer = _integer(number)
    if integer is not None:
        return INT_TAG, integer
    if _FLOAT.fullmatch(number) and abs(float(number)) != _INF:
        return FLOAT_TAG, float(number)
    return STR_TAG, text


def _integer(text: str) -> int | None:
    match = _INTEGER.fullmatch(text)
    if match is None or len(text) > _MAX_INTEGER_TEXT:
        return None
    sign, hexadecimal, binary, octal, decimal = match.groups()
    for digits, base in ((hexadecimal, 16), (binary, 2), (octal, 8), (decimal, 10)):
        if digits is not None:
            value = int(digits, base)
    if sign:
        value = -value if sign == "-" else value
        return value if -(1 << 63) <= value < 1 << 63 else None
    return value if value < 1 << 64 else None
