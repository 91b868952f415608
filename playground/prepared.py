"""Queries that Django's ORM compiles once for each database. Later calls only bind the values.

The ORM takes about ten times as long to compile a query as the database takes to run it. Decorate a method of a
manager, or a function, that returns a QuerySet. Its parameters are keyword-only, and their annotations are `int`,
`float`, `str`, `datetime`, `timedelta`, `JsonParam`, `PrefixParam`, or a list of one of these for `__in`:

    class CommandManager(models.Manager["Command"]):
        @select_objects
        def find_running(self, *, cluster_id: int) -> QuerySet[Command]:
            return self.filter(cluster_id=cluster_id, state=CommandState.RUNNING)

    Command.objects.find_running(cluster_id=7)  # a list of commands

The first call builds the query with placeholders and notes where the compiler put them. A value must not change the
SQL: a filter can't get None, and a slice can't depend on a parameter.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial, wraps
from types import UnionType
from typing import Annotated, Any, Generic, NamedTuple, ParamSpec, TypeVar, cast, get_args, get_origin

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.sql import UpdateQuery
from django.utils.duration import duration_microseconds

from kube_objects.text.compact import compact

M = TypeVar("M", bound=Model)
R = TypeVar("R")
P = ParamSpec("P")
Row = tuple[Any, ...]


class Changes(NamedTuple, Generic[M]):
    """Rows to update, and their new values by field."""

    rows: "QuerySet[M, Any]"
    values: Mapping[str, Any]


# A value of a JsonText column.
JsonParam = Annotated[Any, "json"]
# The beginning of a text, for `startswith`.
PrefixParam = Annotated[str, "prefix"]


@dataclass(frozen=True)
class _Statement:
    """SQL of one database. `places` are pairs: the index of a parameter of the SQL, the index of the value for it."""

    sql: str
    parameters: Sequence[Any]
    places: Sequence[tuple[int, int]]
    adapters: Sequence[Callable[[Any], Any] | None]

    def bind(self, values: Sequence[Any]) -> list[Any]:
        """Return the parameters of the SQL with these values."""
        adapted = [adapt(value) if adapt else value for adapt, value in zip(self.adapters, values, strict=True)]
        bound = list(self.parameters)
        for position, index in self.places:
            bound[position] = adapted[index]
        return bound


@dataclass(frozen=True)
class _RowReader:
    """Conversion of the rows of a compiled query. `names` are the columns that make an object of the model."""

    compiler: Any
    converters: Mapping[int, Any]
    names: Sequence[str]
    annotations: Mapping[str, int]

    def convert(self, rows: list[Row]) -> list[Row]:
        return list(map(tuple, self.compiler.apply_converters(rows, self.converters))) if self.converters else rows

    def make_object(self, row: Row) -> Any:
        """Return an object of the model with its annotations. `row` comes from `convert`."""
        instance = self.compiler.query.model.from_db("default", self.names, row[: len(self.names)])
        for name, index in self.annotations.items():
            setattr(instance, name, row[index])
        return instance


def statement_cursor() -> AbstractContextManager[Any]:
    """Return a cursor for a statement that runs often with other values. PostgreSQL plans it once for a connection."""
    cursor = cast(Any, connection).prepared() if connection.vendor == "postgresql" else connection.cursor()
    return cast(AbstractContextManager[Any], cursor)


def pipeline() -> AbstractContextManager[None]:
    """Send statements of a transaction to PostgreSQL without waiting, until the end or until a result is read."""
    return cast(Any, connection).pipeline() if connection.vendor == "postgresql" else nullcontext()


class _Result:
    """Result of a statement. On PostgreSQL, within `pipeline`, reading it waits for the server."""

    def __init__(self, vendor: str, sql: str, parameters: Sequence[Any]) -> None:
        database: Any = connection
        self._cursor = database.prepared() if vendor == "postgresql" else database.cursor()
        self._cursor.execute(sql, parameters)
        # SQLite keeps a statement open until its last row is read.
        self._fetched: list[Row] | None = None
        if vendor != "postgresql":
            self._fetched = self._cursor.fetchall() if self._cursor.description else []
            self._cursor.close()

    def rows(self) -> list[Row]:
        if self._fetched is not None:
            return self._fetched
        with self._cursor as cursor:
            return cast(list[Row], cursor.fetchall())

    def count(self) -> int:
        with self._cursor as cursor:
            return int(cursor.rowcount)


# SQL, parameters, and the reader of the rows that it returns.
_Compiled = tuple[str, Sequence[Any], _RowReader | None]


class _Prepared:
    """A function that builds a query, with its statements by database, manager, length of lists and options.

    `compile_built` returns the SQL, parameters and row reader of what the function returns.
    """

    def __init__(self, build: Callable[..., Any], compile_built: Callable[..., _Compiled]) -> None:
        self._build, self._compile_built = build, compile_built
        self._kinds = {name: kind for name, kind in build.__annotations__.items() if name != "return"}
        self._lists = [name for name, kind in self._kinds.items() if get_origin(kind) is list]
        self._statements: dict[Hashable, tuple[_Statement, Any]] = {}

    def send(self, managers: Sequence[Any], values: Mapping[str, Any], *options: Hashable) -> tuple[_Result, Any]:
        """Run the statement. Return its result and the reader of its rows. Raise EmptyResultSet for an empty list."""
        if values.keys() != self._kinds.keys():
            raise TypeError(f"{self._build.__qualname__} takes {', '.join(self._kinds)}, not {', '.join(values)}")
        vendor = connection.vendor
        key: tuple[Hashable, ...] = (vendor, *managers, *options)
        flat: list[Any] = []
        if self._lists:
            padded = {name: _pad(values[name]) for name in self._lists}
            key += tuple(map(len, padded.values()))
            for name in self._kinds:
                flat += padded.get(name) or [values[name]]
        else:
            flat += [values[name] for name in self._kinds]
        known = self._statements.get(key)
        if known is None:
            known = self._statements[key] = self._compile(managers, values, *options)
        statement, reader = known
        return _Result(vendor, statement.sql, statement.bind(flat)), reader

    def _compile(
        self, managers: Sequence[Any], values: Mapping[str, Any], *options: Hashable
    ) -> tuple[_Statement, Any]:
        if any(hasattr(manager, "instance") for manager in managers):
            raise TypeError(f"{self._build.__qualname__} needs the model's manager, not one of related objects")
        kinds: list[Any] = []
        placeholders: dict[str, Any] = {}
        for name, kind in self._kinds.items():
            is_list = name in self._lists
            count = len(_pad(values[name])) if is_list else 1
            element = get_args(kind)[0] if isinstance(kind, UnionType) or is_list else kind
            made = [_placeholder(element, len(kinds) + n) for n in range(count)]
            placeholders[name] = made if is_list else made[0]
            kinds += [element] * count
        sql, parameters, reader = self._compile_built(self._build(*managers, **placeholders), *options)
        indexes = {_adapt(kind, _placeholder(kind, n)): n for n, kind in enumerate(kinds)}
        places = [(n, indexes[one]) for n, one in enumerate(parameters) if isinstance(one, Hashable) and one in indexes]
        if {index for _, index in places} != set(range(len(kinds))):
            raise ValueError(f"{self._build.__qualname__}: a value has no place in {sql}")
        adapters = [None if kind in (int, float, str) else partial(_adapt, kind) for kind in kinds]
        return _Statement(sql, parameters, places, adapters), reader


def select_rows(build: "Callable[P, QuerySet[Any, R]]") -> Callable[P, list[R]]:
    """Return the rows of a query with `values_list`."""
    request = request_rows(build)

    @wraps(build)
    def rows(*managers: P.args, **values: P.kwargs) -> list[R]:
        return request(*managers, **values)()

    return rows


def request_rows(build: "Callable[P, QuerySet[Any, R]]") -> Callable[P, Callable[[], list[R]]]:
    """Send the query, and return a function that returns its rows. Within `pipeline`, only that function waits."""
    prepared = _Prepared(build, _compile_select)

    @wraps(build)
    def request(*managers: P.args, **values: P.kwargs) -> Callable[[], list[R]]:
        try:
            result, reader = prepared.send(managers, values)
        except EmptyResultSet:
            return list
        return lambda: reader.convert(result.rows())

    return request


def select_row(build: "Callable[P, QuerySet[Any, R]]") -> Callable[P, R | None]:
    """Return the first row of a query with `values_list`, or None."""
    select = select_rows(build)

    @wraps(build)
    def row(*managers: P.args, **values: P.kwargs) -> R | None:
        return next(iter(select(*managers, **values)), None)

    return row


def select_objects(build: "Callable[P, QuerySet[M]]") -> Callable[P, list[M]]:
    """Return the objects of a query, with their annotations."""
    prepared = _Prepared(build, _compile_select)

    @wraps(build)
    def objects(*managers: P.args, **values: P.kwargs) -> list[M]:
        try:
            result, reader = prepared.send(managers, values)
        except EmptyResultSet:
            return []
        return [reader.make_object(row) for row in reader.convert(result.rows())]

    return objects


def select_object(build: "Callable[P, QuerySet[M]]") -> Callable[P, M | None]:
    """Return the first object of a query, or None."""
    select = select_objects(build)

    @wraps(build)
    def find(*managers: P.args, **values: P.kwargs) -> M | None:
        return next(iter(select(*managers, **values)), None)

    return find


def get_object(build: "Callable[P, QuerySet[M]]") -> Callable[P, M]:
    """Return the first object of a query. Raise the model's DoesNotExist if there is none."""
    select = select_objects(build)

    @wraps(build)
    def get(*managers: P.args, **values: P.kwargs) -> M:
        for instance in select(*managers, **values):
            return instance
        model = cast(Any, managers[0]).model
        raise model.DoesNotExist(f"no {model._meta.verbose_name} with {values}")

    return get


def update(*, async_commit: bool = False) -> Callable[[Callable[P, Changes[Any]]], Callable[P, int]]:
    """Update rows, and return how many.

    `async_commit`: outside of a transaction, commit without waiting for the disk. A crash of the database's machine
    may undo the update, and then every later one.
    """

    def decorate(build: Callable[P, Changes[Any]]) -> Callable[P, int]:
        prepared = _Prepared(build, _compile_update)

        @wraps(build)
        def count(*managers: P.args, **values: P.kwargs) -> int:
            result, _ = prepared.send(managers, values, "", async_commit and _can_commit_async())
            return result.count()

        return count

    return decorate


def update_object(*, async_commit: bool = False) -> "Callable[[Callable[P, Changes[M]]], Callable[P, M | None]]":
    """Update a row. Return it as an object, or None if no row was updated. `async_commit`: see `update`."""

    def decorate(build: Callable[P, Changes[M]]) -> Callable[P, M | None]:
        prepared = _Prepared(build, _compile_update)

        @wraps(build)
        def changed(*managers: P.args, **values: P.kwargs) -> M | None:
            result, reader = prepared.send(managers, values, "*", async_commit and _can_commit_async())
            return next((reader.make_object(row) for row in reader.convert(result.rows()[:1])), None)

        return changed

    return decorate


def request_update(*, returning: str) -> Callable[[Callable[P, Changes[Any]]], Callable[P, Callable[[], Row | None]]]:
    """Send an update of one row, and return a function that returns the column `returning` of it, or None.

    Within `pipeline`, only that function waits.
    """

    def decorate(build: Callable[P, Changes[Any]]) -> Callable[P, Callable[[], Row | None]]:
        prepared = _Prepared(build, _compile_update)

        @wraps(build)
        def request(*managers: P.args, **values: P.kwargs) -> Callable[[], Row | None]:
            result, _ = prepared.send(managers, values, returning)
            return lambda: next(iter(result.rows()), None)

        return request

    return decorate


def _pad(values: Sequence[Any]) -> list[Any]:
    """Repeat the last value up to a power of two, so that a few statements are enough for all lengths."""
    if not values:
        raise EmptyResultSet
    length = 1 << (len(values) - 1).bit_length()
    return [*values, *[values[-1]] * (length - len(values))]


def _placeholder(kind: Any, number: int) -> Any:
    """Return a value that no query contains, and that the ORM passes on unchanged."""
    if kind is int:
        # Within the range of an IntegerField: the ORM leaves out conditions on other values.
        return 1_987_654_321 + number
    if kind is float:
        return 2.0 ** (100 + number)
    if kind is datetime:
        return datetime(2999, 1, 1, tzinfo=UTC) + timedelta(days=number)
    if kind is timedelta:
        return timedelta(days=3000 + number)
    return f"placeholder {number}"


def _adapt(kind: Any, value: Any) -> Any:
    """Return the value as the database's driver takes it."""
    if kind == JsonParam:
        return None if value is None else compact(value)
    if kind == PrefixParam:
        return f"{connection.ops.prep_for_like_query(value)}%"
    if kind is timedelta and not connection.features.has_native_duration_field:
        return duration_microseconds(value)
    return connection.ops.adapt_datetimefield_value(value) if kind is datetime else value


def _compile_select(queryset: "QuerySet[Any, Any]") -> _Compiled:
    compiler: Any = queryset.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    columns = [column for column, *_ in compiler.select[: compiler.col_count]]
    fields = (compiler.klass_info or {"select_fields": ()})["select_fields"]
    names = [compiler.select[index][0].target.attname for index in fields]
    reader = _RowReader(compiler, compiler.get_converters(columns), names, compiler.annotation_col_map or {})
    return sql, parameters, reader


def _compile_update(changes: Changes[Any], returning: str = "", is_async: bool = False) -> _Compiled:
    """Compile an UPDATE. `returning` is a column, "*" for an object, or "".

    Both databases have RETURNING, but the ORM does not use it.
    """
    queryset, values = changes
    query = queryset.query.chain(UpdateQuery)
    query.add_update_values(values)  # type: ignore[attr-defined]  # it is an UpdateQuery now
    query.clear_select_clause()
    sql, parameters = query.get_compiler(connection=connection).as_sql()
    reader = _compile_select(queryset)[2] if returning == "*" else None
    names = reader.names if reader else [returning] if returning else []
    columns = [str(queryset.model._meta.get_field(name).column) for name in names]
    returned = [connection.ops.quote_name(column) for column in columns]
    if is_async:
        returned.append(cast(Any, connection).async_commit)
    return f"{sql} RETURNING {', '.join(returned)}" if returned else sql, parameters, reader


def _can_commit_async() -> bool:
    """Return whether the statement is a transaction of its own, on a database with `async_commit`."""
    return hasattr(connection, "async_commit") and not connection.in_atomic_block
