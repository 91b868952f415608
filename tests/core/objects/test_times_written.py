"""Times as they are written: to the nanosecond, and the same number again when they are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube_objects.read import format_time, parse_time

WRITTEN = [
    (0.0, "1970-01-01T00:00:00Z"),
    (946684800, "2000-01-01T00:00:00Z"),
    (946684800.0, "2000-01-01T00:00:00Z"),
    (946684800.001, "2000-01-01T00:00:00.001Z"),
    (946684800.120, "2000-01-01T00:00:00.12Z"),
    (946684800.1234567, "2000-01-01T00:00:00.1234567Z"),
    (0.1 + 0.2, "1970-01-01T00:00:00.3Z"),  # more digits than nanoseconds
    (1e-07, "1970-01-01T00:00:00.0000001Z"),
    (-0.5, "1969-12-31T23:59:59.5Z"),
]


@pytest.mark.parametrize(("seconds", "text"), WRITTEN)
def test_a_time_is_written(seconds: float, text: str) -> None:
    assert format_time(seconds) == text


@given(st.floats(0, 4e9))
def test_a_time_is_read_as_it_was_written(seconds: float) -> None:
    read = parse_time(format_time(seconds))
    assert read is not None
    assert abs(read - seconds) <= 1e-9
    assert seconds < 1e8 or read == seconds
