"""`manage.py backup FILE`: write a backup while the playground runs."""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from playground.operations import backup


class Command(BaseCommand):
    help = "Write users, clusters and their histories to a file. The playground may go on meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", help="where to; - is standard output. An existing file is replaced when all is written"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["file"] == "-":
            counts = backup.write(sys.stdout.buffer)
        else:
            counts = _replace(Path(options["file"]))
        self.stderr.write(f"{sum(counts.values())} rows of {len(counts)} tables were written")


def _replace(path: Path) -> dict[str, int]:
    """Write to a temporary file first, so that a failed backup doesn't replace the last good one."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        # Only the owner may read the file, because it contains password hashes.
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            counts = backup.write(file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)
    return counts
