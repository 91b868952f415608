"""A file that takes room on the disk of an embedded database, so that clusters can be deleted when the disk is full."""

import contextlib
import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.db import DatabaseError, connection

from playground import limits
from playground.database_errors import is_disk_full

NAME = "reserve"
T = TypeVar("T")
logger = logging.getLogger(__name__)


def make() -> None:
    """Make the file, if it isn't there and leaves enough of the disk free."""
    path = _path()
    if path is None or path.exists() or not hasattr(os, "posix_fallocate"):
        return
    try:
        if shutil.disk_usage(path.parent).free - limits.RESERVE_BYTES < settings.MIN_FREE_DISK:
            return
        with path.open("xb") as file:
            os.posix_fallocate(file.fileno(), 0, limits.RESERVE_BYTES)
    except OSError as error:
        logger.warning("the file %s that keeps room for deleting cannot be made: %s", path, error)
        with contextlib.suppress(OSError):
            path.unlink()


def write(statements: Callable[[], T]) -> T:
    """Return what `statements`, a transaction that makes room, returns. On a full disk give it the file's room."""
    try:
        return statements()
    except DatabaseError as error:
        if not is_disk_full(error) or not _remove():
            raise
    logger.warning("the disk is full: %s was removed", NAME)
    return statements()


def _remove() -> bool:
    """Remove the file. Return whether it was there."""
    path = _path()
    try:
        if path is not None:
            path.unlink()
    except OSError:
        return False
    return path is not None


def _path() -> Path | None:
    """Return where the file is; None for a database that is not embedded."""
    return Path(connection.settings_dict["NAME"]).parent / NAME if connection.vendor == "sqlite" else None
