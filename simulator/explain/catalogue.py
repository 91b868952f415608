"""Every English text that explanations are made of, for whoever translates them."""

from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType

from kube_objects.sentences import Plural, Template
from scheduler_core.facts import calculation, normalize
from scheduler_core.plugins.node_resources import arithmetic as resources
from scheduler_core.plugins.table import ARITHMETIC, FACTS
from simulator.explain import (
    arithmetic,
    compare,
    decoder,
    effect,
    gang,
    glossary,
    known,
    node,
    predictions,
    preemption,
    reasons,
    spread,
    steps,
)
from simulator.explain.devices import claims, watching
from simulator.explain.known import looks
from simulator.explain.known.entry import Look
from simulator.explain.known.taints import WELL_KNOWN_TAINTS

_MODULES: tuple[ModuleType, ...] = (
    arithmetic,
    calculation,
    compare,
    decoder,
    claims,
    watching,
    effect,
    gang,
    node,
    normalize,
    predictions,
    preemption,
    reasons,
    resources,
    spread,
    steps,
)


def catalogue() -> list[tuple[str, str]]:
    """`(text, plural)`, each once, sorted; `plural` is "" for texts without a number. Places are as in `str.format`."""
    found = dict(_of_tables())
    for words in (*map(vars, _MODULES), *_of_plugins()):
        found |= dict(_of_values(words.values()))
    return sorted(found.items())


def _of_plugins() -> Iterator[Mapping[str, object]]:
    """What the modules hold in which the plugins explain themselves."""
    for facts in FACTS.values():
        yield facts.__globals__
    for how in ARITHMETIC.values():
        yield how.raw.__globals__


def _of_values(values: Iterable[object]) -> Iterator[tuple[str, str]]:
    for value in values:
        if isinstance(value, Plural):
            yield str(value.one), str(value.several)
        elif isinstance(value, Template):
            yield str(value), ""
        elif isinstance(value, dict | tuple | list):
            yield from _of_values(value.values() if isinstance(value, dict) else value)


def _of_tables() -> Iterator[tuple[str, str]]:
    for entry in glossary.glossary():
        yield entry["text"]["template"], ""
    for reason in known.KNOWN_REASONS:
        yield str(reason.meaning), ""
        if reason.plain:
            yield str(reason.plain), ""
    for taint in WELL_KNOWN_TAINTS.values():
        yield str(taint), ""
    for look in vars(looks).values():
        if isinstance(look, Look):
            yield str(look.what), ""
