"""A digest of all records, case by case: `python -m tests.bench.same_bytes`.

Two source trees print the same lines if the change between them changes no byte of a trace.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping

from simulator.simulation import Record, Simulation
from tests.core.controllers.chaos import Storm
from tests.core.controllers.chaos_features import GALES
from tests.core.controllers.controller_speed import cluster, deployments

BLOWS = 8


class Digest:
    def __init__(self) -> None:
        self._sum = hashlib.sha256()

    def take(self, record: Record) -> None:
        beside = [record.manifests, record.lanes, record.moves, record.event_uids]
        self._sum.update(json.dumps([record.data, *beside]).encode())

    @property
    def text(self) -> str:
        return self._sum.hexdigest()


def of_storm(seed: int, of: type[Storm]) -> str:
    digest = Digest()

    class Watched(of):  # type: ignore[misc, valid-type]
        def check(self, record: Record) -> None:
            digest.take(record)

    storm = Watched(seed)
    for _ in range(BLOWS):
        storm.blow()
    storm.run(300)
    return digest.text


def of_rollout() -> str:
    """Digest Deployments that start, roll out, and are scaled and changed meanwhile."""
    digest, simulation = Digest(), cluster(40, deployments(5, 20))
    play(simulation, digest.take, run(60))
    for seconds, image, replicas in ((3, "app:2", 20), (600, "app:3", 23)):
        change = {"kind": "update", "objects": deployments(5, replicas, image)}
        play(simulation, digest.take, (change, *run(seconds)))
    return digest.text


def run(seconds: float) -> tuple[Mapping[str, object], ...]:
    return ({"kind": "run", "until": {"seconds": seconds}},)


def play(simulation: Simulation, take: Callable[[Record], None], commands: Iterable[Mapping[str, object]]) -> None:
    for command in commands:
        for record in simulation.apply(command):
            take(record)


def main() -> int:
    print("rollout", of_rollout(), flush=True)
    storms: Mapping[str, type[Storm]] = {"storm": Storm, **GALES}
    for name, of in storms.items():
        for seed in range(1, 4):
            print(name, seed, of_storm(seed, of), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
