"""Many rows in one statement, without an object for each: a run at full speed writes thousands a second."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Model

from kube_objects.text.compact import compact
from playground.postgresql.arrays import array
from playground.prepared import statement_cursor

# A value of a JsonText column.
text = compact


def insert(
    model: type[Model], names: Sequence[str], rows: Iterable[Sequence[Any]], *, over: Sequence[str] = ()
) -> None:
    """Add `rows`, whose values are those of the columns `names`, as the columns keep them: JSON is text already.

    `over`: the columns by which a row is found that is there already; the new values take the place of its own.
    """
    values = rows if isinstance(rows, list) else list(rows)
    if not values:
        return
    of_all(_sql(connection.vendor, model, tuple(names), tuple(over)), values)


def save_new(one: Model) -> None:
    """Insert a new object as `save` does, with a statement that is written once for each model."""
    fields = [field for field in one._meta.concrete_fields if not field.primary_key]
    values = [field.get_db_prep_save(field.pre_save(one, True), connection) for field in fields]
    with statement_cursor() as cursor:
        cursor.execute(_saving(connection.vendor, type(one)), values)
        ((one.pk,),) = cursor.fetchall()
    one._state.adding, one._state.db = False, connection.alias


@cache
def _saving(vendor: str, model: type[Model]) -> str:
    """Only names of ours are put into it."""
    quote = connection.ops.quote_name
    columns = [quote(str(field.column)) for field in model._meta.concrete_fields if not field.primary_key]
    marks = ", ".join(["%s"] * len(columns))
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) RETURNING {key}"  # noqa: S608


def of_all(sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Carry out a statement that is written for one row, on PostgreSQL for an array of each column."""
    with statement_cursor() as cursor:
        if connection.vendor == "postgresql":
            # Planned once for all rows, in one exchange with the server.
            cursor.execute(sql, list(map(array, zip(*rows, strict=True))))
        else:
            cursor.executemany(sql, rows)


@cache
def _sql(vendor: str, model: type[Model], names: tuple[str, ...], over: tuple[str, ...]) -> str:
    """Only names of ours are put into it."""
    quote = connection.ops.quote_name
    by_name = {name: field for field in model._meta.concrete_fields for name in (field.name, field.attname)}
    fields = [by_name[name] for name in names]
    columns = [quote(str(field.column)) for field in fields]
    if vendor == "postgresql":
        # Without the length: a value that is too long is refused, not cut.
        kinds = [str(field.db_type(connection)).partition("(")[0] for field in fields]
        values = f"SELECT * FROM UNNEST({', '.join(f'(%s)::{kind}[]' for kind in kinds)})"  # noqa: S608
    else:
        values = f"VALUES ({', '.join(['%s'] * len(names))})"
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(columns)}) {values}"
    if not over:
        return sql
    found_by = [quote(str(by_name[name].column)) for name in over]
    taken = ", ".join(f"{column} = EXCLUDED.{column}" for column in columns if column not in found_by)
    return f"{sql} ON CONFLICT ({', '.join(found_by)}) DO UPDATE SET {taken}"
