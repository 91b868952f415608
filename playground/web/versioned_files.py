"""URLs of static files with a version of their content, so that browsers cache them for ever."""

import hashlib
import os
import re
import time
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage

FOR_EVER = "public, max-age=31536000, immutable"
# One page needs the version about sixty times.
LOOK_EVERY = 0.25
_VERSION = re.compile(r"~[0-9a-f]+/")


class VersionedFiles(StaticFilesStorage):
    """A storage whose URLs contain a version: `/static/~3f2a…/js/main.js`.

    Relative imports of a module have the version of the module. The version depends on the files' modification times,
    so no build step is needed.
    """

    def url(self, name: str | None) -> str:
        plain = super().url(name)
        if name is None or not any(Path(folder, name).is_file() for folder in settings.STATICFILES_DIRS):
            return plain  # of a package
        return versioned_folder() + plain.removeprefix(str(self.base_url))


class _CachedVersion:
    version, checked_at = "", 0.0


def versioned_folder() -> str:
    """Return the URL prefix of static files with the current version."""
    if not _CachedVersion.version or time.monotonic() - _CachedVersion.checked_at > LOOK_EVERY:
        _CachedVersion.version, _CachedVersion.checked_at = version_of(), time.monotonic()
    return f"{settings.STATIC_URL}~{_CachedVersion.version}/"


def version_of() -> str:
    """Return the common version of all static files, which changes with any of them."""
    digest = hashlib.sha256()
    for folder in settings.STATICFILES_DIRS:
        for place, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                status = os.stat(os.path.join(place, name))
                digest.update(f"{place}/{name} {status.st_mtime_ns} {status.st_size}\n".encode())
    return digest.hexdigest()[:12]


def remove_version(path: str) -> str:
    """Return the path of a file without its version."""
    start = settings.STATIC_URL
    return start + _VERSION.sub("", path.removeprefix(start), count=1) if path.startswith(f"{start}~") else path
