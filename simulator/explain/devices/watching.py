"""The allocator's search, with every device that it looks at told: taken, given back, or refused and why."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypedDict

from kube_objects.devices import NO_EXECUTE, NO_SCHEDULE, DeviceId, ResourceClaim
from kube_objects.node import Node
from kube_objects.quantity import BINARY_SI, Quantity
from kube_objects.sentences import Data, Template
from kube_objects.taints import tolerates
from kube_objects.text.errors import SelectorError
from scheduler_core.dra import capacity, selectors
from scheduler_core.dra.allocator import Allocator, Search
from scheduler_core.dra.constraints import ClaimConstraint, attribute_of
from scheduler_core.dra.errors import AllocationError
from scheduler_core.dra.pools import Pool, is_on
from scheduler_core.dra.request_data import Candidate, Key, RequestData, Selectable, Taken
from scheduler_core.facts import wording

# Steps that are told; of longer searches the rest is counted.
MAX_STEPS = 400

TAKEN = Template("claim {claim} has it")
TAKEN_BEFORE = Template("the search has taken it already, for {claim}")
CLASS_SELECTOR = Template("selector {number} of class {name} is not true for it: {expression}")
SELECTOR = Template("selector {number} of the request is not true for it: {expression}")
SELECTOR_FAILS = Template("a selector cannot be worked out for it: {error}")
NOT_HERE = Template("this node cannot use it")
CONDITIONS = Template("it has binding conditions, which this version does not wait for")
PARTITION = Template("it is a partition, which this version does not give away")
TAINT = Template("the request does not tolerate its taint {taint}")
NO_ATTRIBUTE = Template("it has no attribute {attribute}, which a constraint compares")
OTHER_VALUE = Template("its {attribute} is {value}; what was taken before it has another")
SAME_VALUE = Template("its {attribute} is {value}, as that of a device which was taken before it")
NO_CAPACITY = Template("it has no capacity {name}")
BAD_AMOUNT = Template("its policy for {name} does not allow {wanted}")
TOO_LITTLE = Template("{name}: {wanted} would be consumed, and of {whole} there is {left} left")
COUNTER = Template("{name} of {group}: it would consume {wanted}, and of what the pool's devices share {left} is left")
UNKNOWN = Template("the allocator does not take it")

Why = tuple[str, Data]
Did = Literal["taken", "givenBack", "refused"]
DID: tuple[Did, ...] = ("taken", "givenBack", "refused")


class LookedAt(TypedDict):
    device: str
    kind: str | None
    why: Data | None


class ExplainedSearchStep(LookedAt):
    did: Did
    claim: str
    request: str


class WatchedSearch(Search):
    """The same search, to the same end. `steps` are as in docs/explain.md; `holders`: which claims have a device."""

    def __init__(
        self,
        allocator: Allocator,
        node: Node,
        claims: Sequence[ResourceClaim],
        pools: Sequence[Pool],
        holders: Mapping[DeviceId, Sequence[str]],
    ) -> None:
        super().__init__(allocator, node, claims, pools)
        self.steps: list[ExplainedSearchStep] = []
        self.omitted = 0
        self._holders = holders

    def _tell(self, did: Did, key: Key, data: RequestData, candidate: Candidate, why: Why | None = None) -> None:
        if len(self.steps) >= MAX_STEPS:
            self.omitted += 1
            return
        entry: ExplainedSearchStep = {
            "did": did,
            "claim": self.claims[key[0]].key,
            "request": data.name,
            "device": str(candidate.pool.id_of(candidate.device)),
            "kind": None,
            "why": None,
        }
        if why is not None:
            entry["kind"], entry["why"] = why
        self.steps.append(entry)

    def _refuse(self, key: Key, data: RequestData, candidate: Candidate, reasons: Iterator[Why]) -> None:
        is_shown = len(self.steps) < MAX_STEPS
        why = next(reasons, ("other", UNKNOWN())) if is_shown else None
        self._tell("refused", key, data, candidate, why)

    # What the search asks of a device

    def _may_have_all(self, key: Key, data: RequestData, candidate: Candidate) -> bool:
        found = self._answered(super()._may_have_all, key, data, candidate)
        if not found:
            self._refuse(key, data, candidate, self._unselectable(key, data, candidate))
        return found

    def _may_have(self, key: Key, data: RequestData, candidate: Candidate) -> bool:
        found = self._answered(super()._may_have, key, data, candidate)
        if not found:
            self._refuse(key, data, candidate, self._unavailable(key, data, candidate))
        return found

    def _answered(self, ask: Selectable, key: Key, data: RequestData, candidate: Candidate) -> bool:
        """A selector that fails for a device ends the search."""
        try:
            return ask(key, data, candidate)
        except AllocationError:
            self._refuse(key, data, candidate, self._unselected(data, candidate))
            raise

    def _take(self, key: Key, data: RequestData, candidate: Candidate, must: bool) -> Taken | None:
        try:
            taken = super()._take(key, data, candidate, must)
        except AllocationError:
            self._refuse(key, data, candidate, self._untakable(key, data, candidate))
            raise
        if taken is None:
            self._refuse(key, data, candidate, self._untakable(key, data, candidate))
        else:
            self._tell("taken", key, data, candidate)
        return taken

    def _give_back(self, key: Key, taken: Taken) -> None:
        super()._give_back(key, taken)
        self._tell("givenBack", key, taken.data, taken.candidate)

    # Why not, in the order in which the search asks

    def _unavailable(self, key: Key, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        yield from self._holder(key, data, candidate)
        yield from self._unselectable(key, data, candidate)

    def _unselectable(self, key: Key, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        if not self._is_selectable(key, data, candidate):
            yield from self._unselected(data, candidate)
        yield from self._lacking(data, candidate)

    def _untakable(self, key: Key, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        device = candidate.device
        yield from self._holder(key, data, candidate)
        if device.consumes_counters:
            if not self.rules.partitionable_devices:
                yield "unsupported", PARTITION()
            yield from self._short_of_counters(candidate)
        if self.rules.device_taints:
            for taint in device.taints:
                is_excluded = taint.effect in (NO_SCHEDULE, NO_EXECUTE)
                if is_excluded and not any(tolerates(one, taint) for one in data.request.tolerations):
                    yield "taint", TAINT(taint=taint_text(taint.key, taint.value, taint.effect))
        yield from self._against_constraints(key[0], data, candidate)
        yield from self._lacking(data, candidate)

    def _holder(self, key: Key, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        identity = candidate.pool.id_of(candidate.device)
        if not self._in_use(key[0], data.request, identity):
            return
        for position in self._in_claims.get(identity, ()):
            yield "taken", TAKEN_BEFORE(claim=self.claims[position].key)
        yield "taken", TAKEN(claim=", ".join(self._holders.get(identity, ())))

    def _unselected(self, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        device, driver = candidate.device, candidate.slice.driver
        if device.binding_conditions and not self.rules.binding_conditions:
            yield "unsupported", CONDITIONS()
        try:
            for number, text in enumerate(data.device_class.selectors, 1):
                if not selectors.matches(text, driver, device):
                    name = data.device_class.name
                    yield "selector", CLASS_SELECTOR(number=number, name=name, expression=wording.shortened(text))
            for number, text in enumerate(data.request.selectors, 1):
                if not selectors.matches(text, driver, device):
                    yield "selector", SELECTOR(number=number, expression=wording.shortened(text))
        except SelectorError as error:
            yield "selector", SELECTOR_FAILS(error=str(error))
        if candidate.slice.per_device_node_selection and not is_on(
            self.node, device.node_name, device.all_nodes, device.node_selector
        ):
            yield "notHere", NOT_HERE()

    def _lacking(self, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        """Capacity. Source: as `capacity.fits`."""
        if self._has_capacity(data.request, candidate):
            return
        device, wanted = candidate.device, data.request.capacity
        identity = candidate.pool.id_of(device)
        for name in wanted:
            if name not in device.capacity:
                yield "capacity", NO_CAPACITY(name=name)
        for name, amount in capacity.consumed(device, wanted).items():
            whole = device.capacity[name].value
            used = self.allocator.state.shared.get(identity, {}).get(name, 0)
            used += sum(each[name].nano for each in self._capacity.get(identity, ()) if name in each)
            if used + amount.nano > whole.nano:
                left = Quantity(whole.nano - used, whole.format)
                yield "capacity", TOO_LITTLE(name=name, wanted=str(amount), whole=str(whole), left=str(left))
            elif capacity.violates(amount, device.capacity[name]):
                yield "capacity", BAD_AMOUNT(name=name, wanted=str(amount))

    def _short_of_counters(self, candidate: Candidate) -> Iterator[Why]:
        available = self.allocator.available(candidate.pool)
        in_use = self._counters.get(candidate.pool.name, {})
        for consumed in candidate.device.consumes_counters:
            for name, amount in consumed.counters.items():
                which = (consumed.counter_set, name)
                left = available.get(which, 0) - in_use.get(which, 0)
                if amount.nano > left:
                    there = str(Quantity(max(left, 0), amount.format or BINARY_SI))
                    yield (
                        "counters",
                        COUNTER(name=name, group=consumed.counter_set, wanted=str(amount), left=there),
                    )

    def _against_constraints(self, claim: int, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        request, alternative = (data.parent.name, data.request.name) if data.parent else (data.request.name, "")
        driver = candidate.pool.driver
        # Of copies: adding to a constraint changes what it knows.
        for constraint in copy.deepcopy(self._constraints[claim]):
            if not constraint.add(request, alternative, candidate.device, driver):
                yield "constraint", _against(constraint, candidate, driver)


def _against(constraint: ClaimConstraint, candidate: Candidate, driver: str) -> Data:
    found = attribute_of(candidate.device, driver, constraint.attribute)
    if found is None:
        return NO_ATTRIBUTE(attribute=constraint.attribute)
    sentence = OTHER_VALUE if constraint.rule.match_attribute else SAME_VALUE
    return sentence(attribute=constraint.attribute, value=attribute_text(found.value))


def attribute_text(value: str | int | bool) -> str:
    """As it is written in YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def taint_text(key: str, value: str, effect: str) -> str:
    """As kubectl writes taints."""
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"
