"""What mends a rejection: by the table of plugins, or by a plugin's own method `repairs` (`question.Repairs`)."""

from collections.abc import Iterable

from scheduler_core.edits.costs import ARGUE, AWAY, DISABLE, Prices
from scheduler_core.edits.question import Repairs, Rule
from scheduler_core.framework.interface import Plugin
from scheduler_core.plugins.table import EDITS, NEEDS


def rule_of(plugin: Plugin) -> Rule | None:
    """None for a plugin that does not say what would mend its rejections."""
    rule = NEEDS.get(plugin.name)
    return plugin.repairs if rule is None and isinstance(plugin, Repairs) else rule


# What one edit may mend for several plugins is counted once; what is done to a plugin helps with that one only.
_OWN = frozenset({DISABLE, ARGUE})


def floor_of(plugin: str, prices: Prices) -> int | None:
    """What it costs at least to mend a rejection by a plugin; 0 for one that is not known, None if nothing may."""
    if plugin not in EDITS:
        return 0
    return prices.least(*EDITS[plugin])


def apart(plugins: Iterable[str], prices: Prices) -> list[str]:
    """Those of the plugins whose rules have no kind of edit in common: what they need adds up."""
    found: list[str] = []
    counted: frozenset[str] = frozenset()
    for plugin in sorted(plugins, key=lambda name: -(floor_of(name, prices) or 0)):
        kinds = frozenset(EDITS.get(plugin, ())) - _OWN
        if plugin in EDITS and not counted & kinds:
            found.append(plugin)
            counted |= kinds
    return found


def is_for_others(plugin: str) -> bool:
    """Whether it may help that other pods leave the node."""
    return plugin not in EDITS or bool(set(EDITS[plugin]) & set(AWAY))
