"""Quantities: amounts, rounding, canonical form, upstream's messages."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube_objects.quantity import (
    BINARY_SI,
    DECIMAL_EXPONENT,
    DECIMAL_SI,
    FORMAT_WRONG,
    MAX_INT64,
    NUMERIC_WRONG,
    SUFFIX_WRONG,
    Quantity,
    QuantityError,
    add,
    parse_milli,
    parse_quantity,
    thousandths,
    whole_units,
)

AMOUNTS = [
    # text, value, milli value, canonical form
    ("0", 0, 0, "0"),
    ("-0", 0, 0, "0"),
    ("1", 1, 1000, "1"),
    ("+1", 1, 1000, "1"),
    ("500m", 1, 500, "500m"),
    ("1500m", 2, 1500, "1500m"),
    ("1.5", 2, 1500, "1500m"),
    ("1.", 1, 1000, "1"),
    (".5", 1, 500, "500m"),
    ("2000m", 2, 2000, "2"),
    ("0.1m", 1, 1, "100u"),
    ("1n", 1, 1, "1n"),
    ("0.1n", 1, 1, "1n"),
    ("1.0000000001", 2, 1001, "1000000001n"),
    ("100u", 1, 1, "100u"),
    ("1k", 1000, 1_000_000, "1k"),
    ("1000k", 10**6, 10**9, "1M"),
    ("12M", 12 * 10**6, 12 * 10**9, "12M"),
    ("3G", 3 * 10**9, 3 * 10**12, "3G"),
    ("4T", 4 * 10**12, 4 * 10**15, "4T"),
    ("5P", 5 * 10**15, 5 * 10**18, "5P"),
    ("1E", 10**18, 0, "1E"),
    ("1Ki", 1024, 1024_000, "1Ki"),
    ("1.5Gi", 1536 * 2**20, 1536 * 2**20 * 1000, "1536Mi"),
    ("1000Ki", 1_024_000, 1_024_000_000, "1000Ki"),
    ("1023Ki", 1023 * 1024, 1023 * 1024_000, "1023Ki"),
    ("1024Ki", 2**20, 2**20 * 1000, "1Mi"),
    ("0.5Ki", 512, 512_000, "512"),
    ("0.0001Ki", 1, 103, "102400u"),
    ("1Ti", 2**40, 2**40 * 1000, "1Ti"),
    ("1Pi", 2**50, 2**50 * 1000, "1Pi"),
    ("1Ei", 2**60, -(2**63), "1Ei"),
    ("9Ei", MAX_INT64, -1000, str(MAX_INT64)),
    ("12e6", 12 * 10**6, 12 * 10**9, "12e6"),
    ("12E6", 12 * 10**6, 12 * 10**9, "12e6"),
    ("1e3", 1000, 10**6, "1e3"),
    ("1e1", 10, 10_000, "10"),
    ("1e-3", 1, 1, "1e-3"),
    ("1e+3", 1000, 10**6, "1e3"),
    ("1e30", 0, 0, "1e30"),
    ("-1500m", -2, -1500, "-1500m"),
    ("-1", -1, -1000, "-1"),
    # Odd, but upstream takes them.
    ("Ki", 0, 0, "0"),
    ("m", 0, 0, "0"),
    ("+", 0, 0, "0"),
    ("00012", 12, 12_000, "12"),
]


@pytest.mark.parametrize(("text", "value", "milli", "canonical"), AMOUNTS)
def test_amounts(text: str, value: int, milli: int, canonical: str) -> None:
    quantity = parse_quantity(text)
    assert (quantity.value, quantity.milli_value, str(quantity)) == (value, milli, canonical)


WRONG = [
    ("", FORMAT_WRONG),
    (" 1", FORMAT_WRONG),
    ("abc", FORMAT_WRONG),
    ("1.1.1", FORMAT_WRONG),
    ("1GB", FORMAT_WRONG),
    ("1 Gi", FORMAT_WRONG),
    ("1,5", FORMAT_WRONG),
    ("0x10", FORMAT_WRONG),
    ("\uff11", FORMAT_WRONG),
    ("1K", SUFFIX_WRONG),
    ("1mi", SUFFIX_WRONG),
    ("1Mm", SUFFIX_WRONG),
    ("1e", SUFFIX_WRONG),
    ("1i", SUFFIX_WRONG),
    ("1-", SUFFIX_WRONG),
    ("1+5", SUFFIX_WRONG),
    ("--1", SUFFIX_WRONG),
    ("1ee5", SUFFIX_WRONG),
    ("9" * 1000, NUMERIC_WRONG),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_is_no_quantity(text: str, message: str) -> None:
    with pytest.raises(QuantityError) as raised:
        parse_quantity(text)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("text", "milli", "units"),
    [
        ("100m", 100, 1),
        ("0.5m", 1, 1),
        ("1Ei", 2**60 * 1000, 2**60),
        ("1E", 10**21, 10**18),
        ("1e40", 10**43, 0),
        ("-0.5m", -1, 0),
    ],
)
def test_as_the_api_server_stores_amounts(text: str, milli: int, units: int) -> None:
    assert parse_milli(text) == milli
    assert whole_units(parse_milli(text)) == units


BEYOND_INT64 = [
    # amounts to add up, thousandths and whole units as int64
    (["10000000000000000"], -8446744073709551616, 10**16),
    (["1e16"], 0, 10**16),
    (["10P"], 0, 10**16),
    (["1e18"], 0, 10**18),
    (["10000000000000k"], -8446744073709551616, 10**16),  # scaled by 10^6 at once, which wraps
    (["10000000000M"], -8446744073709551616, 10**16),
    (["10000000G"], 0, 10**16),
    (["1e19"], 0, 0),
    (["10000000000000000000"], 1864712049423024128, -8446744073709551616),
    (["10000000000000000M"], 1590897978359414784, 1864712049423024128),
    (["9Ei"], -1000, MAX_INT64),
    # A sum has the smaller scale, and one of something without a scale has none.
    (["6P", "6P"], 0, 12 * 10**15),
    (["6P", "6000000000000k"], -6446744073709551616, 12 * 10**15),
    (["6P", "6000000000000000"], -6446744073709551616, 12 * 10**15),
    (["0", "10P"], 0, 10**16),
    (["10P", "0"], 0, 10**16),
    (["1E", "1m"], 3875820019684212737, 10**18 + 1),
]


@pytest.mark.parametrize(("texts", "milli", "units"), BEYOND_INT64)
def test_overflow_is_ignored_as_go_does(texts: list[str], milli: int, units: int) -> None:
    total = reduce(add, map(parse_milli, texts))
    assert (thousandths(total), whole_units(total)) == (milli, units)


def test_formats_are_remembered() -> None:
    given = ["1Ki", "1k", "1e3", "0.0001Ki"]
    assert [parse_quantity(text).format for text in given] == [BINARY_SI, DECIMAL_SI, DECIMAL_EXPONENT, DECIMAL_SI]


@given(
    nano=st.integers(min_value=-(10**27), max_value=10**27),
    quantity_format=st.sampled_from([BINARY_SI, DECIMAL_SI, DECIMAL_EXPONENT]),
)
def test_the_canonical_form_says_the_same_amount(nano: int, quantity_format: str) -> None:
    text = str(Quantity(nano, quantity_format))
    assert parse_quantity(text).nano == nano
    if quantity_format != BINARY_SI:  # 5000 in binary form has no suffix, and is then read as a decimal
        assert str(parse_quantity(text)) == text


@given(st.text(max_size=300))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        quantity = parse_quantity(text)
    except QuantityError:
        return
    assert -MAX_INT64 - 1 <= quantity.milli_value <= MAX_INT64
