"""Log records with their subject (cluster, command, Pod), as lines for people or as JSON for programs."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType

# The possible subjects, in the order of the output. `extra={"pod": …}` of a call overrides `about`.
SUBJECTS = ("cluster", "command", "pod")

_NOTHING: Mapping[str, object] = MappingProxyType({})
_subject: ContextVar[Mapping[str, object]] = ContextVar("subject", default=_NOTHING)


@contextmanager
def about(**subject: object) -> Iterator[None]:
    """Set subjects such as `cluster=7` for everything logged in this block."""
    token = _subject.set({**_subject.get(), **subject})
    try:
        yield
    finally:
        _subject.reset(token)


def note(**subject: object) -> None:
    """Set further subjects until the end of the enclosing `about` block."""
    _subject.set({**_subject.get(), **subject})


class Subject(logging.Filter):
    """A filter that adds the subjects to a log record: `subject` as a mapping, and `about` as text."""

    def filter(self, record: logging.LogRecord) -> bool:
        known = _subject.get()
        values = {name: getattr(record, name, known.get(name)) for name in SUBJECTS}
        subject = {name: value for name, value in values.items() if value is not None}
        words = " ".join(f"{name}={value}" for name, value in subject.items())
        record.subject, record.about = subject, f" [{words}]" if words else ""
        return True


class JsonFormatter(logging.Formatter):
    """A formatter that writes one JSON object per line: time, level, logger, message, subjects, process, exception."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "subject", {}),
            "process": record.process,
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False, default=str)
