"""Reader of node and pod lists in CSV, the format of published cluster traces. See docs/reference/file-formats.md."""

import csv
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kube_objects.collect import ReadResult, UnusedField
from kube_objects.documents import decode_text
from kube_objects.parse import read_object
from kube_objects.sentences import say
from kube_objects.text.hints import did_you_mean
from kube_objects.text.limits import Limits
from kube_objects.text.problems import Problem
from simulator.importers.csv_fields import NODES, PODS, FileKind, Row

_DEFAULT_LIMITS = Limits()
_GZIP = b"\x1f\x8b"


@dataclass(slots=True, frozen=True)
class ColumnMapping:
    """A mapping of column names to fields, for columns with other names; "" leaves a column out."""

    nodes: Mapping[str, str] = field(default_factory=dict)
    pods: Mapping[str, str] = field(default_factory=dict)


_DEFAULT_MAPPING = ColumnMapping()


def read_csv(
    nodes: str | bytes,
    pods: str | bytes,
    mapping: ColumnMapping = _DEFAULT_MAPPING,
    limits: Limits = _DEFAULT_LIMITS,
) -> ReadResult:
    """Return nodes and pods in the order of their files. A file may be empty, and bytes may be gzip data.

    Never raises: problems have a path of `<file>.<column>` (`pods.cpu_milli`) and a line. `unused` lists columns
    without a field, with the number of rows that have a value in them.
    """
    result = ReadResult()
    for kind, data, names in ((NODES, nodes, mapping.nodes), (PODS, pods, mapping.pods)):
        if data:
            _FileReader(kind, names, limits, result).read(data)
    if not result.objects and not result.problems:
        result.problems.append(Problem("", None, say("these files have no rows")))
    if result.problems:
        result.objects = []
    return result


class _FileReader:
    def __init__(self, kind: FileKind, mapping: Mapping[str, str], limits: Limits, result: ReadResult) -> None:
        self.kind = kind
        self.mapping = mapping
        self.limits = limits
        self.result = result
        self.first_seen: dict[str, int] = {}
        self.filled: dict[str, int] = {}  # Unused column → number of rows with a value in it.

    def read(self, data: str | bytes) -> None:
        text = _text(data, self.limits)
        if isinstance(text, Problem):
            self.note("", None, text.rule, text.hint, text.line)
            return
        # With newline="", the csv module distinguishes line ends from line breaks within quotes.
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            header = [column.strip() for column in next(reader, [])]
            fields = self.map_columns(header)
            if fields is not None:
                for cells in reader:
                    if not self.row(header, fields, cells, reader.line_num):
                        break
        except csv.Error as error:
            self.note("", None, say("is not valid CSV: {why}", why=error), line=reader.line_num)
        for column, count in self.filled.items():
            self.result.unused.append(UnusedField(self.kind.kind, column, count, 1, ""))

    def map_columns(self, header: Sequence[str]) -> list[str] | None:
        """Return the field of every column, "" for an unused column; None if the header is invalid."""
        before = len(self.result.problems)
        for column in self.mapping:
            if column not in header:
                self.note(column, None, say("no such column"), did_you_mean(column, header), line=1)
        fields = []
        for column in header:
            name = self.mapping.get(column, self.kind.aliases.get(column, column))
            if self.kind.field(name) is None:
                if self.mapping.get(column):
                    hint = did_you_mean(name, self.kind.fields)
                    self.note(
                        column,
                        name,
                        say("is mapped to a field that does not exist in {name}", name=self.kind.name),
                        hint,
                        line=1,
                    )
                name = ""
                self.filled.setdefault(column, 0)
            elif name in fields:
                self.note(column, None, say("is a second column for the field {name}", name=name), line=1)
            fields.append(name)
        for name, other in (("cpu", "cpu_milli"), ("memory", "memory_mib")):
            if name in fields and other in fields:
                self.note(
                    header[fields.index(other)], None, say("there is already a column for {one}", one=name), line=1
                )
        if "name" not in fields:
            hint = say("columns are separated by commas") if len(header) == 1 else say("map a column to it")
            self.note("name", None, say("there is no column for the name"), hint, line=1)
        return fields if len(self.result.problems) == before else None

    def row(self, header: Sequence[str], fields: Sequence[str], cells: Sequence[str], line: int) -> bool:
        """Read one row; return False if a limit is reached."""
        if not cells:
            return True
        if len(self.result.problems) >= self.limits.problems:
            self.note(
                "", None, say("more than {n} problems; the rest was not checked", n=self.limits.problems), line=line
            )
            return False
        if len(self.first_seen) >= self.limits.lines:
            self.note("", None, say("more than {n} rows", n=self.limits.lines), line=line)
            return False
        if len(cells) != len(header):
            self.note(
                "",
                None,
                say("has {cells} cells where the header has {columns}", cells=len(cells), columns=len(header)),
                line=line,
            )
            return True
        row: dict[str, str] = {}
        columns: dict[str, str] = {}
        is_valid = True
        for column, name, cell in zip(header, fields, cells, strict=True):
            cell = cell.strip()
            if not cell:
                continue
            if not name:
                self.filled[column] += 1
                continue
            known = self.kind.field(name)
            if known is not None and (rule := known.rule(cell)):
                self.note(column, cell, rule, line=line)
                is_valid = False
            row[name], columns[name] = cell, column
        if is_valid:
            self.add(row, columns, line)
        return True

    def add(self, row: Row, columns: Mapping[str, str], line: int) -> None:
        problems: list[Problem] = []
        parsed = read_object(self.kind.manifest(row), problems)
        by_path = {known.path: column for name, column in columns.items() if (known := self.kind.field(name))}
        for problem in problems:
            column = by_path.get(problem.path, problem.path)
            if problem.path == "metadata.name" and "name" not in row:
                column = "name"
            self.note(column, problem.value, problem.rule, problem.hint, line)
        if parsed is None or problems:
            return
        first = self.first_seen.setdefault(parsed.key, line)
        if first != line:
            self.note(columns["name"], row["name"], say("the same name is in line {first}", first=first), line=line)
            return
        self.result.objects.append(parsed)

    def note(self, column: str, value: object, rule: str, hint: str = "", line: int | None = None) -> None:
        path = f"{self.kind.name}.{column}" if column else self.kind.name
        self.result.problems.append(Problem(path, value, rule, hint, line=line))


def _text(data: str | bytes, limits: Limits) -> str | Problem:
    if isinstance(data, bytes) and data[:2] == _GZIP:
        try:
            unpacked = b"".join(_unpacked(data, limits.bytes))
        except zlib.error as error:
            return Problem("", None, say("is not a gzip file: {error}", error=error))
        data = unpacked
    return decode_text(data, limits)


def _unpacked(data: bytes, most: int) -> Iterator[bytes]:
    """Yield the content of a gzip file, cut off just beyond `most` bytes."""
    while data and most >= 0:
        unpacker = zlib.decompressobj(wbits=31)
        part = unpacker.decompress(data, most + 1)
        most -= len(part)
        yield part
        if not unpacker.eof:
            if most >= 0:
                raise zlib.error("it ends too early")
            return
        data = unpacker.unused_data  # A gzip file may have several members.
