"""Migrate the database and load the examples: `python -m playground.local.prepare`."""

import sys

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection

from playground.sqlite import reserve

from .database_check import RELEASE


def main() -> None:
    try:
        django.setup()
        call_command("migrate", interactive=False, verbosity=0)
        call_command("load_examples", verbosity=0)
        if connection.vendor == "sqlite":
            connection.cursor().execute(f"PRAGMA user_version = {RELEASE}")
        reserve.create_reserve()
    except (CommandError, ImproperlyConfigured) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
