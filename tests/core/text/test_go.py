"""Values as Go prints and parses them, and YAML scalars as upstream resolves them."""

import math

import pytest

from kube_objects.text.go import DurationError, format_duration, json_float, json_string, parse_duration, quote
from kube_objects.text.yaml_scalars import BOOL_TAG, FLOAT_TAG, INT_TAG, STR_TAG, ResolveError, resolve
from scheduler_core.config.decode import _float32

MS = 1_000_000
S = 1000 * MS

DURATIONS = [
    # text, nanoseconds, as Go prints it
    ("0", 0, "0s"),
    ("15s", 15 * S, "15s"),
    ("90s", 90 * S, "1m30s"),
    ("1h", 3600 * S, "1h0m0s"),
    ("1h0.5m", 3630 * S, "1h0m30s"),
    ("1.5s", 1500 * MS, "1.5s"),
    ("100ms", 100 * MS, "100ms"),
    ("1500us", 1500 * 1000, "1.5ms"),
    ("1µs", 1000, "1µs"),
    ("-1m", -60 * S, "-1m0s"),
    ("+.25h", 900 * S, "15m0s"),
    ("2562047h47m16.854775807s", (1 << 63) - 1, "2562047h47m16.854775807s"),
]


@pytest.mark.parametrize(("text", "nanoseconds", "printed"), DURATIONS)
def test_duration(text: str, nanoseconds: int, printed: str) -> None:
    assert parse_duration(text) == nanoseconds
    assert format_duration(nanoseconds) == printed


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", 'time: invalid duration ""'),
        ("-", 'time: invalid duration "-"'),
        ("soon", 'time: invalid duration "soon"'),
        ("1", 'time: missing unit in duration "1"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        (".s", 'time: invalid duration ".s"'),
        ("9999999h", 'time: invalid duration "9999999h"'),
        ("1é", 'time: unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"'),
    ],
)
def test_bad_duration(text: str, want: str) -> None:
    with pytest.raises(DurationError) as raised:
        parse_duration(text)
    assert str(raised.value) == want


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (1.5, "1.5"),
        (100.0, "100"),
        (0.000001, "0.000001"),
        (0.0000001, "1e-7"),
        (1.25e-10, "1.25e-10"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-2.5e30, "-2.5e+30"),
        (123456789.125, "123456789.125"),
    ],
)
def test_json_float(value: float, want: str) -> None:
    assert json_float(value) == want


@pytest.mark.parametrize(
    ("literal", "want"),
    [("0.1", 0.1), ("50", 50.0), ("16777217", 16777216.0), ("1e39", None), ("3.4028235e38", 3.4028235e38)],
)
def test_float32(literal: str, want: float | None) -> None:
    assert _float32(literal) == want


def test_strings() -> None:
    assert quote('a"\\\n\x00\x7f\u200bé\U000e0001') == r'"a\"\\\n\x00\x7f\u200bé\U000e0001"'
    assert json_string('<a&b>"\\\n\x01\u2028é') == r'"\u003ca\u0026b\u003e\"\\\n\u0001\u2028é"'


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", None),
        ("~", None),
        ("NULL", None),
        ("nULL", "nULL"),
        ("y", True),
        ("Off", False),
        ("tRUE", "tRUE"),
        ("12", 12),
        ("+12", 12),
        ("-0x1F", -31),
        ("0o17", 15),
        ("017", 15),
        ("0b101", 5),
        ("08", 8.0),
        ("1_0", 10),
        ("1.", 1.0),
        (".5", 0.5),
        (".5_0", ".5_0"),
        ("1e3", 1000.0),
        ("1e", "1e"),
        ("-.inf", -math.inf),
        ("1e999", "1e999"),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709551616.0),
        ("2001-01-02", "2001-01-02"),
        ("2001-01", "2001-01"),
        ("1:30", "1:30"),
        ("0x", "0x"),
    ],
)
def test_plain_scalar(text: str, want: object) -> None:
    got = resolve("", text)
    assert got == want
    assert type(got) is type(want)


@pytest.mark.parametrize(
    ("tag", "text", "want"),
    [(STR_TAG, "12", "12"), (FLOAT_TAG, "12", 12.0), (INT_TAG, "12", 12), ("!mine", "12", "12")],
)
def test_tagged_scalar(tag: str, text: str, want: object) -> None:
    assert resolve(tag, text) == want


def test_tag_that_does_not_fit() -> None:
    with pytest.raises(ResolveError, match="cannot decode !!int `12` as a !!bool"):
        resolve(BOOL_TAG, "12")
