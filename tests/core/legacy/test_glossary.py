"""Every word of then has an entry."""

import pytest

from scheduler_core.legacy.glossary import GLOSSARY, find_terms
from scheduler_core.legacy.policy.table import PREDICATE_ALIASES, PREDICATES, PRIORITIES, PRIORITY_ALIASES
from scheduler_core.legacy.translation.successors import SUCCESSORS
from scheduler_core.plugins.table import IN_TREE

ARGUMENTS_ONLY = {"NodeLabel", "RequestedToCapacityRatio", "ServiceAffinity"}


@pytest.mark.parametrize("word", sorted({*PREDICATES, *PREDICATE_ALIASES, *PRIORITIES, *PRIORITY_ALIASES, *SUCCESSORS}))
def test_has_an_entry(word: str) -> None:
    assert any(term.then == word for term in GLOSSARY)


def test_nothing_is_there_twice() -> None:
    assert len({term.then for term in GLOSSARY}) == len(GLOSSARY)


def test_plugins_of_today_exist() -> None:
    for term in GLOSSARY:
        if term.kind in ("predicate", "priority", "plugin"):
            assert all(name.split(" with ")[0] in IN_TREE for name in term.now.split(", ") if name), term


@pytest.mark.parametrize(("word", "then"), [("fifo", "FIFO"), ("podtopologyspread", "SelectorSpread")])
def test_found_from_both_sides(word: str, then: str) -> None:
    assert then in [term.then for term in find_terms(word)]


def test_a_word_that_is_not_there() -> None:
    assert find_terms("gang scheduling") == []
