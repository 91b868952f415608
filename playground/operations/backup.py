"""Backup and restore of the database as one file, for any database of a playground of the same version.

The file has gzipped JSON lines: a header, each table's columns and rows, and the numbers of rows. It contains users and
the playground's own tables, but no sessions and nothing from the broker.
"""

import base64
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import IO, Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from playground.models import Cluster, ComparisonRun
from playground.operations.backup_values import reader_of
from playground.store.read_snapshot import read_snapshot

FORMAT = 1
ROWS_PER_LINE = 500
# A line ends once its values have so many characters. Readers accept far more, because one row may be long.
WRITTEN_LINE = 4 * 1024 * 1024
MOST_LINE_BYTES = 512 * 1024 * 1024
# Characters of a wrong value that an error shows.
SHOWN = 80
APP = "playground"

Model = type[models.Model]


class BackupError(Exception):
    """The reason why a file can't be restored; the database is unchanged."""


def tables() -> list[Model]:
    """Return the models to back up; users come first, because other rows refer to them."""
    return [get_user_model(), *apps.get_app_config(APP).get_models()]


# ── backup ──


def write(file: IO[bytes]) -> dict[str, int]:
    """Write a consistent snapshot while the playground runs; return the number of rows by table."""
    counts: dict[str, int] = {}
    # Without a timestamp, so that the same content gives the same bytes.
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed, read_snapshot():
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
    """Yield pages of rows with JSON-ready values, in the order of their primary keys."""
    quote = connection.ops.quote_name
    columns = ", ".join(quote(name) for name in _columns(model))
    # The statement contains only names of the playground's own tables.
    table, key = quote(model._meta.db_table), quote(_key(model))
    statement = f"SELECT {columns} FROM {table} WHERE {key} > %s ORDER BY {key} LIMIT %s"  # noqa: S608
    last = 0
    with connection.cursor() as cursor:
        while True:
            cursor.execute(statement, [last, ROWS_PER_LINE])
            rows, size = [], 0
            for stored in cursor.fetchall():
                row = [_to_json(value) for value in stored]
                rows.append(row)
                size += sum(len(value) for value in row if isinstance(value, str))
                if size >= WRITTEN_LINE:
                    break
            if not rows:
                return
            yield rows
            last = rows[-1][0]


def _columns(model: Model) -> list[str]:
    """Return the model's column names; the primary key comes first."""
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
    """Return the name of the last applied migration."""
    applied = MigrationRecorder(connection).applied_migrations()
    return max((name for app, name in applied if app == APP), default="")


# ── restore ──


def is_empty() -> bool:
    """Return whether the database has no rows that a restore would delete."""
    return not any(model._default_manager.exists() for model in tables())


@transaction.atomic
def read(file: IO[bytes]) -> dict[str, int]:
    """Replace all rows; return the number of rows by table. BackupError leaves the database unchanged."""
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            counts = _read_lines(_lines(packed))
        connection.check_constraints()
    except (OSError, EOFError, zlib.error, DatabaseError) as error:
        raise BackupError(f"this is no backup, or it is damaged: {error}") from error
    # The workers that held these leases are gone.
    Cluster.everything.update(lease_holder="", lease_expires=None)
    ComparisonRun.objects.update(lease_holder="", lease_expires=None)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables()):
            cursor.execute(statement)
    return counts


def _lines(packed: gzip.GzipFile) -> Iterator[Any]:
    """Yield each line's value. Raises BackupError for a line that is too long or no JSON."""
    number = 0
    while line := packed.readline(MOST_LINE_BYTES + 1):
        number += 1
        if len(line) > MOST_LINE_BYTES:
            raise BackupError(f"line {number} has more than {MOST_LINE_BYTES} bytes, which no backup has")
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BackupError(f"this is no backup, or it is damaged: line {number} is not JSON: {error}") from error


def _read_lines(lines: Iterator[Any]) -> dict[str, int]:
    known = {model._meta.label_lower: model for model in tables()}
    counts: dict[str, int] = {}
    insert: Callable[[list[Any]], None] | None = None
    table = ""
    _check_header(next(lines, None))
    _empty()
    for line in lines:
        if isinstance(line, list) and insert is not None:
            insert(line)
            counts[table] += len(line)
        elif isinstance(line, dict) and "rows" in line:
            _check_end(line["rows"], counts, list(known))
            # Reading to the end of the file also verifies its checksum.
            if next(lines, None) is not None:
                raise BackupError("something follows the end of the backup")
            return counts
        elif isinstance(line, dict) and str(line.get("table")) in known:
            table = str(line["table"])
            if table in counts:
                raise BackupError(f"the table {table} is there twice")
            counts[table] = 0
            insert = _inserter(known[table], line.get("columns"))
        else:
            raise BackupError(f"this line is none of a backup: {str(line)[:SHOWN]}")
    raise BackupError("the end is missing: it was not written to its end, or was cut off")


def _check_end(written: Any, counts: dict[str, int], known: list[str]) -> None:
    if absent := [table for table in known if table not in counts]:
        raise BackupError(f"tables are missing: {', '.join(absent)}")
    if written != counts:
        raise BackupError(f"rows are missing: {counts} were read, and {written} were written")


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise BackupError(f"this is no backup of format {FORMAT}")
    if header.get("migration") != _migration():
        rule = f"it was made at migration {header.get('migration')}, and this playground is at {_migration()}"
        raise BackupError(f"{rule}; restore it with the version that made it, then upgrade")


def _empty() -> None:
    # Sessions belong to users that the backup may not have.
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
    fields = {str(field.column): field for field in model._meta.concrete_fields}
    readers = [reader_of(fields[column]) for column in columns]

    def insert(rows: list[Any]) -> None:
        values = [_values(model._meta.label_lower, columns, readers, row) for row in rows]
        with connection.cursor() as cursor:
            cursor.executemany(statement, values)

    return insert


def _values(table: str, columns: list[str], readers: list[Callable[[Any], Any]], row: Any) -> list[Any]:
    """Return a row's values as the database's driver takes them. Raises BackupError that names the first wrong one."""
    if not isinstance(row, list) or len(row) != len(columns):
        raise BackupError(f"{table}: {_shorten(row)} is no row of {len(columns)} columns")
    values = []
    for column, read_value, value in zip(columns, readers, row, strict=True):
        try:
            values.append(read_value(value))
        except ValueError as error:
            raise BackupError(f"{table}: row {_shorten(row[0])}: {column}: {_shorten(value)} {error}") from error
    return values


def _shorten(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
