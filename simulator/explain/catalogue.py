"""List of all English texts that explanations use, as input for translators."""

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
from simulator.explain.devices import claims, watched_search
from simulator.explain.known import inspections
from simulator.explain.known.entry import Inspection
from simulator.explain.known.taints import WELL_KNOWN_TAINTS

_MODULES: tuple[ModuleType, ...] = (
    arithmetic,
    calculation,
    compare,
    decoder,
    claims,
    watched_search,
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
    """Return sorted, unique pairs `(text, plural)`; `plural` is "" for a text without a number.

    Both have `str.format` fields.
    """
    texts = dict(_table_texts())
    for values in (*map(vars, _MODULES), *_plugin_namespaces()):
        texts |= dict(_texts_in(values.values()))
    return sorted(texts.items())


def _plugin_namespaces() -> Iterator[Mapping[str, object]]:
    """Yield the globals of the modules in which plugins explain their filters and scores."""
    for facts in FACTS.values():
        yield facts.__globals__
    for how in ARITHMETIC.values():
        yield how.raw.__globals__


def _texts_in(values: Iterable[object]) -> Iterator[tuple[str, str]]:
    for value in values:
        if isinstance(value, Plural):
            yield str(value.one), str(value.several)
        elif isinstance(value, Template):
            yield str(value), ""
        elif isinstance(value, dict | tuple | list):
            yield from _texts_in(value.values() if isinstance(value, dict) else value)


def _table_texts() -> Iterator[tuple[str, str]]:
    for entry in glossary.glossary():
        yield entry["text"]["template"], ""
    for reason in known.KNOWN_REASONS:
        yield str(reason.meaning), ""
        if reason.plain:
            yield str(reason.plain), ""
    for taint in WELL_KNOWN_TAINTS.values():
        yield str(taint), ""
    for inspection in vars(inspections).values():
        if isinstance(inspection, Inspection):
            yield str(inspection.what), ""
