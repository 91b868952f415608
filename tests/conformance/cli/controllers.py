"""Replay recorded sequences with the controllers: the first difference of each failure, and `N passed, M failed`."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.conformance.cli.recorded import files_of, read
from tests.conformance.cli.shell import run_line
from tests.conformance.controllers.sequence import first_difference

DEFAULT = Path("tests/core/controllers/sequences")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, default=[DEFAULT], metavar="PATH")
    parser.add_argument("--only", metavar="NAME", help="only the sequence of this name")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return exit status 0 only if there is a sequence and all sequences passed."""
    passed = failed = 0
    for path in arguments.paths:
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
    """Return the first difference. An exception counts as one, and doesn't stop the other sequences."""
    from tests.conformance.cli.api_server import Rules  # its tables are read in 0.3 s, and no other command needs them

    try:
        return first_difference(sequence, run_line, Rules())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def sequences(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the sequences of a file, or of all files of a folder. Raises InputError for other recordings."""
    for file in files_of(path):
        yield from read(file, "a sequence of a controller manager", ("name", "steps.state"))
