"""`manage.py restore FILE`: replace this database by a backup."""

import sys
from argparse import ArgumentParser
from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandError

from playground.engine import workers
from playground.engine.heartbeat import QUESTIONS
from playground.operations import backup
from playground.operations.backup import BackupError


class Command(BaseCommand):
    help = "Put what `backup` wrote in place of what is in this database. Stop web and workers first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="what `backup` wrote; - is standard input")
        parser.add_argument("--replace", action="store_true", help="do away with what is there")

    def handle(self, *args: Any, **options: Any) -> None:
        if names := _workers():
            raise CommandError(f"stop the workers first, they have clusters in memory: {', '.join(names)}")
        if not options["replace"] and not backup.is_empty():
            raise CommandError("this database is not empty; --replace does away with what is there")
        try:
            if options["file"] == "-":
                counts = backup.read(sys.stdin.buffer)
            else:
                with open(options["file"], "rb") as file:
                    counts = backup.read(file)
        except BackupError as error:
            raise CommandError(f"{options['file']}: {error}") from error
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from error
        self.stderr.write(f"{sum(counts.values())} rows of {len(counts)} tables were restored")


def _workers() -> list[str]:
    """Return the names of the running workers; none if the broker is down."""
    try:
        with workers.connect() as broker:
            return [*workers.list_alive(broker), *workers.list_alive(broker, QUESTIONS)]
    except redis.RedisError:
        return []
