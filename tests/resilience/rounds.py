"""Rounds: the same commands run, a fault occurs at a random time, and the stored rows must be the same."""

import itertools
import random
import re
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.resilience import watches, workload
from tests.resilience.client import Client, Viewer
from tests.resilience.deployments import OPERATOR_TOKEN, Deployment
from tests.resilience.faults import FAULTS, kinds
from tests.resilience.stored_rows import Picture, difference
from tests.services import until, wait_for

VARIANTS = 3
# An undisturbed round takes about so long; the fault comes at any moment of it.
ROUND_SECONDS = 2.0
BETWEEN_POSTS = 0.05
PATIENCE_SECONDS = 120.0
# Until a viewer has what is stored: a new connection, or the look that the server takes every second.
VIEWER_SECONDS = 30.0


class RoundError(AssertionError):
    """Raised if a round's result differs from that of a round without a fault."""


@dataclass
class Tally:
    """The counts of all rounds, by kind of fault."""

    rounds: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    commands: int = 0
    records: int = 0
    retries: int = 0
    reconnections: int = 0
    late: int = 0
    # Of the informers: what they were told, how often they came back, and how often they had to list again.
    told: int = 0
    watches: int = 0
    lists: int = 0


class Game:
    """One deployment, and the expected results of its rounds, in so many variants."""

    def __init__(self, deployment: Deployment, tally: Tally, variants: int = VARIANTS) -> None:
        self._variants = variants
        self.deployment = deployment
        self.tally = tally
        self.client = Client(deployment.urls, deployment.login)
        self._undisturbed: dict[int, Picture] = {}
        # The examples that it starts with are commands, too.
        wait_for(self._is_idle, "the examples")
        self._stored_before = self._records_stored()
        self._turn = itertools.count()
        self._counted = 0

    def undisturbed(self, variant: int) -> Picture:
        """Return the stored rows without a fault; the records are those of the engine alone."""
        if variant not in self._undisturbed:
            picture = self._play(variant, lambda cluster, is_over: None)
            stored = _bodies(picture)
            if [stored[seq] for seq in sorted(stored)] != workload.by_the_engine_alone(variant):
                raise RoundError(f"variant {variant}: undisturbed, the records are not the engine's")
            self._undisturbed[variant] = picture
        return self._undisturbed[variant]

    def disturbed(self, kind: str, seed: str) -> None:
        """Run one round. Raises RoundError if any result differs from that without a fault."""
        rng = random.Random(seed)
        variant, moment = rng.randrange(self._variants), rng.uniform(0, ROUND_SECONDS)
        want = self.undisturbed(variant)

        def strike(cluster: int, is_over: threading.Event) -> None:
            is_over.wait(moment)
            note = FAULTS[kind](self.deployment, cluster, rng)
            self.tally.notes[note or "nothing"] += 1

        got = self._play(variant, strike)
        self.tally.rounds[kind] += 1
        if found := difference(want, got):
            raise RoundError(f"what is stored is not what is stored undisturbed:\n{found}")

    def _play(self, variant: int, strike: Callable[[int, threading.Event], None]) -> Picture:
        made = self.client.post("clusters/", {"name": "round", "seed": workload.SEED, "config": workload.GANG})
        cluster = int(made["id"])
        self.client.post(f"clusters/{cluster}/pace/", {"cycles_per_second": workload.PACE})
        viewer = Viewer(self.client, cluster, next(self._turn))
        failures: list[BaseException] = []
        is_over, has_failed = threading.Event(), threading.Event()

        def watched() -> None:
            try:
                strike(cluster, is_over)
            except BaseException as error:
                failures.append(error)
                has_failed.set()

        striking = threading.Thread(target=watched)
        headers = watches.access(self.client, cluster, self.deployment.login is not None)
        commands = workload.commands(variant)
        try:
            with watches.following(self.client, cluster, headers, f"{cluster}") as informers:
                striking.start()
                self._post(cluster, commands, has_failed)
                striking.join()
                if failures:
                    raise failures[0]
                state = self._until_idle(cluster, len(commands))
                # Here, so that what is wrong with this round is told once, and not as numbers that differ at the end.
                self._counted += state["revision"]
                self._check_informers(informers)
            if not viewer.has_seen(state["revision"], VIEWER_SECONDS):
                raise RoundError(f"the viewer saw {viewer.last} of {state['revision']} records")
        finally:
            is_over.set()
            if striking.ident is not None:
                striking.join()
            viewer.close()
        picture = self.deployment.database.picture(cluster)
        self._check_viewer(viewer, picture)
        self._remove(cluster)
        self.tally.commands += len(commands)
        self.tally.records += state["revision"]
        self.tally.retries += self.client.retries
        self.tally.reconnections += viewer.connections - 1
        self.client.retries = 0
        return picture

    def _post(self, cluster: int, commands: Sequence[dict[str, Any]], has_failed: threading.Event) -> None:
        for number, command in enumerate(commands, start=1):
            answer = self.client.post(f"clusters/{cluster}/commands/", {**command, "key": f"command {number}"})
            if answer["number"] != number:
                raise RoundError(f"command {number} was stored as command {answer['number']}")
            has_failed.wait(BETWEEN_POSTS)

    def _check_informers(self, informers: Sequence[watches.Informer]) -> None:
        if wrong := [each for informer in informers for each in informer.check()]:
            raise RoundError(f"informers: {wrong[:5]}")
        for each in informers:
            self.tally.told += len(each.heard)
            self.tally.watches += each.connections - 1
            self.tally.lists += each.lists - 1

    def _until_idle(self, cluster: int, last: int) -> dict[str, int]:
        """Return the cluster's state after every command."""
        # To give a lease back waits for no disk: where that is lost with a database, the lease runs out.
        is_free = "lease_holder = '' OR lease_expires < CURRENT_TIMESTAMP"
        columns, idle = ("submitted", "applied", is_free), (last, last, True)
        if until(lambda: self.deployment.database.cluster(cluster, *columns) == idle, PATIENCE_SECONDS):
            state: dict[str, int] = self.client.get(f"clusters/{cluster}/")
            return state
        raise RoundError(f"not over after {PATIENCE_SECONDS:.0f} s: {self.client.get(f'clusters/{cluster}/')}")

    def _check_viewer(self, viewer: Viewer, picture: Picture) -> None:
        stored = _bodies(picture)
        wrong = [seq for seq, body in viewer.bodies.items() if stored[seq] != body]
        if viewer.complaints or wrong:
            raise RoundError(f"the viewer: {viewer.complaints}; other bodies for {wrong[:5]}")

    def _remove(self, cluster: int) -> None:
        self.client.delete(f"clusters/{cluster}/")

    def _is_idle(self) -> bool:
        return not self.deployment.database.rows("SELECT id FROM playground_cluster WHERE submitted <> applied")

    def _records_stored(self) -> int:
        return int(self.deployment.database.rows("SELECT COALESCE(SUM(revision), 0) FROM playground_cluster")[0][0])

    def check(self) -> None:
        """Check the totals: counted results are stored, and each process that lost its lease in a fight was refused."""
        self.tally.late = self.deployment.late_writers()
        if self.tally.late < self.tally.notes["fought"]:
            raise RoundError(f"{self.tally.notes['fought']} fights, and {self.tally.late} late writers were refused")
        counted = 0.0
        request = urllib.request.Request(f"{self.deployment.urls[0]}/metrics")
        request.add_header("Authorization", f"Bearer {OPERATOR_TOKEN}")
        for line in wait_for(lambda: _answer(request), "the numbers of a server that was just killed").splitlines():
            if found := re.fullmatch(r"playground_records_total\{.*\} (\S+)", line):
                counted += float(found[1])
        want = self._stored_before + self._counted
        if counted != want:
            raise RoundError(f"{counted:.0f} records were counted, and {want} were stored")


def _bodies(picture: Picture) -> dict[int, str]:
    """Return the JSON of the records, by number."""
    return {row["seq"]: row["body"].decode() for row in map(dict, picture["playground_record"])}


def _answer(request: urllib.request.Request) -> str | None:
    """Return the answer to a request; None while nothing listens there, which the last fault may have caused."""
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError:
        raise
    except OSError:
        return None


def plan(deployment: Deployment, rounds: int, seed: str) -> Iterator[tuple[int, str, str]]:
    """Return number, kind of fault and seed of each round: every kind equally often, in random order."""
    rng = random.Random(seed)
    names = kinds(deployment)
    order = [names[number % len(names)] for number in range(rounds)]
    rng.shuffle(order)
    for number, kind in enumerate(order, start=1):
        yield number, kind, f"{seed}/{number}"
