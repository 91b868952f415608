"""Play recorded sequences with the actors: the first difference of each that fails, and `N passed, M failed`."""

import argparse
import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scheduler_core.cli.shell import run_line
from scheduler_core.conformance.controllers.sequence import first_difference

DEFAULT = Path("tests/core/actors/sequences")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, default=[DEFAULT], metavar="PATH")
    parser.add_argument("--only", metavar="NAME", help="only the sequence of this name")


def run(arguments: argparse.Namespace) -> int:
    """Exit status 0 only if every sequence passed and there was at least one."""
    passed = failed = 0
    for path in arguments.paths:
        if not path.exists():
            print(f"{path}: no such file or folder")
            failed += 1
            continue
        for sequence in sequences(path):
            if arguments.only not in (None, sequence["name"]):
                continue
            difference = _played(sequence)
            if difference:
                failed += 1
                print(f"{sequence['name']}: {difference}", flush=True)
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def _played(sequence: Mapping[str, Any]) -> str:
    """The first difference; what nobody foresaw is one as well, and does not keep the others from being played."""
    from scheduler_core.cli.api_server import Rules  # its tables are read in 0.3 s, and no other command needs them

    try:
        return first_difference(sequence, run_line, Rules())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def sequences(path: Path) -> Iterator[Mapping[str, Any]]:
    """Of a file, or of all files of a folder: JSON lines, compressed or not."""
    files = sorted(path.rglob("*.jsonl*")) if path.is_dir() else [path]
    for file in files:
        packed = file.read_bytes()
        text = gzip.decompress(packed) if file.suffix == ".gz" else packed
        yield from (json.loads(line) for line in text.splitlines() if line.strip())
