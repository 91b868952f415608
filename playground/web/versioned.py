"""Addresses of the page's files that name how they are now, so that a browser that has them does not ask again."""

import hashlib
import os
import re
import time
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage

FOR_EVER = "public, max-age=31536000, immutable"
# A page asks for it some sixty times.
LOOK_EVERY = 0.25
_VERSION = re.compile(r"~[0-9a-f]+/")


class VersionedFiles(StaticFilesStorage):
    """`/static/~3f2a…/js/main.js`: what a module imports beside itself has the version of the module.

    Nothing is built: the version follows from when the files were changed, and a page has that of its own moment.
    """

    def url(self, name: str | None) -> str:
        plain = super().url(name)
        if name is None or not any(Path(folder, name).is_file() for folder in settings.STATICFILES_DIRS):
            return plain  # of a package
        return folder() + plain.removeprefix(str(self.base_url))


class _Known:
    version, looked = "", 0.0


def folder() -> str:
    """Where they lie now, as far as a browser is told."""
    if not _Known.version or time.monotonic() - _Known.looked > LOOK_EVERY:
        _Known.version, _Known.looked = version(), time.monotonic()
    return f"{settings.STATIC_URL}~{_Known.version}/"


def version() -> str:
    """Of all our files together; a changed one is seen at the next page."""
    seen = hashlib.sha256()
    for folder in settings.STATICFILES_DIRS:
        for place, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                found = os.stat(os.path.join(place, name))
                seen.update(f"{place}/{name} {found.st_mtime_ns} {found.st_size}\n".encode())
    return seen.hexdigest()[:12]


def without(path: str) -> str:
    """The address of a file as it was before it got a version."""
    start = settings.STATIC_URL
    return start + _VERSION.sub("", path.removeprefix(start), count=1) if path.startswith(f"{start}~") else path
