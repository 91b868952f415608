"""Every English text that explanations are made of, for whoever translates them."""

from collections.abc import Iterable, Iterator
from types import ModuleType

from scheduler_core.explain import (
    arithmetic,
    calculation,
    compare,
    decoder,
    effect,
    filters,
    glossary,
    known,
    node,
    predictions,
    preemption,
    reasons,
    scores,
    spread,
    steps,
)
from scheduler_core.explain.devices import claims, watching
from scheduler_core.explain.known import looks
from scheduler_core.explain.known.entry import Look
from scheduler_core.explain.known.taints import WELL_KNOWN_TAINTS
from scheduler_core.sentences import Plural, Template

_MODULES: tuple[ModuleType, ...] = (
    arithmetic,
    calculation,
    compare,
    decoder,
    claims,
    watching,
    effect,
    filters.fit,
    filters.inter_pod_affinity,
    filters.node_affinity,
    filters.node_ports,
    filters.pod_topology_spread,
    filters.taint_toleration,
    filters.volume_binding,
    filters.volumes,
    node,
    predictions,
    preemption,
    reasons,
    scores.balanced,
    scores.dynamic_resources,
    scores.fit,
    scores.image_locality,
    scores.inter_pod_affinity,
    scores.node_affinity,
    scores.normalize,
    scores.pod_topology_spread,
    scores.resources,
    scores.taint_toleration,
    spread,
    steps,
)


def catalogue() -> list[tuple[str, str]]:
    """`(text, plural)`, each once, sorted; `plural` is "" for texts without a number. Places are as in `str.format`."""
    found = dict(_of_tables())
    for module in _MODULES:
        found |= dict(_of_values(vars(module).values()))
    return sorted(found.items())


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
