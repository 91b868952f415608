"""Call a function in a subprocess under limits: the subprocess's side.

The fork server imports this module first, and with it Django.
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
class ProcessSettings:
    """The caller's database and its quotas, and the limits of the subprocess: CPU seconds and bytes of memory."""

    database: Mapping[str, Any]
    cluster_quota: int
    min_free_disk: int
    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True)
class Returned:
    """The value that the function returned."""

    value: Any


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """The refusal that the function raised."""

    refused: Refused


@dataclass(frozen=True, slots=True)
class Failed:
    """The traceback of a function that failed."""

    text: str


CallOutcome = Returned | RefusedCall | Failed


def run_call(
    sender: Any,
    surroundings: ProcessSettings,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    named: Mapping[str, Any],
) -> None:
    """Call the function and send one answer, or none when memory is exhausted."""
    die_with_parent(os.getppid())
    # The process ends before a collection pays off.
    gc.disable()
    _connect_to(surroundings.database)
    settings.CLUSTER_QUOTA, settings.MIN_FREE_DISK = surroundings.cluster_quota, surroundings.min_free_disk
    # Plugins of the settings are imported before the memory is limited. The function reports their errors.
    with contextlib.suppress(ImproperlyConfigured):
        plugins.registry()
    _set_limits(surroundings)
    with contextlib.suppress(MemoryError):
        sender.send(_call(function, arguments, named))


def _connect_to(database: Mapping[str, Any]) -> None:
    """Use the caller's database, whose kind may differ from that of this process's own settings."""
    connections.close_all()
    connections.databases[DEFAULT_DB_ALIAS] = dict(database)
    connections[DEFAULT_DB_ALIAS] = connections.create_connection(DEFAULT_DB_ALIAS)


def _call(function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> CallOutcome:
    try:
        return Returned(
            function(
                *map(_read_file_argument, arguments),
                **{name: _read_file_argument(value) for name, value in named.items()},
            )
        )
    except Refused as refused:
        return RefusedCall(refused)
    except (MemoryError, SystemError) as error:
        # Some C extensions raise SystemError when they get no memory.
        raise MemoryError from error
    except Exception as error:
        unavailable = refusal_of(error)
        return RefusedCall(unavailable) if unavailable else Failed(traceback.format_exc())


def _read_file_argument(argument: Any) -> Any:
    if isinstance(argument, list):
        return [_read_file_argument(item) for item in argument]
    path = getattr(argument, "path", None)
    return path.read_bytes() if isinstance(path, Path) else argument


def _set_limits(surroundings: ProcessSettings) -> None:
    # The timer ends the process in time. The limit ends it even if a library handles the timer's signal.
    signal.setitimer(signal.ITIMER_PROF, surroundings.seconds)
    seconds = int(surroundings.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    # Systems without /proc do not limit the address space either.
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + surroundings.bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
