"""What mends a rejection: by the table of plugins, or by a plugin's own method `repairs` (`question.Repairs`)."""

from collections.abc import Iterable

from scheduler_core.edits.costs import ARGUE, AWAY, DISABLE, EVICT, LEAVE, Prices
from scheduler_core.edits.edit import cost_of
from scheduler_core.edits.question import Need, Repairs, Rule
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


def price_of_others(needs: Iterable[Need], prices: Prices) -> int | None:
    """The least that it costs when other pods have to leave for one of these needs."""
    leaving, evicting = prices.least(*LEAVE), prices.least(*EVICT)
    costs, stays = [], 0
    for need in needs:
        own = [cost_of(option) for option in need.options]
        if leaving is not None and is_for_others(need.plugin):
            costs.append(leaving * need.leave + need.besides)
            own.append(costs[-1])
        if not need.evictable:
            # What no eviction mends has to be mended besides.
            stays = max(stays, min(own, default=0))
    return min(costs if evicting is None else [*costs, evicting + stays], default=None)
