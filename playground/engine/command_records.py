"""Batches of a command's records, batch from the engine, and the problems to report for commands that fail."""

import time
from collections.abc import Iterator

from kube_objects.sentences import say
from playground.engine.leases import LeaseLostError
from playground.engine.loaded_clusters import LoadedCluster
from playground.engine.session_control import STEP_SECONDS, Interrupted
from playground.models import Command
from playground.problems import Problem, problem
from scheduler_core.config import ConfigError
from simulator.simulation import CommandError, Record

# Limit for the objects of records that are stored together. A single record may have more.
MOST_OBJECTS = 2000
# The engine refuses a command before it changes anything.
REFUSED = (CommandError, ConfigError)


class EngineError(Exception):
    """The engine failed in the middle of a command. The cause has the reason."""


def begin_command(loaded: LoadedCluster, command: Command) -> Iterator[Record]:
    """Return the remaining records of a command. Raise one of REFUSED if the engine refuses it."""
    if loaded.rest is not None:
        return loaded.rest
    try:
        return loaded.begin(command.number, command.payload)
    except REFUSED:
        raise
    except Exception as error:
        raise EngineError from error


def take_batch(records: Iterator[Record], batch: list[Record], most: int, deadline: float) -> bool:
    """Append up to `most` records, or those before `deadline`, but at least one. Return True if there are no more.

    MOST_OBJECTS also limits a batch, because a record may have hundreds of objects. Raise EngineError for a defect of
    the engine. `SessionControl.interrupt_or_yield` ends a step with Interrupted or LeaseLostError.
    """
    objects = 0
    for _ in range(most):
        try:
            record = next(records, None)
        except (Interrupted, LeaseLostError):
            raise
        except Exception as error:
            raise EngineError from error
        if record is None:
            return True
        batch.append(record)
        objects += len(record.manifests)
        if objects >= MOST_OBJECTS or time.monotonic() >= deadline:
            break
    return False


def problem_of_defect(error: BaseException | None) -> Problem:
    """Return the problem to report for a defect of the engine."""
    rule = say("the engine failed: {name}: {error}", name=type(error).__name__, error=error)
    return problem("", rule, hint=say("this is a bug in the playground; please report it"))


def problem_of_long_step() -> Problem:
    """Return the problem to report for a step that took too long."""
    rule = say("the engine ran for {n} seconds without a result", n=round(STEP_SECONDS))
    return problem("", rule, hint=say("advance the clock by less, or make the cluster smaller"))


def problem_of_lost_workers(command: Command) -> Problem:
    rule = say("{n} workers ended while they applied this command, so it will not be retried", n=command.attempts)
    return problem("", rule, hint=say("it may need more memory than a worker has"))
