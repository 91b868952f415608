"""Columns of many rows in PostgreSQL's array syntax, which is faster than the driver's own lists.

https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
"""

from collections.abc import Iterable


def array(values: Iterable[object]) -> str:
    """Return the text of an array. Raise TypeError for values other than text, bytes, numbers, booleans and None."""
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
