"""Replay recordings of real schedulers and controllers: `python -m tests.conformance COMMAND`."""

import sys
from collections.abc import Sequence

from playground.__main__ import Subcommand, parser_of, run

SUBCOMMANDS = {
    "bench": Subcommand("tests.conformance.cli.bench", "measure the engine"),
    "conformance": Subcommand("tests.conformance.cli.conformance", "run vectors recorded from the real scheduler"),
    "controllers": Subcommand(
        "tests.conformance.cli.controllers", "play sequences recorded from a real controller manager"
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status."""
    words = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    return run(words, SUBCOMMANDS, parser_of(words[0], SUBCOMMANDS, "python -m tests.conformance"))


if __name__ == "__main__":
    sys.exit(main())
