"""What scripts print of objects by JSONPath."""

import pytest

from scheduler_core.conformance.controllers.jsonpath import printed

DATA = {"items": [{"metadata": {"name": "a"}, "n": 1}, {"metadata": {"name": "b"}, "n": 2}]}
PATHS = [
    ("{.items[*].metadata.name}", "a b"),
    ("{.items[-1].n}", "2"),
    (".items[0].metadata.name", "a"),
    ("pod/{.items[0].metadata.name}!", "pod/a!"),
    ('{range .items[*]}{.metadata.name}={.n}{"\\n"}{end}.', "a=1\nb=2\n."),
    ('{.items[?(@.metadata.name=="b")].n}', "2"),
    ("{.items[7].n}{.nothing}", ""),
    ("{.items[-1:].n}", "2"),
    ("{.items[:1].n}", "1"),
    ("{.items[?(@.n>1)].n}", "2"),
    ("{.items[?(@.n!=2)].metadata.name}", "a"),
    ("{.items[?(@.n)].n}", "1 2"),
    ("{.items[?(@.n=='2')].n}", ""),
]


@pytest.mark.parametrize(("path", "text"), PATHS, ids=[path for path, _ in PATHS])
def test_paths_lead_to_values(path: str, text: str) -> None:
    assert printed(path, DATA) == text
