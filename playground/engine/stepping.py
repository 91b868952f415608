"""The records of a command, taken from the engine a few at a time; and what is said when it fails."""

import time
from collections.abc import Iterator

from kube_objects.sentences import say
from playground.engine.leases import LeaseLostError
from playground.engine.pacing import STEP_SECONDS, Interrupted
from playground.engine.simulations import Loaded
from playground.models import Command
from playground.problems import Problem, problem
from scheduler_core.config import ConfigError
from simulator.simulation import CommandError, Record

# Objects of the records that are stored together; one record may have more.
MOST_OBJECTS = 2000
# The engine refuses a command before anything has changed.
REFUSED = (CommandError, ConfigError)


class EngineError(Exception):
    """The engine broke in the middle of a command; the cause says how."""


def begin(loaded: Loaded, command: Command) -> Iterator[Record]:
    """What is still to come of a command. Raises REFUSED when the engine refuses it."""
    if loaded.rest is not None:
        return loaded.rest
    try:
        return loaded.begin(command.number, command.payload)
    except REFUSED:
        raise
    except Exception as error:
        raise EngineError from error


def take(records: Iterator[Record], taken: list[Record], most: int, deadline: float) -> bool:
    """Append up to `most` records, or what comes before `deadline`, at least one. True when there are no more.

    Objects are counted, too: a record may have hundreds. An exception in here is a defect of the engine (EngineError),
    but for Interrupted and LeaseLostError, with which `Control.look` ends a step.
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
        taken.append(record)
        objects += len(record.manifests)
        if objects >= MOST_OBJECTS or time.monotonic() >= deadline:
            break
    return False


def problem_of_defect(error: BaseException | None) -> Problem:
    """Return what is said about a defect of the engine to whoever gave the command."""
    rule = say("the engine failed: {name}: {error}", name=type(error).__name__, error=error)
    return problem("", rule, hint=say("this is a defect of the playground; please report it"))


def problem_of_long_step() -> Problem:
    """Return what is said about a step that took too long to whoever gave the command."""
    rule = say("the engine worked for {n} seconds without a result", n=round(STEP_SECONDS))
    return problem("", rule, hint=say("advance the clock by less, or make the cluster smaller"))


def deadly(command: Command) -> Problem:
    rule = say("{n} workers ended while they applied this command; it is not tried again", n=command.attempts)
    return problem("", rule, hint=say("it may need more memory than a worker has"))
