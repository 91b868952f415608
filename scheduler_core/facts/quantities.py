"""Amounts in readable form: `1.5` CPU, `512Mi`, `2`."""

_BINARY = (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))
_IN_BYTES = ("memory", "ephemeral-storage")


def format_amount(resource: str, value: int) -> str:
    """Return `value` in the resource's base unit (cpu: millicores) with at most three decimals."""
    if resource == "cpu":
        return format_decimal(value / 1000)
    if resource in _IN_BYTES or resource.startswith("hugepages-"):
        return format_bytes(value)
    return str(value)


def format_bytes(value: int) -> str:
    """Return bytes with a binary suffix."""
    for suffix, bits in _BINARY:
        if abs(value) >= 1 << bits:
            return f"{format_decimal(value / (1 << bits))}{suffix}"
    return str(value)


def format_decimal(value: float) -> str:
    """Return a number with at most three decimals, without trailing zeros."""
    return f"{value:.3f}".rstrip("0").rstrip(".")
