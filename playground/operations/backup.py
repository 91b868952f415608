"""Everything worth keeping as one file, which any playground of the same version reads back, whatever its database.

Gzipped JSON lines: a header, then for each table its columns and its rows, then how many rows there were. Users and all
of the playground's own tables are in it; sessions, and what only the broker knows, are not.
"""

import base64
import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils.dateparse import parse_datetime

from playground.models import Cluster
from playground.store.moments import one_moment

FORMAT = 1
ROWS_PER_LINE = 500
APP = "playground"

Model = type[models.Model]


class BackupError(Exception):
    """Why a file cannot be restored; nothing was changed."""


def tables() -> list[Model]:
    """What is backed up, users first: everything else refers to them."""
    return [get_user_model(), *apps.get_app_config(APP).get_models()]


# ── making one ──


def write(file: IO[bytes]) -> dict[str, int]:
    """Write everything as it is at one moment, while others go on; the number of rows by table."""
    counts: dict[str, int] = {}
    # Without a time stamp the same content gives the same bytes.
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed, one_moment():
        packed.write(_line({"format": FORMAT, "migration": _migration()}))
        for model in tables():
            packed.write(_line({"table": model._meta.label_lower, "columns": _columns(model)}))
            counts[model._meta.label_lower] = 0
            for rows in _pages(model):
                packed.write(_line(rows))
                counts[model._meta.label_lower] += len(rows)
        packed.write(_line({"rows": counts}))
    return counts


def _pages(model: Model) -> Iterator[list[list[Any]]]:
    """Rows as JSON has them, in the order of their keys."""
    quote = connection.ops.quote_name
    columns = ", ".join(quote(name) for name in _columns(model))
    # Only names of our own tables are put into it.
    table, key = quote(model._meta.db_table), quote(_key(model))
    statement = f"SELECT {columns} FROM {table} WHERE {key} > %s ORDER BY {key} LIMIT %s"  # noqa: S608
    last = 0
    with connection.cursor() as cursor:
        while True:
            cursor.execute(statement, [last, ROWS_PER_LINE])
            rows = [[_to_json(value) for value in row] for row in cursor.fetchall()]
            if not rows:
                return
            yield rows
            last = rows[-1][0]


def _columns(model: Model) -> list[str]:
    """The key first."""
    key = _key(model)
    return sorted((str(field.column) for field in model._meta.concrete_fields), key=lambda name: (name != key, name))


def _key(model: Model) -> str:
    assert model._meta.pk is not None
    return str(model._meta.pk.column)


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return value


def _line(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def _migration() -> str:
    """The name of the last migration that is applied."""
    applied = MigrationRecorder(connection).applied_migrations()
    return max((name for app, name in applied if app == APP), default="")


# ── reading one back ──


def is_empty() -> bool:
    """Whether there is nothing that a restore would do away with."""
    return not any(model._default_manager.exists() for model in tables())


@transaction.atomic
def read(file: IO[bytes]) -> dict[str, int]:
    """Put everything in place of what is there; rows by table. Raises BackupError, and then nothing was changed."""
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            counts = _read_lines(map(json.loads, packed))
        connection.check_constraints()
    except (OSError, EOFError, ValueError, DatabaseError) as error:
        raise BackupError(f"this is no backup, or it is damaged: {error}") from error
    # Whoever worked on a cluster then does so no more.
    Cluster.everything.update(lease_holder="", lease_expires=None)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables()):
            cursor.execute(statement)
    return counts


def _read_lines(lines: Iterable[Any]) -> dict[str, int]:
    known = {model._meta.label_lower: model for model in tables()}
    counts: dict[str, int] = {}
    insert: Callable[[list[Any]], None] | None = None
    table = ""
    rest = iter(lines)
    _check_header(next(rest, None))
    _empty()
    for line in rest:
        if isinstance(line, list) and insert is not None:
            insert(line)
            counts[table] += len(line)
        elif isinstance(line, dict) and line.get("table") in known:
            table = line["table"]
            counts[table] = 0
            insert = _inserter(known[table], line.get("columns"))
        elif isinstance(line, dict) and "rows" in line:
            if line["rows"] != counts:
                raise BackupError(f"rows are missing: {counts} were read, and {line['rows']} were written")
            return counts
        else:
            raise BackupError(f"this line is none of a backup: {str(line)[:80]}")
    raise BackupError("the end is missing: it was not written to its end, or was cut off")


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise BackupError(f"this is no backup of format {FORMAT}")
    if header.get("migration") != _migration():
        rule = f"it was made at migration {header.get('migration')}, and this playground is at {_migration()}"
        raise BackupError(f"{rule}; restore it with the version that made it, then upgrade")


def _empty() -> None:
    # Sessions belong to users that may not come back.
    through: list[Model] = [
        getattr(get_user_model(), field.name).through for field in get_user_model()._meta.many_to_many
    ]
    everything: list[Model] = [Session, *through, *reversed(tables())]
    with connection.cursor() as cursor:
        for model in everything:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # noqa: S608


def _inserter(model: Model, columns: Any) -> Callable[[list[Any]], None]:
    if columns != _columns(model):
        raise BackupError(f"{model._meta.label_lower}: its columns are {columns} instead of {_columns(model)}")
    quote = connection.ops.quote_name
    names, places = ", ".join(map(quote, columns)), ", ".join(["%s"] * len(columns))
    statement = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({places})"  # noqa: S608
    readers = [_reader(field) for field in sorted(model._meta.concrete_fields, key=lambda f: columns.index(f.column))]

    def insert(rows: list[Any]) -> None:
        with connection.cursor() as cursor:
            values = [[read_one(value) for read_one, value in zip(readers, row, strict=True)] for row in rows]
            cursor.executemany(statement, values)

    return insert


def _reader(field: "models.Field[Any, Any]") -> Callable[[Any], Any]:
    """From JSON to what the database's driver takes."""
    if isinstance(field, models.BinaryField):
        return lambda value: None if value is None else base64.b64decode(value, validate=True)
    if isinstance(field, models.DateTimeField):
        return lambda value: None if value is None else connection.ops.adapt_datetimefield_value(parse_datetime(value))
    return lambda value: value
