"""All stored rows of a cluster, without values that may differ between two runs of the same commands."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg

from playground.packing.packed_batches import split_plain

# Keys that the database gives, the wall clock, and how workers took turns; checkpoints are a cache whose place depends
# on how long something took, and so does the room that a cluster takes with them.
IRRELEVANT = {"id", "cluster_id", "owner_id", "parent_id", "created", "last_cycle_at", "stored_bytes"}
IRRELEVANT_OF = {"playground_cluster": {"lease_holder", "lease_fencing", "lease_expires", "name"}}
IRRELEVANT_OF |= {"playground_command": {"attempts"}}
# Durations; how many attempts they are of is compared.
IRRELEVANT_OF |= {"playground_clustertimes": {"body"}}
# Tokens are drawn.
NOT_COMPARED = {"playground_checkpoint", "playground_kubernetestoken"}

# Rows that may hold many, and the numbers that follow one another in them.
SHARED = {"playground_record": ("seq", "cycle"), "playground_cyclematrix": ("number",)}

Picture = dict[str, list[tuple[Any, ...]]]


class Database:
    """The deployment's database, read and written directly."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_sqlite = url.startswith("sqlite")

    @contextmanager
    def cursor(self) -> Iterator[Any]:
        """Provide a cursor in a transaction of its own that waits for locks only briefly."""
        if self.is_sqlite:
            file = sqlite3.connect(urlsplit(self.url).path, timeout=0.3)
            try:
                with file:
                    yield file.cursor()
            finally:
                file.close()
        else:
            with psycopg.connect(self.url, connect_timeout=5) as connection, connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '300ms'")
                yield cursor

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with self.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def cluster(self, cluster: int, *columns: str) -> tuple[Any, ...]:
        """Return columns of the cluster's row."""
        # Only names and numbers of our own are put into it.
        return self.rows(f"SELECT {', '.join(columns)} FROM playground_cluster WHERE id = {cluster}")[0]  # noqa: S608

    def picture(self, cluster: int) -> Picture:
        """Return every row of every table that belongs to the cluster, sorted."""
        with self.cursor() as cursor:
            found = {table: _rows(cursor, table, f"cluster_id = {cluster}") for table in self._tables(cursor)}
            # How many share a row depends on how long something took.
            found |= {table: _each_alone(found[table], *columns) for table, columns in SHARED.items()}
            return {**found, "playground_cluster": _rows(cursor, "playground_cluster", f"id = {cluster}")}

    def _tables(self, cursor: Any) -> list[str]:
        if self.is_sqlite:
            cursor.execute(
                "SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c "
                "WHERE m.type = 'table' AND c.name = 'cluster_id' ORDER BY m.name"
            )
        else:
            cursor.execute("SELECT table_name FROM information_schema.columns WHERE column_name = 'cluster_id'")
        tables = [row[0] for row in cursor.fetchall()]
        assert "playground_record" in tables
        return sorted(set(tables) - NOT_COMPARED)


def _rows(cursor: Any, table: str, condition: str) -> list[tuple[Any, ...]]:
    # Names come from the database's own catalogue.
    cursor.execute(f"SELECT * FROM {table} WHERE {condition}")  # noqa: S608
    columns = [column[0] for column in cursor.description]
    leave_out = IRRELEVANT | IRRELEVANT_OF.get(table, set())
    places = sorted((name, place) for place, name in enumerate(columns) if name not in leave_out)
    rows = [tuple((name, _plain(row[place])) for name, place in places) for row in cursor.fetchall()]
    return sorted(rows, key=repr)


def _each_alone(rows: Iterable[tuple[Any, ...]], *numbers: str) -> list[tuple[Any, ...]]:
    """Return rows with one record, or matrix, each, whose JSON is in `body`."""
    found = []
    for row in map(dict, rows):
        each = split_plain(row["body"])
        each = each[0].split(b"\n") if "seq" in row else each
        for behind, body in zip(reversed(range(len(each))), each, strict=True):
            own = {name: row[name] and row[name] - behind for name in numbers}
            found.append(tuple(sorted({**row, **own, "body": body}.items())))
    return sorted(found, key=repr)


def _plain(value: Any) -> Any:
    """Return the value in the same form for both databases: SQLite stores booleans as numbers, and bytes differ."""
    if isinstance(value, bool):
        return int(value)
    return bytes(value) if isinstance(value, memoryview) else value


def difference(want: Picture, got: Picture) -> str:
    """Return the differences by table, with the first rows that only one of them has; "" for none."""
    lines = []
    for table in sorted(want.keys() | got.keys()):
        before, after = want.get(table, []), got.get(table, [])
        if before == after:
            continue
        lines.append(f"{table}: {len(before)} rows undisturbed, {len(after)} now")
        for sign, only in (
            ("-", [row for row in before if row not in after]),
            ("+", [r for r in after if r not in before]),
        ):
            lines += [f"  {sign} {str(dict(row))[:600]}" for row in only[:3]]
        if len(set(map(repr, after))) != len(after):
            lines.append("  some rows are there twice")
    return "\n".join(lines)
