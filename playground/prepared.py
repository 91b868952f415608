"""Statements that are put together once: that takes the ORM ten times as long as the database takes to carry one out.

The ORM is asked with marks in the place of the values; from then on the values take the places of the marks. What is
written stays the ORM's: the same conditions for every database, and changed with the models.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Protocol, TypeVar, cast

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.sql import UpdateQuery
from django.utils.duration import duration_microseconds

from kube_objects.text.compact import compact

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

    def read(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return list(map(tuple, self.compiler.apply_converters(rows, self.converters))) if self.converters else rows

    def object(self, row: tuple[Any, ...]) -> Any:
        """What `read` gave, as an object of the model."""
        one = self.compiler.query.model.from_db("default", self.names, row[: len(self.names)])
        for name, at in self.annotated.items():
            setattr(one, name, row[at])
        return one


class _Answer(Protocol):
    """Of a statement that was sent."""

    def rows(self) -> list[tuple[Any, ...]]: ...

    def count(self) -> int: ...


class _Awaited:
    """PostgreSQL's: within `at_once` it is waited for when it is read."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def rows(self) -> list[tuple[Any, ...]]:
        with self._cursor as cursor:
            return cast(list[tuple[Any, ...]], cursor.fetchall())

    def count(self) -> int:
        with self._cursor as cursor:
            return int(cursor.rowcount)


@dataclass(frozen=True)
class _Known:
    """SQLite's: to it a statement of which rows are left is not over."""

    found: list[tuple[Any, ...]]
    changed: int

    def rows(self) -> list[tuple[Any, ...]]:
        return self.found

    def count(self) -> int:
        return self.changed


class Select(Generic[M]):
    """A query that `build` makes for values of these kinds: int, float, str, datetime, timedelta, Json, Prefix."""

    def __init__(self, build: Callable[..., "QuerySet[M, Any]"], *kinds: type) -> None:
        self._build, self._kinds = build, kinds
        self._known: dict[str, _Query] = {}

    def rows(self, *values: Any) -> list[tuple[Any, ...]]:
        """The columns of a query with `values_list`."""
        return self.send(*values)()

    def send(self, *values: Any) -> Callable[[], list[tuple[Any, ...]]]:
        """How to get the rows of a query that is asked now; `at_once` nobody waits for them until then."""
        query = self._query()
        answer = _send(query.statement.sql, query.statement.parameters(values))
        return lambda: query.read(answer.rows())

    def row(self, *values: Any) -> tuple[Any, ...] | None:
        """The only row, or the first."""
        return next(iter(self.rows(*values)), None)

    def objects(self, *values: Any) -> list[M]:
        """Objects of the model, with what they are annotated with."""
        rows, query = self.rows(*values), self._query()
        return [query.object(row) for row in rows]

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
    """An update: `build` gives whom it is about, and the new values by field.

    `telling`: a column that it tells of the only row, or the first; or the query whose columns it tells as an object.
    `may_be_lost`: where it is all of a transaction, this is seen at once, but does not wait for the disk. Of those that
    do wait none is kept without those before it; without any of them this one may be lost with the database's machine.
    """

    def __init__(
        self,
        build: Callable[..., tuple["QuerySet[Any, Any]", Mapping[str, Any]]],
        *kinds: type,
        telling: str | Select[Any] | None = None,
        may_be_lost: bool = False,
    ) -> None:
        self._build, self._kinds, self._telling, self._may_be_lost = build, kinds, telling, may_be_lost
        self._known: dict[tuple[str, bool], _Statement] = {}

    def __call__(self, *values: Any) -> int:
        """How many rows it was about."""
        return self.send(*values)()

    def send(self, *values: Any) -> Callable[[], int]:
        """The same, carried out now; `at_once` nobody waits for the answer until it is asked for."""
        return self._send(values).count

    def value(self, *values: Any) -> Any:
        """What is in the column `telling`; None where there was no row."""
        return next((value for value, *_ in self._send(values).rows()), None)

    def send_for_row(self, *values: Any) -> Callable[[], tuple[Any, ...] | None]:
        """How to get the row that it tells, if there is one; see `send`."""
        answer = self._send(values)
        return lambda: next(iter(answer.rows()), None)

    def object(self, *values: Any) -> Any:
        """The row as an object of the model, as it is now; None where there was none."""
        rows = self._send(values).rows()
        query = cast(Select[Any], self._telling)._query()
        return query.object(query.read(rows[:1])[0]) if rows else None

    def _send(self, values: Sequence[Any]) -> _Answer:
        known = self._statement()
        return _send(known.sql, known.parameters(values))

    def _statement(self) -> _Statement:
        # Within a transaction it is not by itself.
        is_hint = self._may_be_lost and hasattr(connection, "need_not_last") and not connection.in_atomic_block
        known = self._known.get((connection.vendor, is_hint))
        if known is None:
            whom, fields = self._build(*_marks(self._kinds))
            query = whom.query.chain(UpdateQuery)
            query.add_update_values(fields)  # type: ignore[attr-defined]  # it is an UpdateQuery now
            query.clear_select_clause()
            known = _statement(query.get_compiler(connection=connection), self._kinds)
            columns = [connection.ops.quote_name(name) for name in self._told_columns()]
            if is_hint:
                columns.append(cast(Any, connection).need_not_last)
            if columns:
                # Both databases know it; the ORM does not.
                known = replace(known, sql=f"{known.sql} RETURNING {', '.join(columns)}")
            self._known[connection.vendor, is_hint] = known
        return known

    def _told_columns(self) -> Sequence[str]:
        if isinstance(self._telling, Select):
            query = self._telling._query()
            fields = query.compiler.query.model._meta
            return [fields.get_field(name).column for name in query.names]
        return [self._telling] if self._telling else []


def _send(sql: str, parameters: Sequence[Any]) -> _Answer:
    if connection.vendor == "postgresql":
        cursor = cast(Any, connection).prepared()
        cursor.execute(sql, parameters)
        return _Awaited(cursor)
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        found = cursor.fetchall() if cursor.description else []
        return _Known(found, cursor.rowcount)


def cursor_for_many() -> AbstractContextManager[Any]:
    """A cursor for a statement that comes again with other values: PostgreSQL plans it once for a connection."""
    found = cast(Any, connection).prepared() if connection.vendor == "postgresql" else connection.cursor()
    return cast(AbstractContextManager[Any], found)


def at_once() -> AbstractContextManager[None]:
    """Within a transaction: who writes does not wait for PostgreSQL until the end, or until somebody reads."""
    return cast(Any, connection).at_once() if connection.vendor == "postgresql" else nullcontext()


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
