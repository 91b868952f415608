"""Call a function in a process of its own: the side of whoever waits for it."""

import multiprocessing
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.db import connection

from kube_objects.sentences import say
from playground import limits
from playground.apart import working
from playground.problems import Refused, problem

T = TypeVar("T")
TOO_LARGE, UNAVAILABLE = 413, 503
MIB = 1 << 20
# By the clock it may take longer: others are at work, too, and the first one waits until modules are read.
WAIT_SECONDS, WAIT_SHARE = 20, 3

# Each is forked from a process that has read the modules already, also those of the program that serves: so none
# inherits what others wait for here, and none takes more than some milliseconds to start. That process takes 70 MiB:
# it begins with the first of them, which waits for it, and ends with this one.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        working.__name__,
        "uvicorn",
        "playground.exchange.cluster_files",
        "playground.exchange.imports",
        "playground.shares.services",
        "playground.apart.behind",
    ]
)
_PLACES = {
    "import": threading.BoundedSemaphore(limits.IMPORTS_AT_A_TIME),
    "export": threading.BoundedSemaphore(limits.EXPORTS_AT_A_TIME),
    "stranger": threading.BoundedSemaphore(limits.STRANGERS_AT_A_TIME),
}


@dataclass(frozen=True, slots=True)
class Budget:
    """What a call may take: seconds of a processor, and bytes more than the process begins with.

    `kind`, of `_PLACES`: who waits for whom.
    """

    kind: str
    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True)
class File:
    """An argument, or an item of one, that is read where the function runs: the caller needs none of its bytes."""

    path: Path


def call(function: Callable[..., T], budget: Budget, *arguments: Any, **named: Any) -> T:
    """What `function`, one of a module, returns; it uses the caller's database, outside of any transaction.

    Raises Refused: what the function refused; with status 413 when it is over its budget; with 503 when too many
    others are at work.
    """
    places = _PLACES[budget.kind]
    if not places.acquire(timeout=limits.APART_PATIENCE_SECONDS):
        rule, hint = say("others' large requests are being worked on"), say("try again in a moment")
        raise Refused([problem("", rule, hint=hint)], UNAVAILABLE)
    try:
        answer = _run(function, budget, arguments, named)
    finally:
        places.release()
    match answer:
        case working.Done(value):
            return value
        case working.Turned(refused):
            raise refused
        case working.Failed(text):
            raise RuntimeError(f"{function.__module__}.{function.__qualname__} failed apart:\n{text}")
    rule = say(
        "working on it takes more than {seconds} s or {n} MiB of memory",
        seconds=f"{budget.seconds:g}",
        n=budget.bytes // MIB,
    )
    raise Refused(
        [problem("", rule, hint=say("hand it in in parts, or leave out what scheduling does not use"))], TOO_LARGE
    )


def _run(function: Callable[..., Any], budget: Budget, arguments: Any, named: Any) -> working.Answer | None:
    """The answer; None when the process was ended, or ended itself, without one."""
    receiver, sender = _FORKS.Pipe(duplex=False)
    surroundings = working.Surroundings(
        dict(connection.settings_dict), settings.CLUSTER_QUOTA, settings.MIN_FREE_DISK, budget.seconds, budget.bytes
    )
    process = _FORKS.Process(target=working.work, args=(sender, surroundings, function, arguments, named))
    with receiver:
        try:
            process.start()
            # Only the other end may be open: then the process's end is seen here.
            sender.close()
            return _answer(receiver, WAIT_SECONDS + WAIT_SHARE * budget.seconds)
        finally:
            sender.close()
            if process.pid is not None:
                process.kill()
                process.join()
                process.close()


def _answer(receiver: "Connection[Any, Any] | Connection", seconds: float) -> working.Answer | None:
    try:
        return receiver.recv() if receiver.poll(seconds) else None
    except EOFError:
        return None
