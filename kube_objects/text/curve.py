"""Curves in annotations and objects: `0=500m 10m=4 30m=500m`, a time and an amount for each point."""

MOST_POINTS = 2000
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class CurveError(ValueError):
    """The text is no curve."""


def seconds_of(text: str) -> float:
    """Return the seconds of `90`, `90s`, `10m`, `2h` or `1d`. Raise ValueError for anything else."""
    unit = _UNITS.get(text[-1:])
    seconds = float(text if unit is None else text[:-1]) * (1.0 if unit is None else unit)
    if not 0 <= seconds < 1e9:
        raise ValueError(f"{text!r} is no time")
    return seconds


def points_of(text: str) -> list[tuple[float, str, str]]:
    """Seconds, the amount as it is written and the whole point, in the order of the text. Raises CurveError."""
    points = []
    for part in text.split():
        at, equals, value = part.partition("=")
        try:
            points.append((seconds_of(at), value, part))
        except ValueError:
            raise no_point(part) from None
        if not equals or len(points) > MOST_POINTS:
            raise CurveError(f"a load has at most {MOST_POINTS} points, each TIME=QUANTITY")
    if not points:
        raise CurveError("the load has no points")
    return points


def no_point(part: str) -> CurveError:
    return CurveError(f"{part!r} is no point of a load: write TIME=QUANTITY, such as 10m=4")
