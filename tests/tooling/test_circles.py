"""No module and no room of the engine imports, by whatever way round, what imports it; types count as well."""

from collections.abc import Mapping

import grimp
import pytest

from tests.packages import PACKAGES

Graph = Mapping[str, frozenset[str]]


def circles(graph: Graph) -> list[list[str]]:
    """What can be reached from itself, as groups. Nodes from which only what is done can be reached are done."""
    waiting = dict(graph)
    while done := [name for name, used in waiting.items() if not used & waiting.keys()]:
        for name in done:
            del waiting[name]
    return sorted(sorted(reach(waiting, name)) for name in waiting if name in reach(waiting, name))


def reach(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    new = set(graph[start])
    while new:
        found |= new
        new = {used for name in new for used in graph.get(name, ())} - found
    return found & graph.keys()


@pytest.fixture(scope="module")
def modules() -> Graph:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    return {name: frozenset(graph.find_modules_directly_imported_by(name)) for name in graph.modules}


def test_no_circle_of_modules(modules: Graph) -> None:
    assert circles(modules) == []


def test_no_circle_of_folders(modules: Graph) -> None:
    def room(module: str) -> str:
        return ".".join(module.split(".")[:2])

    rooms: dict[str, set[str]] = {}
    for name, used in modules.items():
        if name.partition(".")[0] in ("scheduler_core", "simulator"):
            rooms.setdefault(room(name), set()).update(room(each) for each in used if room(each) != room(name))
    assert circles({name: frozenset(used) for name, used in rooms.items()}) == []


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({"a": "b", "b": "c", "c": ""}, []),
        ({"a": "b", "b": "a"}, [["a", "b"], ["a", "b"]]),
        ({"a": "b", "b": "c", "c": "bd", "d": ""}, [["b", "c"], ["b", "c"]]),
    ],
)
def test_a_circle_is_found(graph: dict[str, str], found: list[list[str]]) -> None:
    assert circles({name: frozenset(used) for name, used in graph.items()}) == found
