"""`python -m tests.bench.scale`: the load that one PostgreSQL and some web and worker processes carry.

A queueing simulation that finds the bottleneck, from the measured cost of a step in seconds per component.
"""

import argparse
import heapq
import random
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

# Seconds of simulated time: the first are not counted, as queues are empty at the beginning.
WARM_UP, MEASURED = 5.0, 40.0
PLENTY = 10**9


@dataclass(frozen=True)
class Costs:
    """Seconds of CPU, as docs/contributing/benchmarks.md has them for PostgreSQL.

    `store`: a step's statements in the database; `tell`: its messages in the broker; `write`: one frame to one socket.
    """

    request: float = 0.0052
    step: float = 0.0084
    store: float = 0.0030
    tell: float = 0.0005
    write: float = 0.00005
    client: float = 0.0
    wait: float = 0.0


@dataclass(frozen=True)
class Site:
    """The number of processes, the database's cores, and the brokers over which clusters are spread.

    `cores`: shared by all of them and the clients; 0: each has its own.
    """

    web: int = 1
    workers: int = 2
    database: int = 2
    brokers: int = 1
    cores: int = 0
    costs: Costs = Costs()


class Station:
    """A station with `servers` that each serve one journey at a time, first come, first served."""

    def __init__(self, name: str, servers: int) -> None:
        self.name, self.servers = name, servers
        self.free = servers
        self.waiting: deque[Callable[[], None]] = deque()
        self.busy = 0.0


# A journey asks for a server, spends seconds there, and gives it back.
Journey = Generator[tuple[str, Station, float], None, None]


@dataclass
class Simulation:
    """Journeys through stations, in virtual time."""

    now: float = 0.0
    _count: int = 0
    _heap: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)

    def at(self, time: float, do: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._heap, (time, self._count, do))

    def go(self, journey: Journey) -> None:
        """Advance a journey to its next wait."""
        found = next(journey, None)
        if found is None:
            return
        what, station, seconds = found
        if what == "take":
            if station.free:
                station.free -= 1
                self.go(journey)
            else:
                station.waiting.append(lambda: self.go(journey))
        elif what == "give":
            if station.waiting:
                self.at(self.now, station.waiting.popleft())
            else:
                station.free += 1
            self.go(journey)
        else:
            station.busy += seconds if self.now >= WARM_UP else 0.0
            self.at(self.now + seconds, lambda: self.go(journey))

    def run(self, until: float) -> None:
        while self._heap and self._heap[0][0] <= until:
            self.now, _, do = heapq.heappop(self._heap)
            do()


def serve(station: Station, seconds: float, cores: Station) -> Journey:
    """Wait for a server and a core, and use both for so long."""
    yield "take", station, 0.0
    yield from work(station, seconds, cores)
    yield "give", station, 0.0


def work(station: Station, seconds: float, cores: Station) -> Journey:
    """Use a core while a server is held."""
    yield "take", cores, 0.0
    yield "spend", station, seconds
    yield "give", cores, 0.0


@dataclass(frozen=True)
class Found:
    """The result for a number of clusters.

    It has the seconds from a click to its frame, and each station's utilization (1: always).
    """

    clusters: int
    p50: float
    p95: float
    mean: float
    busy: dict[str, float]

    @property
    def bottleneck(self) -> str:
        return max(self.busy, key=lambda name: self.busy[name])


def simulate(site: Site, clusters: int, every: float, viewers: int, seed: int = 1) -> Found:
    """Simulate clusters in each of which a user steps every so many seconds, at random, with so many viewers."""
    chance, simulation, times = random.Random(seed), Simulation(), list[float]()
    web, workers = Station("web", site.web), Station("workers", site.workers)
    database, brokers, costs = Station("database", site.database), Station("brokers", site.brokers), site.costs
    cores, clients = Station("cores", site.cores or PLENTY), Station("clients", PLENTY)

    def click() -> Journey:
        began = simulation.now
        yield from serve(web, costs.request, cores)
        yield from serve(brokers, costs.tell, cores)
        yield "take", workers, 0.0
        yield from work(workers, costs.step, cores)
        yield from serve(database, costs.store, cores)
        yield "spend", clients, costs.wait
        # The worker waits meanwhile, and is nobody else's.
        workers.busy += costs.store + costs.wait if simulation.now >= WARM_UP else 0.0
        yield "give", workers, 0.0
        yield from serve(web, costs.write * viewers, cores)
        yield from serve(clients, costs.client, cores)
        if began >= WARM_UP:
            times.append(simulation.now - began)

    def arrive() -> None:
        simulation.go(click())
        simulation.at(simulation.now + chance.expovariate(clusters / every), arrive)

    simulation.at(0.0, arrive)
    simulation.run(WARM_UP + MEASURED)
    times.sort()
    p50, p95 = (times[int(len(times) * part)] if times else float("inf") for part in (0.5, 0.95))
    stations = (web, workers, database, brokers)
    mean = sum(times) / max(len(times), 1)
    return Found(clusters, p50, p95, mean, {one.name: one.busy / one.servers / MEASURED for one in stations})


def most(site: Site, every: float, viewers: int, within: float) -> Found:
    """Return the largest number of clusters for which p95 stays within a bound."""
    costs = site.costs
    spent = {
        "web": costs.request + costs.write * viewers,
        "workers": costs.step + costs.store,
        "database": costs.store,
        "brokers": costs.tell,
    }
    # No queue carries more than its servers' whole time; half of the time there is next to none.
    high = int(min(getattr(site, name) / seconds for name, seconds in spent.items() if seconds) * every) + 1
    low = max(high // 2, 1)
    while low > 1 and simulate(site, low, every, viewers).p95 > within:
        low, high = max(low // 2, 1), low
    while high - low > max(1, high // 30):
        middle = (low + high) // 2
        low, high = (middle, high) if simulate(site, middle, every, viewers).p95 <= within else (low, middle)
    return simulate(site, low, every, viewers)


def lifted(site: Site, bottleneck: str) -> Site:
    """Return the site with twice as many of its bottleneck."""
    return replace(site, **{bottleneck: 2 * getattr(site, bottleneck)})


def rows(site: Site, every: float, viewers: int, within: float, times: Sequence[int]) -> Iterator[str]:
    yield (
        "| web | workers | database cores | brokers | clusters | × | p50 ms | p95 ms "
        "| busy: web | workers | database | brokers |"
    )
    yield f"| {' | '.join(['---:'] * 12)} |"
    first: int | None = None
    reached, wanted = site, list(times)
    while wanted:
        found = most(reached, every, viewers, within)
        first = first or found.clusters
        if found.clusters / first >= wanted[0]:
            wanted.pop(0)
            busy = " | ".join(f"{part:.0%}" for part in found.busy.values())
            yield (
                f"| {reached.web} | {reached.workers} | {reached.database} | {reached.brokers} | {found.clusters:,} "
                f"| {found.clusters / first:.0f} | {found.p50 * 1000:.0f} | {found.p95 * 1000:.0f} | {busy} |"
            )
        reached = lifted(reached, found.bottleneck)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    for name, default in vars(Site()).items():
        if name != "costs":
            parser.add_argument(f"--{name}", type=int, default=default)
    for name, default in vars(Costs()).items():
        parser.add_argument(f"--{name}-cpu", type=float, default=default, help="seconds of CPU")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two clicks in a cluster")
    parser.add_argument("--viewers", type=int, default=1, help="of each cluster")
    parser.add_argument("--within", type=float, default=0.1, help="seconds that 95 of 100 clicks may take")
    parser.add_argument("--times", type=int, action="append", help="how much of the first row's is wanted")
    given: dict[str, Any] = vars(parser.parse_args(arguments))
    costs = Costs(**{name: given[f"{name}_cpu"] for name in vars(Costs())})
    site = Site(**{name: given[name] for name in vars(Site()) if name != "costs"}, costs=costs)
    print("\n".join(rows(site, given["every"], given["viewers"], given["within"], given["times"] or [1, 10])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
