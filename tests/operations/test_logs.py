"""What logs say, and about what."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from playground import logs
from playground.models import Cluster
from playground.settings import BASE_DIR
from playground.settings.environment import read
from tests.web import Api

SCRIPT = """
import logging, sys
import django
django.setup()
from playground import logs
logger = logging.getLogger("playground.test")
with logs.about(cluster=7):
    logs.note(command=3)
    logger.info("scheduled on %s", "node-1", extra={"pod": "shop/web-0"})
    try:
        1 / 0
    except ZeroDivisionError:
        logger.exception("broken: ±")
logger.debug("not shown")
logging.getLogger("celery.worker").warning("from Celery")
"""


def printed(**settings: str) -> str:
    environ = {**os.environ, "PYTHONPATH": str(BASE_DIR), **settings}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environ, capture_output=True, text=True, check=True)
    return done.stderr


def test_json_lines() -> None:
    first, second, third = map(json.loads, printed(LOG_FORMAT="json", LOG_LEVEL="INFO").splitlines())
    assert {name: first[name] for name in ("level", "logger", "message", "cluster", "command", "pod")} == {
        "level": "INFO",
        "logger": "playground.test",
        "message": "scheduled on node-1",
        "cluster": 7,
        "command": 3,
        "pod": "shop/web-0",
    }
    assert first["time"].endswith("+00:00")
    assert second["message"] == "broken: ±"
    assert second["exception"].endswith("ZeroDivisionError: division by zero")
    assert (third["logger"], "cluster" in third) == ("celery.worker", False)


def test_lines_for_people_say_the_same() -> None:
    text = printed(LOG_LEVEL="INFO")
    assert "INFO playground.test [cluster=7 command=3 pod=shop/web-0]: scheduled on node-1" in text
    assert "WARNING celery.worker: from Celery" in text
    assert "scheduled on" not in printed()


def test_what_is_noted_ends_with_its_block() -> None:
    subject, record = logs.Subject(), logging.makeLogRecord({})
    with logs.about(cluster=1):
        logs.note(command=2)
        with logs.about(cluster=3):
            pass
        subject.filter(record)
        assert record.__dict__["subject"] == {"cluster": 1, "command": 2}
    subject.filter(record)
    assert record.__dict__["about"] == ""


def test_commands_and_attempts_are_logged_with_what_they_are_about(
    api: Api, small: Cluster, collected: "Collected"
) -> None:
    api.command(small.pk, kind="run", until={"cycles": 1})
    attempt, command = [
        record.__dict__ for record in collected.records if record.name == "playground.engine.worker_session"
    ]
    assert attempt["subject"] == {"cluster": small.pk, "command": 2, "pod": "default/web-0"}
    assert attempt["message"].startswith("attempt 1: scheduled: node-")
    assert command["subject"] == {"cluster": small.pk, "command": 2}
    assert command["message"] == "run: done, 1 records"


class Collected(logging.Handler):
    """Keeps what it is given, as the console's handler sees it."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []
        self.addFilter(logs.Subject())

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def collected() -> Iterator[Collected]:
    handler, logger = Collected(), logging.getLogger("playground")
    level = logger.level
    logger.setLevel(logging.DEBUG)
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(level)


SETTINGS: list[tuple[str, dict[str, str], str]] = [
    # name                 environment                    problem
    ("format", {"LOG_FORMAT": "xml"}, "LOG_FORMAT=xml: must be one of line, json"),
    ("level", {"LOG_LEVEL": "loud"}, "LOG_LEVEL=loud: must be one of DEBUG, INFO, WARNING, ERROR"),
    ("token", {"OPERATOR_TOKEN": "short"}, "OPERATOR_TOKEN: give 32 random ASCII characters or more"),
    ("token, foreign", {"OPERATOR_TOKEN": "é" * 40}, "OPERATOR_TOKEN: give 32 random ASCII characters or more"),
]


@pytest.mark.parametrize(("environ", "problem"), [c[1:] for c in SETTINGS], ids=[c[0] for c in SETTINGS])
def test_wrong_settings(environ: dict[str, str], problem: str, tmp_path: Any) -> None:
    with pytest.raises(ImproperlyConfigured, match=problem):
        read({**environ, "DATA_DIR": str(tmp_path)}, tmp_path)


def test_defaults(tmp_path: Any) -> None:
    given = {"DATA_DIR": str(tmp_path), "ALLOWED_HOSTS": "play.example.org", "SECRET_KEY": "0123456789" * 5}
    assert read({**given, "HOST": "0.0.0.0"}, tmp_path).log_level == "INFO"
    assert read({"DATA_DIR": str(tmp_path)}, tmp_path).log_level == "WARNING"
