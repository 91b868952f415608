"""Validation of cron schedules and time zones. Source: robfig/cron parser.go, pkg/apis/batch/validation."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from kube_apiserver import causes
from kube_apiserver.causes import Cause

_NAMES_OF_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES_OF_MONTHS, 1)}
_DAYS = {name: number for number, name in enumerate(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))}
_FIELDS: tuple[tuple[int, int, Mapping[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_NAMED = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_DURATION = re.compile(r"[-+]?([0-9]{1,18}(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)")
_LONGEST = 1000


class _UnreadableError(ValueError):
    """A schedule that the cron parser cannot read, with the parser's error message."""


def validate_schedule(schedule: str, zone_field: Any, path: str, *, may_have_zone: bool) -> Iterator[Cause]:
    """Validate a schedule. `may_have_zone` permits TZ, because the stored schedule has one."""
    if message := find_parse_error(schedule):
        yield causes.invalid(path, schedule, message)
    if "TZ" not in schedule:
        return
    if not may_have_zone:
        yield causes.invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
    elif zone_field is not None:
        yield causes.invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")


def validate_time_zone(name: str, path: str) -> Iterator[Cause]:
    """Source: validateTimeZone."""
    if not name:
        yield causes.invalid(path, name, "timeZone must be nil or non-empty string")
        return
    for part in name.split("/"):
        if part in (".", "..") or part.startswith("-") or not re.fullmatch(r"[A-Za-z.\-_0-9+]{1,14}", part):
            yield causes.invalid(path, name, f"unknown time zone {name}")
            return
    if name.lower() == "local":
        message = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        yield causes.invalid(path, name, message)
    if name != "Local" and not _is_zone(name):
        # Source: time.LoadLocation, which rejects paths outside its directory.
        is_odd = ".." in name or name.startswith("/")
        yield causes.invalid(path, name, "time: invalid location name" if is_odd else f"unknown time zone {name}")


def _is_zone(name: str) -> bool:
    try:
        return name in ("", "UTC") or bool(ZoneInfo(name))
    except (KeyError, OSError, ValueError):
        return False


def find_parse_error(schedule: str) -> str:
    """Return the cron parser's error message for a schedule, or "" if it is valid."""
    try:
        _parse_schedule(schedule[:_LONGEST])
    except _UnreadableError as wrong:
        return str(wrong)
    return ""


def _parse_schedule(schedule: str) -> None:
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        name, space, rest = schedule.partition("=")[2].partition(" ")
        if not space:
            start = schedule.index("=") + 1
            raise _UnreadableError(f"invalid schedule format: runtime error: slice bounds out of range [{start}:-1]")
        if not _is_zone(name):
            raise _UnreadableError(f"provided bad location {name}: unknown time zone {name}")
        schedule = rest.strip()
    if schedule.startswith("@"):
        _parse_descriptor(schedule)
        return
    words = schedule.split()
    if len(words) != len(_FIELDS):
        raise _UnreadableError(f"expected exactly {len(_FIELDS)} fields, found {len(words)}: [{' '.join(words)}]")
    for word, (least, most, names) in zip(words, _FIELDS, strict=True):
        for part in word.split(","):
            # Go's FieldsFunc drops empty parts.
            if part:
                _parse_range(part, least, most, names)


def _parse_descriptor(schedule: str) -> None:
    if schedule in _NAMED:
        return
    if not schedule.startswith("@every "):
        raise _UnreadableError(f"unrecognized descriptor: {schedule}")
    text = schedule.removeprefix("@every ")
    if text != "0" and not (text and _is_duration(text)):
        raise _UnreadableError(f'failed to parse duration {schedule}: time: invalid duration "{text}"')


def _is_duration(text: str) -> bool:
    offset = 0
    while offset < len(text):
        match = _DURATION.match(text, offset)
        if match is None or (offset and text[offset] in "+-"):
            return False
        offset = match.end()
    return True


def _parse_range(text: str, least: int, most: int, names: Mapping[str, int]) -> None:
    """Raise _UnreadableError unless one part of a field is valid: `*`, `3`, `1-5` or `*/10`."""
    ends, *steps = text.split("/")
    low, *high = ends.split("-")
    step = 1
    if low in ("*", "?"):
        start, end = least, most
    else:
        start = end = _parse_number(low, names)
        if len(high) > 1:
            raise _UnreadableError(f"too many hyphens: {text}")
        if high:
            end = _parse_number(high[0], names)
    if len(steps) > 1:
        raise _UnreadableError(f"too many slashes: {text}")
    if steps:
        step = _parse_number(steps[0], {})
        end = end if high else most
    if start < least:
        raise _UnreadableError(f"beginning of range ({start}) below minimum ({least}): {text}")
    if end > most:
        raise _UnreadableError(f"end of range ({end}) above maximum ({most}): {text}")
    if start > end:
        raise _UnreadableError(f"beginning of range ({start}) beyond end of range ({end}): {text}")
    if not step:
        raise _UnreadableError(f"step of range should be a positive number: {text}")


def _parse_number(text: str, names: Mapping[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not re.fullmatch(r"[-+]?[0-9]{1,18}", text):
        raise _UnreadableError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    if int(text) < 0:
        raise _UnreadableError(f"negative number ({int(text)}) not allowed: {text}")
    return int(text)
