"""Run recorded test cases: family × passed/total, the smallest differences, and finally `N passed, M failed`."""

import argparse
import json
from pathlib import Path

from tests.conformance.cli.recorded import files_of
from tests.conformance.cli.vectors import FamilyResult, run_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("tests/conformance")], metavar="PATH")
    parser.add_argument("--failures", type=int, default=3, help="differences shown per family (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the table to FILE")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return exit status 0 only if there is a case and all cases passed."""
    files = [file for path in arguments.paths for file in files_of(path)]
    results = []
    for file in files:
        result = run_file(file)
        results.append(result)
        print(f"{result.family:<20} {result.passed:>4}/{result.total}", flush=True)
        for name, difference in result.failures[: arguments.failures]:
            print(f"    {name}: {difference}")
    if arguments.json:
        arguments.json.write_text(json.dumps(table(results), indent=1) + "\n")
    passed = sum(result.passed for result in results)
    failed = sum(len(result.failures) for result in results)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def table(results: list[FamilyResult]) -> list[dict[str, object]]:
    return [{"family": result.family, "passed": result.passed, "total": result.total} for result in results]
