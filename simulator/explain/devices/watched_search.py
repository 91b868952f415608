"""Allocator search that records every device it evaluates as taken, given back, or refused with the reason."""

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

# Number of recorded steps; the steps beyond it are only counted.
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
    """A search with the allocator's result that records its steps.

    `steps` are as in docs/reference/explanation-json.md; `holders` maps each device to the claims that hold it.
    """

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

    def _record_step(self, did: Did, key: Key, data: RequestData, candidate: Candidate, why: Why | None = None) -> None:
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
        self._record_step("refused", key, data, candidate, why)

    # Overridden checks of the search

    def _may_have_all(self, key: Key, data: RequestData, candidate: Candidate) -> bool:
        allowed = self._record_selector_error(super()._may_have_all, key, data, candidate)
        if not allowed:
            self._refuse(key, data, candidate, self._why_unselectable(key, data, candidate))
        return allowed

    def _may_have(self, key: Key, data: RequestData, candidate: Candidate) -> bool:
        allowed = self._record_selector_error(super()._may_have, key, data, candidate)
        if not allowed:
            self._refuse(key, data, candidate, self._why_unavailable(key, data, candidate))
        return allowed

    def _record_selector_error(self, ask: Selectable, key: Key, data: RequestData, candidate: Candidate) -> bool:
        """Run a check. If a selector fails for the device, record the refusal and end the search."""
        try:
            return ask(key, data, candidate)
        except AllocationError:
            self._refuse(key, data, candidate, self._why_unselected(data, candidate))
            raise

    def _take(self, key: Key, data: RequestData, candidate: Candidate, must: bool) -> Taken | None:
        try:
            taken = super()._take(key, data, candidate, must)
        except AllocationError:
            self._refuse(key, data, candidate, self._why_not_taken(key, data, candidate))
            raise
        if taken is None:
            self._refuse(key, data, candidate, self._why_not_taken(key, data, candidate))
        else:
            self._record_step("taken", key, data, candidate)
        return taken

    def _give_back(self, key: Key, taken: Taken) -> None:
        super()._give_back(key, taken)
        self._record_step("givenBack", key, taken.data, taken.candidate)

    # Reasons for a refusal, in the order in which the search checks them

    def _why_unavailable(self, key: Key, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        yield from self._why_held(key, data, candidate)
        yield from self._why_unselectable(key, data, candidate)

    def _why_unselectable(self, key: Key, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        if not self._is_selectable(key, data, candidate):
            yield from self._why_unselected(data, candidate)
        yield from self._why_lacking_capacity(data, candidate)

    def _why_not_taken(self, key: Key, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        device = candidate.device
        yield from self._why_held(key, data, candidate)
        if device.consumes_counters:
            if not self.rules.partitionable_devices:
                yield "unsupported", PARTITION()
            yield from self._why_short_of_counters(candidate)
        if self.rules.device_taints:
            for taint in device.taints:
                is_excluded = taint.effect in (NO_SCHEDULE, NO_EXECUTE)
                if is_excluded and not any(tolerates(toleration, taint) for toleration in data.request.tolerations):
                    yield "taint", TAINT(taint=taint_text(taint.key, taint.value, taint.effect))
        yield from self._why_against_constraints(key[0], data, candidate)
        yield from self._why_lacking_capacity(data, candidate)

    def _why_held(self, key: Key, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        identity = candidate.pool.id_of(candidate.device)
        if not self._in_use(key[0], data.request, identity):
            return
        for position in self._in_claims.get(identity, ()):
            yield "taken", TAKEN_BEFORE(claim=self.claims[position].key)
        yield "taken", TAKEN(claim=", ".join(self._holders.get(identity, ())))

    def _why_unselected(self, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        device, driver = candidate.device, candidate.slice.driver
        if device.binding_conditions and not self.rules.binding_conditions:
            yield "unsupported", CONDITIONS()
        try:
            for number, text in enumerate(data.device_class.selectors, 1):
                if not selectors.device_matches(text, driver, device):
                    name = data.device_class.name
                    yield "selector", CLASS_SELECTOR(number=number, name=name, expression=wording.shorten_text(text))
            for number, text in enumerate(data.request.selectors, 1):
                if not selectors.device_matches(text, driver, device):
                    yield "selector", SELECTOR(number=number, expression=wording.shorten_text(text))
        except SelectorError as error:
            yield "selector", SELECTOR_FAILS(error=str(error))
        if candidate.slice.per_device_node_selection and not is_on(
            self.node, device.node_name, device.all_nodes, device.node_selector
        ):
            yield "notHere", NOT_HERE()

    def _why_lacking_capacity(self, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        """Yield the capacities that the device lacks. Source: as `capacity.fits`."""
        if self._has_capacity(data.request, candidate):
            return
        device, wanted = candidate.device, data.request.capacity
        identity = candidate.pool.id_of(device)
        for name in wanted:
            if name not in device.capacity:
                yield "capacity", NO_CAPACITY(name=name)
        for name, amount in capacity.consumed_capacity(device, wanted).items():
            whole = device.capacity[name].value
            used = self.allocator.state.shared.get(identity, {}).get(name, 0)
            used += sum(used_by[name].nano for used_by in self._capacity.get(identity, ()) if name in used_by)
            if used + amount.nano > whole.nano:
                left = Quantity(whole.nano - used, whole.format)
                yield "capacity", TOO_LITTLE(name=name, wanted=str(amount), whole=str(whole), left=str(left))
            elif capacity.violates_policy(amount, device.capacity[name]):
                yield "capacity", BAD_AMOUNT(name=name, wanted=str(amount))

    def _why_short_of_counters(self, candidate: Candidate) -> Iterator[Why]:
        available = self.allocator.available(candidate.pool)
        in_use = self._counters.get(candidate.pool.name, {})
        for consumed in candidate.device.consumes_counters:
            for name, amount in consumed.counters.items():
                counter = (consumed.counter_set, name)
                left = available.get(counter, 0) - in_use.get(counter, 0)
                if amount.nano > left:
                    left_text = str(Quantity(max(left, 0), amount.format or BINARY_SI))
                    yield (
                        "counters",
                        COUNTER(name=name, group=consumed.counter_set, wanted=str(amount), left=left_text),
                    )

    def _why_against_constraints(self, claim: int, data: RequestData, candidate: Candidate) -> Iterator[Why]:
        request, alternative = (data.parent.name, data.request.name) if data.parent else (data.request.name, "")
        driver = candidate.pool.driver
        # Copy the constraints, because `add` changes their state.
        for constraint in copy.deepcopy(self._constraints[claim]):
            if not constraint.add(request, alternative, candidate.device, driver):
                yield "constraint", _constraint_reason(constraint, candidate, driver)


def _constraint_reason(constraint: ClaimConstraint, candidate: Candidate, driver: str) -> Data:
    attribute = attribute_of(candidate.device, driver, constraint.attribute)
    if attribute is None:
        return NO_ATTRIBUTE(attribute=constraint.attribute)
    sentence = OTHER_VALUE if constraint.rule.match_attribute else SAME_VALUE
    return sentence(attribute=constraint.attribute, value=attribute_text(attribute.value))


def attribute_text(value: str | int | bool) -> str:
    """Return an attribute's value as YAML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def taint_text(key: str, value: str, effect: str) -> str:
    """Return a taint as kubectl writes it."""
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"
