"""`python -m playground.local`: what `make run` calls."""

import asyncio
import os
import signal
import sys

from .options import Options, StartError
from .supervisor import Supervisor


async def run() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    # `nohup` ignores the hang-up on purpose.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, stop.set)
    await Supervisor(Options.from_environment(os.environ), os.environ, stop).run()


if __name__ == "__main__":
    try:
        asyncio.run(run())
    except StartError as error:
        sys.exit(f"The playground did not start. {error}")
