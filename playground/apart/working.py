"""Do one thing under limits and tell what came of it: the side of the process that is for this alone.

The process that the others are forked from reads this module first, and with it Django.
"""

import contextlib
import gc
import os
import resource
import signal
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402
from django.core.exceptions import ImproperlyConfigured  # noqa: E402
from django.db import DEFAULT_DB_ALIAS, connections  # noqa: E402

from playground import plugins  # noqa: E402
from playground.database_errors import refusal_of  # noqa: E402
from playground.local.child import die_with_parent  # noqa: E402
from playground.problems import Refused  # noqa: E402


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the caller has and this process has to have: the database and the room in it; and its limits."""

    database: Mapping[str, Any]
    cluster_quota: int
    min_free_disk: int
    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True)
class Done:
    """The function returned this."""

    value: Any


@dataclass(frozen=True, slots=True)
class Turned:
    """It refused."""

    refused: Refused


@dataclass(frozen=True, slots=True)
class Failed:
    """It broke, and this is the traceback."""

    text: str


Answer = Done | Turned | Failed


def work(
    sender: Any,
    surroundings: Surroundings,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    named: Mapping[str, Any],
) -> None:
    """Send one answer, or none when there is no more memory."""
    die_with_parent(os.getppid())
    # It ends before anything would be gained.
    gc.disable()
    _connect_to(surroundings.database)
    settings.CLUSTER_QUOTA, settings.MIN_FREE_DISK = surroundings.cluster_quota, surroundings.min_free_disk
    # What the settings name is read first: limited memory is for the work, which also says what is wrong there.
    with contextlib.suppress(ImproperlyConfigured):
        plugins.registry()
    _limit(surroundings)
    with contextlib.suppress(MemoryError):
        sender.send(_answer(function, arguments, named))


def _connect_to(database: Mapping[str, Any]) -> None:
    """Use the caller's database, whose kind may differ from that of this process's own settings."""
    connections.close_all()
    connections.databases[DEFAULT_DB_ALIAS] = dict(database)
    connections[DEFAULT_DB_ALIAS] = connections.create_connection(DEFAULT_DB_ALIAS)


def _answer(function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> Answer:
    try:
        return Done(function(*map(_read, arguments), **{name: _read(value) for name, value in named.items()}))
    except Refused as refused:
        return Turned(refused)
    except (MemoryError, SystemError) as error:
        # Some of C's code fails without a word when it gets no memory.
        raise MemoryError from error
    except Exception as error:
        unavailable = refusal_of(error)
        return Turned(unavailable) if unavailable else Failed(traceback.format_exc())


def _read(argument: Any) -> Any:
    if isinstance(argument, list):
        return [_read(item) for item in argument]
    path = getattr(argument, "path", None)
    return path.read_bytes() if isinstance(path, Path) else argument


def _limit(surroundings: Surroundings) -> None:
    # Both end the process: the timer on time, the limit also where somebody listens to the timer's signal.
    signal.setitimer(signal.ITIMER_PROF, surroundings.seconds)
    seconds = int(surroundings.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    # Where there is no /proc the address space cannot be limited either.
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + surroundings.bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
