"""Logs that say what they are about: the cluster, the command, the pod. As lines for people or as JSON for machines."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType

# What a log record may be about, in this order. `extra={"pod": …}` of a single call goes before what `about` says.
SUBJECTS = ("cluster", "command", "pod")

_NOTHING: Mapping[str, object] = MappingProxyType({})
_subject: ContextVar[Mapping[str, object]] = ContextVar("subject", default=_NOTHING)


@contextmanager
def about(**subject: object) -> Iterator[None]:
    """Everything logged in this block is about these, such as `cluster=7`."""
    token = _subject.set({**_subject.get(), **subject})
    try:
        yield
    finally:
        _subject.reset(token)


def note(**subject: object) -> None:
    """From here on to the end of the block of `about` around it."""
    _subject.set({**_subject.get(), **subject})


class Subject(logging.Filter):
    """Puts what a record is about on it: `subject`, a mapping, and `about`, the same as text."""

    def filter(self, record: logging.LogRecord) -> bool:
        known = _subject.get()
        found = {name: getattr(record, name, known.get(name)) for name in SUBJECTS}
        subject = {name: value for name, value in found.items() if value is not None}
        words = " ".join(f"{name}={value}" for name, value in subject.items())
        record.subject, record.about = subject, f" [{words}]" if words else ""
        return True


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, subjects, process, exception."""

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
