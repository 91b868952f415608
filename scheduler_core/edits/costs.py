"""The costs of each kind of edit, and locks on objects; users can change both."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Annotated, Any, TypedDict

from kube_objects.sentences import Data, Template, say
from kube_objects.text.hints import did_you_mean
from kube_objects.text.problems import Problem
from scheduler_core.edits.edit import Edit

POD, NODE, OTHERS, NEW_NODE, RULES = "pod", "node", "others", "new node", "rules"

# Groups of edits → their names, in the order of default costs: from the least intrusive edits to weaker hard rules.
GROUPS: Mapping[str, Template] = {
    POD: Template("the pod's own hints"),
    NODE: Template("a node, a volume, a claim"),
    OTHERS: Template("other pods"),
    NEW_NODE: Template("a new node"),
    RULES: Template("a hard rule"),
}


@dataclass(frozen=True, slots=True)
class EditKind:
    """A kind of edit in the table of costs."""

    cost: int
    group: str
    what: Template


COSTS: Mapping[str, EditKind] = {
    "lift_gate": EditKind(10, POD, Template("lift a scheduling gate")),
    "tolerate": EditKind(10, POD, Template("tolerate a taint")),
    "drop_node_name": EditKind(10, POD, Template("remove the Node name of the Pod")),
    "lower_request": EditKind(12, POD, Template("lower a resource request")),
    "fewer_devices": EditKind(14, POD, Template("request fewer devices")),
    "other_claim": EditKind(16, POD, Template("use another claim")),
    "uncordon": EditKind(20, NODE, Template("uncordon a node")),
    "label": EditKind(22, NODE, Template("add a label to a node")),
    "untaint": EditKind(24, NODE, Template("remove a taint from a node")),
    "relabel": EditKind(28, NODE, Template("change a label of a node")),
    "claim_class": EditKind(30, NODE, Template("give a claim another class")),
    "relabel_volume": EditKind(32, NODE, Template("move a volume to another zone")),
    "add_volume": EditKind(34, NODE, Template("add a volume")),
    "add_claim": EditKind(34, NODE, Template("add a claim")),
    "add_group": EditKind(34, NODE, Template("add a pod group")),
    "move_pod": EditKind(40, OTHERS, Template("move another pod to another node")),
    "recreate_job": EditKind(
        45, OTHERS, Template("delete a Job and create it again, in addition to the edit of its Pod")
    ),
    "delete_pod": EditKind(50, OTHERS, Template("delete another pod")),
    "raise_priority": EditKind(60, OTHERS, Template("raise the priority, so that other Pods are evicted")),
    "add_node": EditKind(80, NEW_NODE, Template("add a copy of an existing Node")),
    "raise_skew": EditKind(90, RULES, Template("raise maxSkew of a topology spread constraint")),
    "widen": EditKind(90, RULES, Template("allow this node in the node affinity")),
    "other_port": EditKind(90, RULES, Template("use another host port")),
    "smaller_gang": EditKind(95, RULES, Template("lower the number of Pods that a gang needs at once")),
    "soften": EditKind(100, RULES, Template("make a required rule preferred")),
    "drop_selector": EditKind(100, RULES, Template("remove a label from the node selector")),
    "leave_gang": EditKind(105, RULES, Template("schedule a pod without its gang")),
    "drop_port": EditKind(110, RULES, Template("remove a host port")),
    "drop_feature": EditKind(115, RULES, Template("remove the need for a kubelet feature")),
    "drop_claim": EditKind(120, RULES, Template("remove a claim")),
    "plugins_own": EditKind(90, RULES, Template("apply an edit that an out-of-tree plugin proposes")),
    "enable_plugin": EditKind(150, RULES, Template("enable preemption in the profile")),
    "plugin_args": EditKind(200, RULES, Template("change an argument of a plugin of the profile")),
    "disable_plugin": EditKind(300, RULES, Template("disable a plugin of the profile")),
}
# Groups of kinds: pods leave a node, pods are evicted from it; edits of PVCs.
LEAVE, EVICT = ("move_pod", "delete_pod"), ("raise_priority", "enable_plugin")
AWAY = (*LEAVE, *EVICT)
OF_CLAIMS = ("other_claim", "add_claim", "claim_class", "drop_claim", "add_volume", "label", "relabel")
DISABLE, ARGUE = "disable_plugin", "plugin_args"
KINDS = list(COSTS)
Kind = Annotated[str, tuple(COSTS)]
MAX_COST = 1_000_000
MAX_LOCKS = 200
MAX_LOCK = 300


class ExplainedCost(TypedDict):
    kind: Kind
    what: Data
    group: Annotated[str, tuple(GROUPS)]
    of: Data
    default: int
    cost: int | None


def list_costs(prices: "Prices") -> list[ExplainedCost]:
    """Return the table of costs for the UI."""
    return [
        {
            "kind": kind,
            "what": row.what(),
            "group": row.group,
            "of": GROUPS[row.group](),
            "default": row.cost,
            "cost": prices.cost_of(kind),
        }
        for kind, row in COSTS.items()
    ]


class CostsError(ValueError):
    """Raised for an invalid table of costs or lock."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


@dataclass(frozen=True, slots=True)
class Prices:
    """Costs that differ from the default, and locks. A cost of None forbids the kind of edit.

    `locks` are patterns like `Node/db-*`, `Pod/shop/cart`, `Namespace/shop`, `Taint/dedicated`, `Plugin/NodeAffinity`.
    """

    costs: Mapping[str, int | None] = field(default_factory=dict)
    locks: tuple[str, ...] = ()

    def cost_of(self, kind: str) -> int | None:
        """Return the cost of an edit of this kind; None if it is forbidden."""
        return self.costs[kind] if kind in self.costs else COSTS[kind].cost

    def least(self, *kinds: str) -> int | None:
        """Return the cost of the cheapest of these kinds; None if all are forbidden."""
        return min((cost for kind in kinds if (cost := self.cost_of(kind)) is not None), default=None)

    def allows(self, edit: Edit) -> bool:
        names = [str(edit.of)]
        if edit.of.namespace:
            names.append(f"Namespace/{edit.of.namespace}")
        if edit.moved_to:
            names.append(f"Node/{edit.moved_to}")
        if edit.kind in ("untaint", "uncordon"):
            names.append(f"Taint/{edit.path.removeprefix('spec.taints.').removesuffix('[]')}")
        if edit.disabled or edit.profile is not None:
            names.append(f"Plugin/{edit.disabled or edit.path.split('.')[1]}")
        return not any(fnmatchcase(name, lock) for name in names for lock in self.locks)

    def as_dict(self) -> dict[str, Any]:
        """Return the data that is stored with a cluster."""
        return {"costs": dict(self.costs), "locks": list(self.locks)}


def read_prices(costs: Any, locks: Any) -> Prices:
    """Validate a user's costs and locks. Raises CostsError with all problems."""
    problems: list[Problem] = []
    known: dict[str, int | None] = {}
    if not isinstance(costs, Mapping):
        problems.append(Problem("costs", None, say("must be a mapping of kinds of edits to costs")))
        costs = {}
    for kind, cost in costs.items():
        if kind not in COSTS:
            hint = did_you_mean(str(kind), COSTS)
            problems.append(Problem(f"costs.{str(kind)[:60]}", None, say("no such kind of edit"), hint or ""))
        elif cost is not None and (not isinstance(cost, int) or isinstance(cost, bool) or not 0 < cost <= MAX_COST):
            rule = say("must be a whole number from 1 to {n}, or null for what may not be done", n=MAX_COST)
            problems.append(Problem(f"costs.{kind}", cost, rule))
        else:
            known[kind] = cost
    if not isinstance(locks, list | tuple) or len(locks) > MAX_LOCKS:
        problems.append(Problem("locks", None, say("must be a list of at most {n} patterns", n=MAX_LOCKS)))
        locks = ()
    for i, lock in enumerate(locks):
        kind, slash, name = lock.partition("/") if isinstance(lock, str) else ("", "", "")
        if not kind or not slash or not name or len(lock) > MAX_LOCK:
            rule = say("must be KIND/NAME, like Node/db-*, Pod/shop/cart, Namespace/shop or Taint/dedicated")
            problems.append(Problem(f"locks[{i}]", str(lock)[:MAX_LOCK], rule))
    if problems:
        raise CostsError(problems)
    return Prices(known, tuple(locks))
