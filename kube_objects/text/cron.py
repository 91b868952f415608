"""Cron schedules. Source: github.com/robfig/cron/v3 ParseStandard, SpecSchedule.Next."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

_LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_MONTHS = dict(
    zip(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], range(1, 13), strict=True)
)
_DAYS = dict(zip(["sun", "mon", "tue", "wed", "thu", "fri", "sat"], range(7), strict=True))
_WORDS = {3: _MONTHS, 4: _DAYS}
_NAMED = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_UNITS = {"h": 3600, "m": 60, "s": 1}
_YEARS_AHEAD = 5


class ScheduleError(ValueError):
    """The text is no schedule."""


@dataclass(slots=True, frozen=True)
class Schedule:
    """The minutes, hours, days, months and weekdays of a schedule, or its interval in seconds."""

    fields: tuple[frozenset[int], ...]
    any_day: bool
    any_weekday: bool
    zone: tzinfo = UTC
    every: int = 0

    def next(self, after: float) -> float | None:
        """Return the first time after `after`, both in seconds since 1970; None if there is none within five years."""
        if self.every:
            return float(int(after) + self.every)
        candidate = datetime.fromtimestamp(int(after) // 60 * 60 + 60, self.zone)
        last = candidate.year + _YEARS_AHEAD
        while candidate.year <= last:
            if candidate.month not in self.fields[3]:
                candidate = _first_of_next_month(candidate)
            elif not self._is_day(candidate):
                candidate = _midnight(candidate + timedelta(days=1))
            elif candidate.hour not in self.fields[1]:
                candidate = _step(candidate, 3600 - candidate.minute * 60)
            elif candidate.minute not in self.fields[0]:
                candidate = _step(candidate, 60)
            else:
                return candidate.timestamp()
        return None

    def _is_day(self, at: datetime) -> bool:
        """Return whether the day matches. If both a day of the month and a weekday are restricted, one match
        is enough.
        """
        in_month, in_week = at.day in self.fields[2], (at.weekday() + 1) % 7 in self.fields[4]
        return (in_month and in_week) if self.any_day or self.any_weekday else (in_month or in_week)


def _step(at: datetime, seconds: int) -> datetime:
    return datetime.fromtimestamp(at.timestamp() + seconds, at.tzinfo)


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0)


def _first_of_next_month(at: datetime) -> datetime:
    return _midnight(at.replace(day=1, year=at.year + at.month // 12, month=at.month % 12 + 1))


def parse(text: str, zone: str | None = None) -> Schedule:
    """Raises ScheduleError."""
    where: tzinfo = UTC
    text = text.strip()
    for prefix in ("TZ=", "CRON_TZ="):
        if text.startswith(prefix):
            zone, _, text = text.removeprefix(prefix).partition(" ")
    if zone:
        try:
            where = ZoneInfo(zone)
        except (ValueError, OSError, KeyError) as error:
            raise ScheduleError(f"provided bad location {zone}: unknown time zone {zone}") from error
    text = text.strip()
    if text.startswith("@every "):
        return Schedule((), False, False, where, _seconds(text.removeprefix("@every ").strip()))
    if text.startswith("@"):
        if text not in _NAMED:
            raise ScheduleError(f"unrecognized descriptor: {text}")
        text = _NAMED[text]
    parts = text.split()
    if len(parts) != len(_LIMITS):
        raise ScheduleError(f"expected exactly 5 fields, found {len(parts)}: [{' '.join(parts)}]")
    fields = tuple(_field(part, at) for at, part in enumerate(parts))
    return Schedule(fields, parts[2][0] in "*?", parts[4][0] in "*?", where)


def _field(text: str, at: int) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        found.update(_range(part, at))
    return frozenset(found)


def _range(text: str, at: int) -> range:
    low, high = _LIMITS[at]
    limits, _, step = text.partition("/")
    first, dash, last = limits.partition("-")
    if limits in ("*", "?"):
        start, end = low, high
    else:
        start = _number(first, at)
        end = _number(last, at) if dash else (high if step else start)
    every = _number(step, -1) if step else 1
    if start < low or end > high or start > end or every < 1:
        raise ScheduleError(f"{text}: must lie within {low}-{high}, in order, with a step of at least 1")
    return range(start, end + 1, every)


def _number(text: str, at: int) -> int:
    known = _WORDS.get(at, {}).get(text.lower())
    if known is not None:
        return known
    if not (text.isascii() and text.isdigit()):
        raise ScheduleError(f"failed to parse int from {text}")
    return int(text)


def _seconds(text: str) -> int:
    total, digits = 0, ""
    for letter in text:
        if letter.isdigit():
            digits += letter
        elif letter in _UNITS and digits:
            total, digits = total + int(digits) * _UNITS[letter], ""
        else:
            raise ScheduleError(f"failed to parse duration @every {text}")
    if digits or not total:
        raise ScheduleError(f"failed to parse duration @every {text}")
    return total
