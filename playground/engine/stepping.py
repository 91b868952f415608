"""The records of a command, taken from the engine a few at a time; and what is said when it fails."""

import math
import time
from collections.abc import Iterator

from playground.engine.simulations import Loaded
from playground.models import Command
from playground.problems import Problem, problem
from scheduler_core.config import ConfigError
from scheduler_core.sentences import say
from scheduler_core.simulation import CommandError, Record

MOST_AT_ONCE = 500
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

    What goes wrong in here is the engine's fault (EngineError), and only that.
    """
    for _ in range(most):
        try:
            record = next(records, None)
        except Exception as error:
            raise EngineError from error
        if record is None:
            return True
        taken.append(record)
        if time.monotonic() >= deadline:
            break
    return False


def take_all(records: Iterator[Record], taken: list[Record]) -> None:
    """Append all that come; raises EngineError as `take` does."""
    while not take(records, taken, MOST_AT_ONCE, math.inf):
        pass


def broke(error: EngineError) -> Problem:
    """The cause, said to whoever gave the command."""
    rule = say("the engine failed: {name}: {error}", name=type(error.__cause__).__name__, error=error.__cause__)
    return problem("", rule, hint=say("this is a defect of the playground; please report it"))


def deadly(command: Command) -> Problem:
    rule = say("{n} workers ended while they applied this command; it is not tried again", n=command.attempts)
    return problem("", rule, hint=say("it may need more memory than a worker has"))
