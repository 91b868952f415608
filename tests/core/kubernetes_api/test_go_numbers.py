"""Integers of queries and versions are read as Go's strconv reads them."""

from collections.abc import Callable

import pytest

from kubernetes_api.go_numbers import GoNumberError, parse_int, parse_uint

SYNTAX, RANGE = "invalid syntax", "value out of range"


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        (parse_int, "0", 0),
        (parse_int, "+5", 5),
        (parse_int, "-007", -7),
        (parse_int, "9223372036854775807", 2**63 - 1),
        (parse_int, "-9223372036854775808", -(2**63)),
        (parse_int, "9223372036854775808", RANGE),
        (parse_int, "9" * 5000, RANGE),
        (parse_int, "", SYNTAX),
        (parse_int, "1_0", SYNTAX),
        (parse_int, "1e3", SYNTAX),
        (parse_int, " 1", SYNTAX),
        (parse_int, "1\n", SYNTAX),
        # Digits of another script, which Python reads.
        (parse_int, "\uff11\uff12", SYNTAX),
        (parse_uint, "18446744073709551615", 2**64 - 1),
        (parse_uint, "18446744073709551616", RANGE),
        (parse_uint, "+1", SYNTAX),
        (parse_uint, "-1", SYNTAX),
        (parse_uint, "\u0661", SYNTAX),
    ],
)
def test_numbers(parse: Callable[[str], int], text: str, expected: int | str) -> None:
    if isinstance(expected, int):
        assert parse(text) == expected
        return
    with pytest.raises(GoNumberError, match=expected) as wrong:
        parse(text)
    assert str(wrong.value).startswith(f'strconv.{"ParseInt" if parse is parse_int else "ParseUint"}: parsing "')
