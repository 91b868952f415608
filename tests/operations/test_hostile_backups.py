"""A backup that is damaged or hostile is refused with the place, the value and the rule, and changes nothing."""

import base64
import copy
import gzip
import io
import json
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.operations import backup, backup_values
from tests.web import Api, node, pod

Lines = list[Any]


@pytest.fixture
def lines(api: Api) -> Lines:
    """The lines of a backup of one cluster, whose objects are placed."""
    cluster = api.cluster([node("a"), pod("p")])
    api.command(cluster, kind="run", until="idle")
    file = io.BytesIO()
    backup.write(file)
    return [json.loads(line) for line in gzip.decompress(file.getvalue()).splitlines()]


def restore(lines: Lines) -> None:
    restore_text(b"\n".join(json.dumps(line).encode() for line in lines))


def restore_text(text: bytes) -> None:
    backup.read(io.BytesIO(gzip.compress(text, 1)))


def everything() -> list[Any]:
    return [list(model._default_manager.order_by("pk").values()) for model in backup.tables()]


def place(lines: Lines, table: str, column: str) -> tuple[Any, int]:
    """The first row of a table, and where in it this column is."""
    head = next(at for at, line in enumerate(lines) if isinstance(line, dict) and line.get("table") == table)
    return lines[head + 1][0], lines[head]["columns"].index(column)


def packed(data: bytes) -> str:
    return base64.b64encode(data).decode()


def bomb(size: int) -> bytes:
    return b"\x02" + zstandard.ZstdCompressor().compress(b" " * size)


MIDNIGHT = "0001-01-01T00:00:00+14:00"
VALUES = [
    # table                    column           value                          said
    ("auth.user", "is_superuser", "yes", r'auth.user: row \d+: is_superuser: "yes" must be true or false'),
    ("auth.user", "is_staff", 1, "is_staff: 1 must be true or false"),
    ("auth.user", "username", None, "username: null must be a text"),
    ("auth.user", "username", "\ud800", "must be a text without half a surrogate pair"),
    ("auth.user", "date_joined", "2026-01-31", "must be a time with its time zone"),
    ("auth.user", "date_joined", 5, "must be a time with its time zone"),
    ("auth.user", "date_joined", MIDNIGHT, "must be between the years 1 and 9999"),
    ("playground.cluster", "id", 2**63, "id: 9223372036854775808 must be between"),
    ("playground.cluster", "owner_id", "1", 'owner_id: "1" must be an integer'),
    ("playground.cluster", "owner_id", 77, "this is no backup, or it is damaged: "),
    ("playground.cluster", "seed", True, "seed: true must be an integer"),
    ("playground.cluster", "seed", 1.5, "seed: 1.5 must be an integer"),
    ("playground.cluster", "t", float("nan"), "t: NaN must be a finite number"),
    ("playground.cluster", "t", float("inf"), "t: Infinity must be a finite number"),
    ("playground.cluster", "t", 10**400, "must be a finite number"),
    ("playground.cluster", "actors", "{", "actors: .* must be JSON: "),
    ("playground.cluster", "actors", "[1e999]", "must be JSON: number out of range"),
    ("playground.cluster", "actors", '["\\ud800"]', "must be JSON: .*surrogates not allowed"),
    ("playground.cluster", "actors", "[" * 100_000, "must be JSON: maximum recursion depth exceeded"),
    ("playground.cluster", "actors", [], r"actors: \[\] must be a text"),
    ("playground.command", "state", "finished", "state: .* must be one of done, failed, "),
    ("playground.command", "payload", "%", "payload: .* must be bytes as base64"),
    ("playground.command", "payload", packed(b"text"), "must be a packed text: packed by another version"),
    ("playground.command", "payload", packed(b"\x02text"), "must be a packed text: damaged"),
    ("playground.command", "payload", packed(bomb(2_000_000)), "unpacks to more than 1000000 bytes"),
    ("playground.record", "body", packed(b"\x01text"), "must be a packed text: packed by another version"),
    ("playground.clusterobject", "manifest", {"a": 1}, r'manifest: \{"a": 1\} must be a text'),
]


def test_a_wrong_value_is_named(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup_values, "UNPACKED_BYTES", 1_000_000)
    before = everything()
    for table, column, value, said in VALUES:
        changed = copy.deepcopy(lines)
        row, at = place(changed, table, column)
        row[at] = value
        with pytest.raises(backup.BackupError, match=said):
            restore(changed)
    assert everything() == before


def _without_a_table(lines: Lines) -> None:
    del lines[next(at for at, line in enumerate(lines) if isinstance(line, dict) and "playground.share" in str(line))]


def _nothing(lines: Lines) -> None:
    lines[1:] = [{"rows": {}}]


def _table_twice(lines: Lines) -> None:
    lines.insert(-1, lines[1])


def _table_without_a_name(lines: Lines) -> None:
    lines.insert(-1, {"table": ["auth.user"]})


def _longer_row(lines: Lines) -> None:
    lines[2][0].append(1)


def _number_as_row(lines: Lines) -> None:
    lines[2][0] = 5


def _more_after_the_end(lines: Lines) -> None:
    lines.append({})


STRUCTURES = [
    (_without_a_table, "tables are missing: playground.share"),
    (_nothing, "tables are missing: auth.user, "),
    (_table_twice, "the table auth.user is there twice"),
    (_table_without_a_name, "this line is none of a backup"),
    (_longer_row, "auth.user: .* is no row of 11 columns"),
    (_number_as_row, "auth.user: 5 is no row of 11 columns"),
    (_more_after_the_end, "something follows the end of the backup"),
]


def test_a_wrong_structure_is_named(lines: Lines) -> None:
    before = everything()
    for change, said in STRUCTURES:
        changed = copy.deepcopy(lines)
        change(changed)
        with pytest.raises(backup.BackupError, match=said):
            restore(changed)
    assert everything() == before


def test_a_line_takes_bounded_memory(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "MOST_LINE_BYTES", 1_000_000)
    with pytest.raises(backup.BackupError, match="line 1 has more than 1000000 bytes"):
        restore_text(b" " * 50_000_000)
    with pytest.raises(backup.BackupError, match="line 1 is not JSON: maximum recursion depth exceeded"):
        restore_text(b"[" * 500_000)


def test_a_changed_byte_is_found(lines: Lines) -> None:
    data = gzip.compress(b"\n".join(json.dumps(line).encode() for line in lines))
    before = everything()
    for at in (len(data) // 2, len(data) - 6):
        with pytest.raises(backup.BackupError):
            backup.read(io.BytesIO(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]))
    assert everything() == before


def test_large_rows_are_written_in_short_lines(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two", "three"):
        api.post("clusters/", {"name": name})
    monkeypatch.setattr(backup, "WRITTEN_LINE", 10)
    before = everything()
    file = io.BytesIO()
    backup.write(file)
    written = [json.loads(line) for line in gzip.decompress(file.getvalue()).splitlines()]
    assert {len(line) for line in written if isinstance(line, list)} == {1}
    restore(written)
    assert everything() == before


ANY_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**400])
    | st.floats()
    | st.text(st.characters(codec=None), max_size=20)
    | st.sampled_from(["[]", "{}", "null", "Ag==", "2026-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00", "\0"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_anywhere_is_refused_or_can_be_read(lines: Lines, data: st.DataObject) -> None:
    changed = copy.deepcopy(lines)
    rows = data.draw(st.sampled_from([line for line in changed if isinstance(line, list)]))
    row = data.draw(st.sampled_from(rows))
    row[data.draw(st.integers(0, len(row) - 1))] = data.draw(ANY_VALUE)
    try:
        restore(changed)
    except backup.BackupError:
        return
    everything()
