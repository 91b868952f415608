"""Call a function in a subprocess under limits: the caller's side."""

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
from playground.problems import Refused, problem
from playground.sandbox import sandbox_process

T = TypeVar("T")
TOO_LARGE, UNAVAILABLE = 413, 503
MIB = 1 << 20
# Wall-clock time may exceed CPU time, because other processes run too and the first call waits for imports.
WAIT_SECONDS, WAIT_SHARE = 20, 3

# A fork server that has imported the modules forks each subprocess. So a subprocess starts in milliseconds and inherits
# no lock of a thread of this process. The fork server starts with the first call, takes 70 MiB and ends with this
# process.
_FORK_SERVER = multiprocessing.get_context("forkserver")
_FORK_SERVER.set_forkserver_preload(
    [
        sandbox_process.__name__,
        "uvicorn",
        "playground.exchange.cluster_files",
        "playground.exchange.imports",
        "playground.shares.services",
        "playground.sandbox.low_priority",
    ]
)
_SEMAPHORES = {
    "import": threading.BoundedSemaphore(limits.IMPORTS_AT_A_TIME),
    "export": threading.BoundedSemaphore(limits.EXPORTS_AT_A_TIME),
    "stranger": threading.BoundedSemaphore(limits.STRANGERS_AT_A_TIME),
}


@dataclass(frozen=True, slots=True)
class CallLimits:
    """The limits of a call: seconds of CPU, and bytes of memory beyond the subprocess's start.

    Calls of one `kind`, a key of `_PLACES`, wait for one another.
    """

    kind: str
    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True)
class FileArgument:
    """A file as an argument, or as an item of one. The subprocess reads it, so the caller needs no memory for it."""

    path: Path


def call_in_sandbox(function: Callable[..., T], budget: CallLimits, *arguments: Any, **named: Any) -> T:
    """Return the result of a module's `function`, which uses the caller's database outside of any transaction.

    Raises Refused: the refusal of the function; with status 413 when it exceeds its budget; with 503 when too many
    calls are running.
    """
    places = _SEMAPHORES[budget.kind]
    if not places.acquire(timeout=limits.APART_PATIENCE_SECONDS):
        rule, hint = say("the server is busy with other large requests"), say("try again in a moment")
        raise Refused([problem("", rule, hint=hint)], UNAVAILABLE)
    try:
        answer = _run_in_subprocess(function, budget, arguments, named)
    finally:
        places.release()
    match answer:
        case sandbox_process.Returned(value):
            return value
        case sandbox_process.RefusedCall(refused):
            raise refused
        case sandbox_process.Failed(text):
            raise RuntimeError(f"{function.__module__}.{function.__qualname__} failed apart:\n{text}")
    rule = say(
        "processing this request takes more than {seconds} s or {n} MiB of memory",
        seconds=f"{budget.seconds:g}",
        n=budget.bytes // MIB,
    )
    raise Refused(
        [problem("", rule, hint=say("split the file, or remove objects that scheduling does not use"))], TOO_LARGE
    )


def _run_in_subprocess(
    function: Callable[..., Any], budget: CallLimits, arguments: Any, named: Any
) -> sandbox_process.CallOutcome | None:
    """Return the answer, or None when the subprocess ended without one."""
    receiver, sender = _FORK_SERVER.Pipe(duplex=False)
    surroundings = sandbox_process.ProcessSettings(
        dict(connection.settings_dict), settings.CLUSTER_QUOTA, settings.MIN_FREE_DISK, budget.seconds, budget.bytes
    )
    process = _FORK_SERVER.Process(
        target=sandbox_process.run_call, args=(sender, surroundings, function, arguments, named)
    )
    with receiver:
        try:
            process.start()
            # Only the subprocess may hold this end, so that its end closes the pipe.
            sender.close()
            return _receive_answer(receiver, WAIT_SECONDS + WAIT_SHARE * budget.seconds)
        finally:
            sender.close()
            if process.pid is not None:
                process.kill()
                process.join()
                process.close()


def _receive_answer(
    receiver: "Connection[Any, Any] | Connection", seconds: float
) -> sandbox_process.CallOutcome | None:
    try:
        return receiver.recv() if receiver.poll(seconds) else None
    except EOFError:
        return None
