"""Read what pytest reports of a client suite, and compare it with the failures that are known."""

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


@dataclass(frozen=True)
class Comparison:
    """The tests of one suite: how many passed, which failed as known, which failed otherwise, and which pass again."""

    passed: int
    skipped: int
    known: dict[str, str]
    unexpected: dict[str, str]
    repaired: list[str]

    @property
    def is_expected(self) -> bool:
        return not self.unexpected and not self.repaired


def read_report(report: Path) -> dict[str, str | None]:
    """Return the outcome of each test in a JUnit report: "" passed, None skipped, else the error message.

    A test is named `module.Class::test`, without the packages that hold the module.
    """
    outcomes: dict[str, str | None] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):  # noqa: S314  pytest has just written it
        module = re.sub(r"^.*?(?=\btest_\w+(\.[A-Z]\w*)?$)", "", case.get("classname", ""))
        name = f"{module}::{case.get('name', '')}"
        problems = [child for child in case if child.tag in ("failure", "error")]
        skipped = case.find("skipped") is not None
        message = " ".join((problems[0].get("message") or "error").split())[:200] if problems else ""
        outcomes[name] = None if skipped else message
    return outcomes


def compare(outcomes: dict[str, str | None], known_failures: dict[str, str]) -> Comparison:
    """Sort the outcomes of a suite; `known_failures` maps the name of a test to its cause."""
    failures = {name: message for name, message in outcomes.items() if message}
    return Comparison(
        passed=sum(message == "" for message in outcomes.values()),
        skipped=sum(message is None for message in outcomes.values()),
        known={name: known_failures[name] for name in failures if name in known_failures},
        unexpected={name: message for name, message in failures.items() if name not in known_failures},
        repaired=sorted(name for name in known_failures if outcomes.get(name) == ""),
    )
