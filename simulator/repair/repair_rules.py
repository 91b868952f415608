"""Repair rules of plugins, from the in-tree table or from a plugin's own `repairs` method (`question.Repairs`)."""

from collections.abc import Iterable

from scheduler_core.edits.costs import ARGUE, AWAY, DISABLE, Prices
from scheduler_core.edits.question import Repairs, Rule
from scheduler_core.framework.interface import Plugin
from scheduler_core.plugins.table import EDITS, NEEDS


def find_rule(plugin: Plugin) -> Rule | None:
    """Return the plugin's repair rule, or None if it has none."""
    rule = NEEDS.get(plugin.name)
    return plugin.repairs if rule is None and isinstance(plugin, Repairs) else rule


# Kinds of edits that change a plugin, and so can only fix that plugin's rejections.
_OWN = frozenset({DISABLE, ARGUE})


def least_cost(plugin: str, prices: Prices) -> int | None:
    """Return the least cost of fixing a rejection by the plugin.

    It is 0 for an unknown plugin, None if no edit is allowed.
    """
    if plugin not in EDITS:
        return 0
    return prices.least(*EDITS[plugin])


def independent_plugins(plugins: Iterable[str], prices: Prices) -> list[str]:
    """Return plugins whose rules share no kind of edit, so that their costs add up."""
    independent: list[str] = []
    counted: frozenset[str] = frozenset()
    for plugin in sorted(plugins, key=lambda name: -(least_cost(name, prices) or 0)):
        kinds = frozenset(EDITS.get(plugin, ())) - _OWN
        if plugin in EDITS and not counted & kinds:
            independent.append(plugin)
            counted |= kinds
    return independent


def can_affect_other_pods(plugin: str) -> bool:
    """Return True if removing other pods from the node can fix the plugin's rejection."""
    return plugin not in EDITS or bool(set(EDITS[plugin]) & set(AWAY))
