"""What the inventory remembers is what asking anew says, whatever has changed in between."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from kube_objects.devices import Allocation, ResourceClaim
from scheduler_core.dra.allocator import Allocator
from scheduler_core.dra.inventory import Inventory
from scheduler_core.dra.pools import PoolIndex
from scheduler_core.dra.rules import V1_36
from scheduler_core.dra.state import AllocatedState
from simulator.simulation.store import ObjectStore
from tests.conformance.testing import make_node
from tests.core.dra.devices import (
    claim,
    device,
    device_class,
    read_claim,
    read_class,
    read_slice,
    request,
    resource_slice,
)

NODES = [make_node(name).build() for name in "abc"]
LARGE = 'device.attributes["gpu.example.com"].size == "large"'


def sized(name: str, random: Random) -> dict[str, Any]:
    return device(name, attributes={"size": {"string": random.choice(("large", "small"))}})


def devices_of(found: Sequence[Allocation] | None) -> Any:
    return None if found is None else [[each.id for each in one.devices] for one in found]


def anew(store: ObjectStore, in_flight: dict[str, ResourceClaim]) -> Allocator:
    stored = [each.allocation for each in store.list("ResourceClaim") if each.uid not in in_flight]
    flying = [each.allocation for each in in_flight.values()]
    state = AllocatedState.from_allocations(one for one in (*stored, *flying) if one is not None)
    classes = {each.name: each for each in store.list("DeviceClass")}
    return Allocator(V1_36, state, classes, PoolIndex(V1_36, store.list("ResourceSlice")))


def test_remembered_answers_are_those_of_asking_again() -> None:
    for seed in range(20):
        random, store = Random(seed), ObjectStore()
        in_flight: dict[str, ResourceClaim] = {}
        inventory = Inventory(V1_36, store, in_flight)
        store.put(read_class(device_class()))
        for node in NODES:
            parts = [sized(f"d{n}", random) for n in range(3)]
            store.put(read_slice(resource_slice(node.name, parts)))
        store.put(read_slice(resource_slice("", [sized("far", random)], pool="shared", allNodes=True)))
        for step in range(60):
            wanted = [request(selectors=[LARGE] if random.random() < 0.5 else (), count=random.choice((1, 1, 2)))]
            new = replace(read_claim(claim(f"c{step}", *wanted)), uid=f"u{step}")
            store.put(new)
            fresh, allocator = anew(store, in_flight), inventory.allocator()
            answers = inventory.answers([new])
            placed: Sequence[Allocation] | None = None
            for node in NODES:
                known = answers.get(node.name)
                got = known[1] if known is not None else inventory.ask(answers, allocator, node, [new])
                want = fresh.allocate(node, [new])
                assert devices_of(got) == devices_of(want), (seed, step, node.name)
                placed = placed or want
            if placed is not None:
                given = replace(new, allocation=placed[0])
                if random.random() < 0.3:
                    in_flight[new.uid] = given
                else:
                    store.put(given)
            change_something(random, store, in_flight)


def change_something(random: Random, store: ObjectStore, in_flight: dict[str, ResourceClaim]) -> None:
    claims = store.list("ResourceClaim")
    match random.randrange(5):
        case 0:
            gone = random.choice(claims)
            store.remove("ResourceClaim", gone.key)
        case 1:
            store.put(replace(random.choice(claims), allocation=None))
        case 2 if in_flight:
            given = in_flight.popitem()[1]
            if random.random() < 0.5 and store.get("ResourceClaim", given.key) is not None:
                store.put(given)
        case 3:
            name = random.choice(NODES).name
            store.put(read_slice(resource_slice(name, [sized(f"e{random.randrange(4)}", random)])))
        case _:
            pass
