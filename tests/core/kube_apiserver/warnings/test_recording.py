"""Warnings fit into headers. Source: apiserver/pkg/endpoints/filters/warning_test.go."""

import pytest

from kube_apiserver.warnings.recording import bounded

LONG = "x" * 300
MANY = [f"{number:03}{LONG}" for number in range(100)]
CASES: list[tuple[str, list[str], list[str]]] = [
    ("none", ["", ""], []),
    ("twice", ["a", "b", "a"], ["a", "b"]),
    ("with a line break", ["a\nb", "c"], ["c"]),
    ("a long one", [LONG], [LONG]),
    ("a very long one", ["x" * 5000], ["x" * 256]),
    ("one after another", ["x" * 4000, "y" * 300, "z"], ["x" * 256, "y" * 256, "z"]),
    ("many long ones", MANY, [text[:256] for text in MANY[:16]]),
]


@pytest.mark.parametrize(("name", "warnings", "want"), CASES)
def test_bounded(name: str, warnings: list[str], want: list[str]) -> None:
    assert bounded(warnings) == want
