"""Placeholders for values that differ between runs: times, ages, identities, and the server's random numbers."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from kube_objects.epoch import EPOCH_SECONDS

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_RFC1123 = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d (?:[+-]\d{4}|[A-Z]{3})")
# As Go prints a time.
_GO = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000(?= UTC)")
_AGE_COLUMNS = ("AGE", "LAST SEEN", "FIRST SEEN", "DURATION", "LAST SCHEDULE")
_DURATION = r"(?:\d+[smhdy])+"
_NEAR = timedelta(days=2)

_PLAIN = [
    (re.compile(pattern, re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"^.*(?:client-side throttling|Waited before sending request).*\n", ""),
        (r"^([EWI])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ ", r"\1<klog> "),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
        (r"^((?:---|\+\+\+) [^\t\n]*\t).*$", r"\1<time>"),
        (r'(resourceVersion\\?"?: ?\\?")\d+(\\?")', r"\1<rv>\2"),
        (r"(Resource Version: +)\d+", r"\1<rv>"),
        (r"(resourceVersion=)[1-9]\d*", r"\1<rv>"),
        (r"(too old resource version: )(?:\d+|<rv>) \((?:\d+|<rv>)\)", r"\1<rv> (<rv>)"),
        (r"(current: )\d+", r"\1<rv>"),
        (r'("continue": ?")[^"]+(")', r"\1<continue>\2"),
        (r"(continue=)[\w%+/=-]+", r"\1<continue>"),
        (r"^( *Age: +|Duration: +)(?:\d+[smhdy])+$", r"\1<age>"),
        (rf"\((?:{_DURATION}) ago\)", "(<age> ago)"),
        (rf"(x\d+ over ){_DURATION}", r"\1<age>"),
        # A day that was long ago is another day further away each day.
        (r"(?<=\s)\d{3,}d(?=\s|$)", "<age>"),
        (r"\b10\.96\.\d+\.\d+\b", "<clusterIP>"),
        (
            r"((?:nodePort\"?: ?|NodePort: +.*?|\d+:))(?:30\d{3}|31\d{3}|32[0-6]\d\d|327[0-5]\d|3276[0-7])\b",
            r"\1<nodePort>",
        ),
        (r"(/(?:LIVE|MERGED)-)\d+", r"\1<n>"),
        (r"(kubectl-edit-)\d+", r"\1<n>"),
        (r"(\?hash=)[0-9A-F]{16,}", r"\1<hash>"),
    )
]


_RACE = re.compile(r"^.*very short watch: .*\n", re.MULTILINE)


def without_races(text: str) -> str:
    """Return the text without the result of a race: kubectl may or may not report that its time limit ended a watch."""
    return _RACE.sub("", text)


@dataclass(frozen=True)
class Placeholders:
    """Replacement of variable values.

    `literal`: texts of this run, such as the server's address, and their placeholders.
    """

    literal: dict[str, str] = field(default_factory=dict)
    generate_names: tuple[str, ...] = ()
    further: tuple[tuple[str, str], ...] = ()

    def put_into(self, text: str, *, run: str, unordered: bool = False) -> str:
        """Return the text of the step `run` in comparable form."""
        # First of all: columns are where they were printed.
        text = _without_ages(text, "--no-headers" in run)
        for found, replacement in self.literal.items():
            text = text.replace(found, replacement)
        for pattern, replacement in _PLAIN:
            text = pattern.sub(replacement, text)
        text = _RFC1123.sub(_near_1123, _RFC3339.sub(_near, text))
        text = _GO.sub(_near, text).replace("<time> UTC", "<time>")
        for prefix in self.generate_names:
            text = re.sub(rf"\b({re.escape(prefix)})[bcdfghjklmnpqrstvwxz2456789]{{5}}\b", r"\1<rand>", text)
        for found, replacement in self.further:
            text = re.sub(found, replacement, text, flags=re.MULTILINE)
        return "\n".join(sorted(text.split("\n"))) if unordered else text


def _near(found: re.Match[str]) -> str:
    try:
        when = datetime.fromisoformat(found[0])
    except ValueError:
        return found[0]
    return _placed(when, found[0])


def _near_1123(found: re.Match[str]) -> str:
    when = parsedate_to_datetime(found[0])
    return _placed(when.astimezone(UTC), found[0])


def _placed(when: datetime, text: str) -> str:
    """Return a placeholder for a time close to the recording's, mapped to today's or to the cluster's virtual time."""
    known = (datetime.now(UTC), datetime.fromtimestamp(EPOCH_SECONDS, UTC))
    return "<time>" if any(abs(when - each) < _NEAR for each in known) else text


def _without_ages(text: str, no_headers: bool) -> str:
    """Return the text with ages in tables, and the column widths that depend on them, replaced."""
    out: list[str] = []
    ages: list[int] | None = [] if no_headers else None
    columns: list[tuple[int, int | None]] = []
    for line in text.split("\n"):
        if not line.strip():
            ages = [] if no_headers else None
        elif not no_headers and (found := _age_columns(line)):
            columns, ages = _columns(line), found
        if ages is None:
            out.append(line)
            continue
        line = _without_age(line, columns, ages)
        if no_headers:
            line = re.sub(rf"(?<=\s){_DURATION}(?=\s|$)", "<age>", line)
        lead = line[: len(line) - len(line.lstrip())]
        out.append(lead + re.sub(r" {2,}", "   ", line.strip()))
    return "\n".join(out)


def _without_age(line: str, columns: list[tuple[int, int | None]], ages: list[int]) -> str:
    """Return a row of a table without its ages; rows of a watch have widths of their own."""
    lead = line[: len(line) - len(line.lstrip())]
    cells = re.split(r" {2,}", line.strip())
    if len(cells) == len(columns):
        for number in ages:
            cells[number] = re.sub(rf"^{_DURATION}(?=$| \(x\d)", "<age>", cells[number])
        return lead + "   ".join(cells)
    for start, end in reversed([columns[number] for number in ages]):
        cell = line[start:end]
        line = line[:start] + re.sub(rf"^{_DURATION}(?=\s|$)", "<age>", cell) + (line[end:] if end else "")
    return line


def _columns(line: str) -> list[tuple[int, int | None]]:
    """Return the begin and end of each cell below the head of a table."""
    starts = [found.start() for found in re.finditer(r"(?:(?<=^)|(?<= {2}))\S", line)]
    ends: list[int | None] = [*starts[1:], None]
    return list(zip(starts, ends, strict=False))


def _age_columns(line: str) -> list[int]:
    """Return the indices of the cells with ages, if the line is a table's head."""
    columns = _columns(line)
    is_events = line.split() == ["Type", "Reason", "Age", "From", "Message"]
    is_pods = len(columns) > 3 and line.split()[-1] == "Age"
    names = (*_AGE_COLUMNS, "Age") if is_events or is_pods else _AGE_COLUMNS
    return [number for number, (start, end) in enumerate(columns) if line[start:end].strip() in names]
