"""Inserts of many rows in one statement, without a model instance for each."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Model

from kube_objects.text.compact import compact
from playground.postgresql.arrays import array
from playground.prepared import statement_cursor

# Encodes a value of a JsonText column.
encode_json = compact


def insert_rows(
    model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]], *, over: Sequence[str] = ()
) -> None:
    """Insert `rows` with values for the columns `names` in stored form, so JSON is already text.

    `over` are the columns that identify an existing row, whose other values are replaced.
    """
    values = rows if isinstance(rows, list) else list(rows)
    if not values:
        return
    execute_for_rows(_insert_statement(connection.vendor, model, tuple(names), tuple(over)), values)


def save_new(instance: Model) -> None:
    """Insert a new object as `save` does, with a statement that is built once per model."""
    fields = [field for field in instance._meta.concrete_fields if not field.primary_key]
    values = [field.get_db_prep_save(field.pre_save(instance, True), connection) for field in fields]
    with statement_cursor() as cursor:
        cursor.execute(_save_statement(connection.vendor, type(instance)), values)
        ((instance.pk,),) = cursor.fetchall()
    instance._state.adding, instance._state.db = False, connection.alias


@cache
def _save_statement(vendor: str, model: type[Model]) -> str:
    """Return the INSERT statement of a model. It contains only internal names."""
    quote = connection.ops.quote_name
    columns = [quote(str(field.column)) for field in model._meta.concrete_fields if not field.primary_key]
    marks = ", ".join(["%s"] * len(columns))
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) RETURNING {key}"  # noqa: S608


def execute_for_rows(sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Execute a statement for each row; on PostgreSQL once, with an array per column."""
    with statement_cursor() as cursor:
        if connection.vendor == "postgresql":
            # One statement and one round trip for all rows.
            cursor.execute(sql, list(map(array, zip(*rows, strict=True))))
        else:
            cursor.executemany(sql, rows)


@cache
def _insert_statement(vendor: str, model: type[Model], names: tuple[str, ...], over: tuple[str, ...]) -> str:
    """Return the INSERT statement for `execute_for_rows`. It contains only internal names."""
    quote = connection.ops.quote_name
    by_name = {name: field for field in model._meta.concrete_fields for name in (field.name, field.attname)}
    fields = [by_name[name] for name in names]
    columns = [quote(str(field.column)) for field in fields]
    if vendor == "postgresql":
        # Without the length in the cast, a value that is too long is refused and not truncated.
        kinds = [str(field.db_type(connection)).partition("(")[0] for field in fields]
        values = f"SELECT * FROM UNNEST({', '.join(f'(%s)::{kind}[]' for kind in kinds)})"  # noqa: S608
    else:
        values = f"VALUES ({', '.join(['%s'] * len(names))})"
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(columns)}) {values}"
    if not over:
        return sql
    key_columns = [quote(str(by_name[name].column)) for name in over]
    assignments = ", ".join(f"{column} = EXCLUDED.{column}" for column in columns if column not in key_columns)
    return f"{sql} ON CONFLICT ({', '.join(key_columns)}) DO UPDATE SET {assignments}"
