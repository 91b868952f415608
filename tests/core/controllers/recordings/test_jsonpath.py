"""What scripts print of objects by JSONPath."""

import pytest

from tests.conformance.controllers.jsonpath import printed

DATA = {
    "items": [
        {"metadata": {"name": "a", "annotations": {"a.io/rev-1": "7"}}, "n": 1, "of": [{"kind": "x"}]},
        {"metadata": {"name": "b"}, "n": 2, "of": [{"kind": "y"}]},
    ]
}
PATHS = [
    ("{.items[*].metadata.name}", "a b"),
    ("{.items[-1].n}", "2"),
    (".items[0].metadata.name", "a"),
    ("pod/{.items[0].metadata.name}!", "pod/a!"),
    ('{range .items[*]}{.metadata.name}={.n}{"\\n"}{end}.', "a=1\nb=2\n."),
    ('{.items[?(@.metadata.name=="b")].n}', "2"),
    ("{.nothing}{.items[0].nothing[7]}", ""),
    ("{.items[-1:].n}", "2"),
    ("{.items[:1].n}", "1"),
    ("{.items[?(@.n>1)].n}", "2"),
    ("{.items[?(@.n!=2)].metadata.name}", "a"),
    ("{.items[?(@.n)].n}", "1 2"),
    ("{.items[?(@.n=='2')].n}", ""),
    (r'{.items[?(@.metadata.annotations.a\.io/rev-1=="7")].n}', "1"),
    (r"{.items[?(@.metadata.annotations.a\.io/rev-1)].n}", "1"),
    ('{.items[?(@.of[0].kind=="y")].n}', "2"),
]


@pytest.mark.parametrize(("path", "text"), PATHS, ids=[path for path, _ in PATHS])
def test_paths_lead_to_values(path: str, text: str) -> None:
    assert printed(path, DATA) == text


def test_a_list_has_to_have_the_place_that_is_asked_for() -> None:
    with pytest.raises(IndexError, match="index 7, length 2"):
        printed("{.items[7].n}", DATA)
