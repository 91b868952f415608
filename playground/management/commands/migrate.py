"""`manage.py migrate`: Django's command, which first rejects a database of an incompatible version."""

from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

APP = "playground"
# A table of the first release. The oldest databases before it have only the name of its migration.
_TABLE = "playground_rolloutpoint"


class Command(migrate.Command):
    """Django's command with a check before it."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        check(connections[options["database"]])
        return super().handle(*args, **options)


def check(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError with a solution if the database has unknown migrations of the playground."""
    applied = {name for app, name in MigrationRecorder(connection).applied_migrations() if app == APP}
    known = {name for app, name in MigrationLoader(None).disk_migrations or () if app == APP}
    unknown = sorted(applied - known)
    if not unknown and (not applied or _TABLE in connection.introspection.table_names()):
        return
    name = connection.settings_dict["NAME"]
    is_file = connection.vendor == "sqlite"
    place = f"The database {name}"
    remove = f"remove the data directory {Path(name).parent}" if is_file else "make the database empty"
    raise CommandError(
        f"{place} was made by another version of the playground, which this version cannot read "
        f"(migration {(unknown or sorted(applied))[-1]}). A version before 1.0.0 made it, or a newer one. "
        "To keep your clusters, export them as scenarios with the version that made the database. "
        f"Then {remove}, start again, and import the scenarios."
    )
