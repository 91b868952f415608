"""Files of recordings: JSON lines, optionally compressed, each an object with the fields of its kind."""

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from simulator.cli.errors import InputError


def files_of(path: Path) -> list[Path]:
    """Return `path`, or the recordings in the folder `path` and its subfolders. Raises InputError if it is missing."""
    if not path.exists():
        raise InputError([f"{path}: no such file or folder"])
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*.jsonl*") if file.suffix in (".gz", ".jsonl"))


def read(file: Path, kind: str, fields: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the recordings of a file, which have at least `fields`. Raises InputError for anything else.

    A dotted field is looked up in every entry of a list on its way: `steps.state`.
    """
    try:
        packed = file.read_bytes()
        text = gzip.decompress(packed) if file.suffix == ".gz" else packed
    except (OSError, EOFError, zlib.error) as error:
        raise InputError([f"{file}: cannot be read: {error}"]) from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            recording = json.loads(line)
        except ValueError as error:
            raise InputError([f"{file}, line {number}: not JSON: {error}"]) from error
        missing = [field for field in fields if not isinstance(recording, dict) or not has(recording, field.split("."))]
        if missing:
            raise InputError([f"{file}, line {number}: not {kind}: the field {missing[0]} is missing"])
        yield recording


def has(value: Any, path: Sequence[str]) -> bool:
    """Return whether a value has the field at `path`, in every entry of a list."""
    if not path:
        return True
    if isinstance(value, list):
        return all(has(entry, path) for entry in value)
    return isinstance(value, dict) and path[0] in value and has(value[path[0]], path[1:])
