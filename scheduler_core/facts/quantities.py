"""Amounts as people write them: `1.5` CPU, `512Mi`, `2`."""

_BINARY = (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))
_IN_BYTES = ("memory", "ephemeral-storage")


def amount(resource: str, value: int) -> str:
    """`value` in the resource's base unit (cpu: millicores), to three digits after the point."""
    if resource == "cpu":
        return decimal(value / 1000)
    if resource in _IN_BYTES or resource.startswith("hugepages-"):
        return size(value)
    return str(value)


def size(value: int) -> str:
    """Bytes."""
    for suffix, bits in _BINARY:
        if abs(value) >= 1 << bits:
            return f"{decimal(value / (1 << bits))}{suffix}"
    return str(value)


def decimal(value: float) -> str:
    """At most three digits after the point, none that is not needed."""
    return f"{value:.3f}".rstrip("0").rstrip(".")
