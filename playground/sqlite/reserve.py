"""A file that reserves disk space, so that clusters in an embedded database can be deleted on a full disk."""

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


def create_reserve() -> None:
    """Create the file if it does not exist and the disk has enough free space."""
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


def write_reserve(statements: Callable[[], T]) -> T:
    """Run `statements`, a transaction that frees room, and return its result.

    On a full disk, delete the reserve file and retry.
    """
    try:
        return statements()
    except DatabaseError as error:
        if not is_disk_full(error) or not _remove():
            raise
    logger.warning("the disk is full: %s was removed", NAME)
    return statements()


def _remove() -> bool:
    """Delete the file. Return True if there was one."""
    path = _path()
    try:
        if path is not None:
            path.unlink()
    except OSError:
        return False
    return path is not None


def _path() -> Path | None:
    """Return the path of the file, or None for a database that is not embedded."""
    return Path(connection.settings_dict["NAME"]).parent / NAME if connection.vendor == "sqlite" else None
