"""A few rounds of `make resilience`, with clients of the Kubernetes API that watch.

Each fault once where there are several of everything, three on a laptop.
"""

from collections.abc import Iterator

import pytest

from tests.resilience.deployments import Deployment, Distributed, Embedded, deployed
from tests.resilience.faults import FAULTS
from tests.resilience.rounds import Game, Tally

SEED = "ci"


@pytest.fixture(scope="module")
def distributed() -> Iterator[Game]:
    yield from _game(Distributed)


@pytest.fixture(scope="module")
def embedded() -> Iterator[Game]:
    yield from _game(Embedded)


def _game(kind: type[Deployment]) -> Iterator[Game]:
    with deployed(kind) as deployment:
        game = Game(deployment, Tally(), variants=1)
        yield game
        game.check()


@pytest.mark.parametrize("fault", FAULTS)
def test_postgresql_and_redis(distributed: Game, fault: str) -> None:
    distributed.disturbed(fault, f"{SEED}/{fault}")


@pytest.mark.parametrize("fault", ["network to Redis stalled", "two workers fight", "web killed"])
def test_embedded(embedded: Game, fault: str) -> None:
    embedded.disturbed(fault, f"{SEED}/{fault}")
