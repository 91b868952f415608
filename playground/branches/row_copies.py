"""Copies of a cluster's rows to another cluster, inside the database."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, models

Model = type[models.Model]


def copy_rows(
    model: Model, source: int, target: int, where: str = "", values: Sequence[Any] = (), **instead: str
) -> None:
    """Copy the rows of cluster `source` that match `where` (SQL with `values` as parameters), in their order.

    `instead` maps a column to the SQL expression of its new value. Callers must pass constant names and expressions
    only, because they become part of the statement.
    """
    quote = connection.ops.quote_name
    columns = [str(field.column) for field in model._meta.concrete_fields if not field.primary_key]
    expressions: Mapping[str, str] = {"cluster_id": "%s", **instead}
    wanted = ", ".join(expressions.get(column, quote(column)) for column in columns)
    condition = f" AND {where}" if where else ""
    statement = (
        f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(map(quote, columns))}) "  # noqa: S608
        f"SELECT {wanted} FROM {quote(model._meta.db_table)} WHERE cluster_id = %s{condition} ORDER BY id"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [target, source, *values])
