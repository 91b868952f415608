"""Expanders, which choose the group that grows: random, most-pods, least-waste, least-nodes, price, priority.

Source: cluster-autoscaler/expander.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kube_controllers.cluster_autoscaler.utilization import requested
from kube_controllers.objects import Chance
from kube_objects.manifests import Manifest, status
from kube_objects.quantity import parse_milli

# A Pod whose price is added to both sides of the price ratio. Source: priceStabilizationPod.
_STEADY = {"spec": {"containers": [{"resources": {"requests": {"cpu": "500m", "memory": "500Mi"}}}]}}
_NOT_THERE_YET = 2.0  # Source: notExistCoeficient
# Pairs of a cluster size and the CPUs of the Node that it prefers. Source: simplePreferredNodeProvider.Node.
_PREFERRED = ((2, 1), (6, 2), (20, 4), (60, 8), (200, 16))
_MOST_PREFERRED = 32
# Prices of a core and of a GiB for an hour, for groups without a price. Source: gce pricing.
CPU_PRICE, MEMORY_PRICE = 0.033174, 0.004446


class Option(NamedTuple):
    """A group that could grow by `nodes`, and the Pods that would fit on them."""

    group: str
    nodes: int
    pods: Sequence[Manifest]
    template: Manifest
    price: float | None = None
    exists: bool = True


class Settings(NamedTuple):
    """The inputs of expanders besides the options. `priorities` maps a priority to patterns of group names."""

    cluster_size: int
    chance: Chance
    priorities: Mapping[int, Sequence[str]]


def choose(options: Sequence[Option], expanders: Sequence[str], settings: Settings) -> Option | None:
    """Return the best option: each expander filters the options, then a random one is chosen. Source:
    chainStrategy.BestOption.
    """
    left = list(options)
    for expander in expanders:
        left = EXPANDERS[expander](left, settings) or left
        if len(left) == 1:
            return left[0]
    return _choose_random(left, settings.chance)


def _choose_random(options: Sequence[Option], chance: Chance) -> Option | None:
    if not options:
        return None
    return options[chance.getrandbits(32) % len(options)] if len(options) > 1 else options[0]


def _best(options: Sequence[Option], worth: Callable[[Option], float]) -> list[Option]:
    """Return the options with the highest worth."""
    worths = [worth(option) for option in options]
    return [option for option, value in zip(options, worths, strict=True) if value == max(worths)]


def most_pods(options: Sequence[Option], settings: Settings) -> list[Option]:
    """Source: expander/mostpods."""
    return _best(options, lambda option: len(option.pods))


def least_nodes(options: Sequence[Option], settings: Settings) -> list[Option]:
    """Source: expander/leastnodes."""
    return _best(options, lambda option: -option.nodes)


def least_waste(options: Sequence[Option], settings: Settings) -> list[Option]:
    """Return the options whose new Nodes leave the smallest part of CPU and memory unused. Source: expander/waste."""
    return _best(options, lambda option: -waste(option))


def waste(option: Option) -> float:
    total = 0.0
    for resource in ("cpu", "memory"):
        whole = _capacity(option.template, resource) * option.nodes
        used = sum(requested(pod, resource) for pod in option.pods)
        total += (whole - used) / whole if whole else 0.0
    return total


def _capacity(node: Manifest, resource: str) -> int:
    return parse_milli(str((status(node).get("capacity") or status(node).get("allocatable") or {}).get(resource, 0)))


def price(options: Sequence[Option], settings: Settings) -> list[Option]:
    """Return the options with the lowest price for the value of their Pods, weighted by the preferred Node size.

    Source: expander/price.
    """
    scored = [(score, option) for option in options if (score := price_score(option, settings)) is not None]
    least = min((score for score, _ in scored), default=0.0)
    return [option for score, option in scored if score == least]


def price_score(option: Option, settings: Settings, steady: float | None = None) -> float | None:
    """Return the score of an option, the lower the better; None if its Pods have no value."""
    pods = sum(pod_price(pod) for pod in option.pods)
    return score(option, settings.cluster_size, pods, pod_price(_STEADY) if steady is None else steady)


def score(option: Option, cluster_size: int, pods: float, steady: float, preferred: int | None = None) -> float | None:
    if not pods:
        return None
    nodes = option.nodes * (node_price(option.template) if option.price is None else option.price)
    ratio = (nodes + steady) / (pods + steady)
    unfit = unfitness(preferred_cpu(cluster_size) if preferred is None else preferred, option.template)
    result = ((unfit - 1.0) * (1.0 - math.tanh((option.nodes - 1) / 15.0)) + 1.0) * ratio
    return result if option.exists else result * _NOT_THERE_YET


def preferred_cpu(cluster_size: int) -> int:
    """Return the CPU of the Node that suits a cluster of this size, in thousandths of a core."""
    return 1000 * next((cpu for most, cpu in _PREFERRED if cluster_size <= most), _MOST_PREFERRED)


def unfitness(preferred: int, node: Manifest) -> float:
    """Source: SimpleNodeUnfitness."""
    cpu = _capacity(node, "cpu")
    return max(preferred / cpu, cpu / preferred) if cpu and preferred else math.inf


def pod_price(pod: Manifest) -> float:
    gib = requested(pod, "memory") / 1000 / 2**30
    return requested(pod, "cpu") / 1000 * CPU_PRICE + gib * MEMORY_PRICE


def node_price(node: Manifest) -> float:
    return _capacity(node, "cpu") / 1000 * CPU_PRICE + _capacity(node, "memory") / 1000 / 2**30 * MEMORY_PRICE


def priority(options: Sequence[Option], settings: Settings) -> list[Option]:
    """Return the options whose group has a name of the highest priority, or all if none has. Source:
    expander/priority.
    """
    best: list[Option] = []
    for rank in sorted(settings.priorities, reverse=True):
        patterns = [re.compile(pattern) for pattern in settings.priorities[rank]]
        best = [option for option in options if any(pattern.search(option.group) for pattern in patterns)]
        if best:
            return best
    return list(options)


def random(options: Sequence[Option], settings: Settings) -> list[Option]:
    """Source: expander/random."""
    option = _choose_random(options, settings.chance)
    return [] if option is None else [option]


EXPANDERS: Mapping[str, Callable[[Sequence[Option], Settings], list[Option]]] = {
    "random": random,
    "most-pods": most_pods,
    "least-waste": least_waste,
    "least-nodes": least_nodes,
    "price": price,
    "priority": priority,
}


def priorities_of(text: Any) -> dict[int, list[str]]:
    """Return patterns by priority. Raise ValueError if the setting is invalid."""
    if not isinstance(text, Mapping):
        raise ValueError("priorities are a map from a number to a list of patterns")
    priorities: dict[int, list[str]] = {}
    for rank, patterns in text.items():
        if not isinstance(patterns, (list, tuple)):
            raise ValueError(f"the priority {rank} is no list of patterns")
        for pattern in patterns:
            try:
                re.compile(str(pattern))
            except re.error as error:
                raise ValueError(f"{pattern!r} is no pattern: {error}") from None
        priorities[int(rank)] = [str(pattern) for pattern in patterns]
    return priorities
