"""Statements that are put together once: that takes the ORM ten times as long as the database takes to carry one out.

The ORM is asked with marks in the place of the values; from then on the values take the places of the marks. What is
written stays the ORM's: the same conditions for every database, and changed with the models.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar, cast

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.sql import UpdateQuery
from django.utils.duration import duration_microseconds

from scheduler_core.text.compact import compact

M = TypeVar("M", bound=Model)


class Json:
    """In the place of a type: a value of a JsonText column."""


class Prefix:
    """In the place of a type: what a text starts with, as `startswith` asks for it."""


@dataclass(frozen=True)
class _Statement:
    """SQL for one kind of database. `places`: at which of its parameters which of the values stands."""

    sql: str
    fixed: Sequence[Any]
    places: Sequence[tuple[int, int]]
    kinds: Sequence[type]

    def parameters(self, values: Sequence[Any]) -> list[Any]:
        adapted = [_adapted(kind, value) for kind, value in zip(self.kinds, values, strict=True)]
        found = list(self.fixed)
        for at, i in self.places:
            found[at] = adapted[i]
        return found


@dataclass(frozen=True)
class _Query:
    """A statement that answers, and how its rows are read: `names` are the columns that make an object."""

    statement: _Statement
    compiler: Any
    converters: Mapping[int, Any]
    names: Sequence[str]
    annotated: Mapping[str, int]


class Select(Generic[M]):
    """A query that `build` makes for values of these kinds: int, float, str, datetime, timedelta, Json, Prefix."""

    def __init__(self, build: Callable[..., "QuerySet[M, Any]"], *kinds: type) -> None:
        self._build, self._kinds = build, kinds
        self._known: dict[str, _Query] = {}

    def rows(self, *values: Any) -> list[tuple[Any, ...]]:
        """The columns of a query with `values_list`."""
        query = self._query()
        with cursor_for_many() as cursor:
            cursor.execute(query.statement.sql, query.statement.parameters(values))
            rows = cursor.fetchall()
        return list(map(tuple, query.compiler.apply_converters(rows, query.converters))) if query.converters else rows

    def row(self, *values: Any) -> tuple[Any, ...] | None:
        """The only row, or the first."""
        return next(iter(self.rows(*values)), None)

    def objects(self, *values: Any) -> list[M]:
        """Objects of the model, with what they are annotated with."""
        rows, query = self.rows(*values), self._query()
        found = []
        for row in rows:
            one = query.compiler.query.model.from_db("default", query.names, row[: len(query.names)])
            for name, at in query.annotated.items():
                setattr(one, name, row[at])
            found.append(one)
        return found

    def object(self, *values: Any) -> M | None:
        """The only object, or the first."""
        return next(iter(self.objects(*values)), None)

    def existing(self, *values: Any) -> M:
        """The same; raises the model's DoesNotExist where there is none."""
        found = self.object(*values)
        if found is None:
            model = self._query().compiler.query.model
            raise model.DoesNotExist(f"{model._meta.verbose_name} {', '.join(map(str, values))}")
        return found

    def _query(self) -> _Query:
        known = self._known.get(connection.vendor)
        if known is None:
            compiler = self._build(*_marks(self._kinds)).query.get_compiler(connection=connection)
            statement = _statement(compiler, self._kinds)
            shown = [column for column, *_ in compiler.select[: compiler.col_count]]
            made_of = (compiler.klass_info or {"select_fields": ()})["select_fields"]
            names = [compiler.select[at][0].target.attname for at in made_of]
            converters = compiler.get_converters(shown)
            known = _Query(statement, compiler, converters, names, compiler.annotation_col_map or {})
            self._known[connection.vendor] = known
        return known


class Update:
    """An update: `build` gives whom it is about, and the new values by field; `telling` is a column that it tells."""

    def __init__(
        self,
        build: Callable[..., tuple["QuerySet[Any, Any]", Mapping[str, Any]]],
        *kinds: type,
        telling: str | None = None,
    ) -> None:
        self._build, self._kinds, self._telling = build, kinds, telling
        self._known: dict[str, _Statement] = {}

    def __call__(self, *values: Any) -> int:
        """How many rows it was about."""
        known = self._statement()
        with cursor_for_many() as cursor:
            cursor.execute(known.sql, known.parameters(values))
            return int(cursor.rowcount)

    def value(self, *values: Any) -> Any:
        """What is in the column `telling` of the only row, or the first; None where there was none."""
        known = self._statement()
        with cursor_for_many() as cursor:
            cursor.execute(known.sql, known.parameters(values))
            # All of them: to SQLite a statement of which rows are left is not over.
            rows = cursor.fetchall()
        return rows[0][0] if rows else None

    def _statement(self) -> _Statement:
        known = self._known.get(connection.vendor)
        if known is None:
            whom, fields = self._build(*_marks(self._kinds))
            query = whom.query.chain(UpdateQuery)
            query.add_update_values(fields)  # type: ignore[attr-defined]  # it is an UpdateQuery now
            query.clear_select_clause()
            known = _statement(query.get_compiler(connection=connection), self._kinds)
            if self._telling:
                # Both databases know it; the ORM does not.
                column = connection.ops.quote_name(self._telling)
                known = replace(known, sql=f"{known.sql} RETURNING {column}")
            self._known[connection.vendor] = known
        return known


def cursor_for_many() -> AbstractContextManager[Any]:
    """A cursor for a statement that comes again with other values: PostgreSQL plans it once for a connection."""
    found = cast(Any, connection).prepared() if connection.vendor == "postgresql" else connection.cursor()
    return cast(AbstractContextManager[Any], found)


def at_once() -> AbstractContextManager[None]:
    """Within a transaction: who writes does not wait for PostgreSQL until the end, or until somebody reads."""
    return cast(Any, connection).at_once() if connection.vendor == "postgresql" else nullcontext()


def need_not_last() -> None:
    """What this transaction writes is a hint, which may be lost with the database's machine unless more follows it."""
    if connection.vendor == "postgresql":
        cast(Any, connection).need_not_last()


def _marks(kinds: Sequence[type]) -> list[Any]:
    return [_mark(kind, number) for number, kind in enumerate(kinds)]


def _mark(kind: type, number: int) -> Any:
    """No value of ours, and one that the ORM hands on as it is."""
    if kind is int:
        return 3**39 + number
    if kind is float:
        return 2.0 ** (100 + number)
    if kind is datetime:
        return datetime(2999, 1, 1, tzinfo=UTC) + timedelta(days=number)
    if kind is timedelta:
        return timedelta(days=3000 + number)
    return f"mark {number}"


def _adapted(kind: type, value: Any) -> Any:
    """What the database's driver is given."""
    if kind is Json:
        return None if value is None else compact(value)
    if kind is Prefix:
        return f"{connection.ops.prep_for_like_query(value)}%"
    if kind is timedelta and not connection.features.has_native_duration_field:
        return duration_microseconds(value)
    return connection.ops.adapt_datetimefield_value(value) if kind is datetime else value


def _statement(compiler: Any, kinds: Sequence[type]) -> _Statement:
    sql, parameters = compiler.as_sql()
    marks = {_adapted(kind, mark): i for i, (kind, mark) in enumerate(zip(kinds, _marks(kinds), strict=True))}
    places = [(at, marks[one]) for at, one in enumerate(parameters) if isinstance(one, Hashable) and one in marks]
    if {i for _, i in places} != set(range(len(kinds))):
        raise ValueError(f"a value has no place in {sql}")
    return _Statement(sql, parameters, places, kinds)
