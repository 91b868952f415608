"""The subcommand `serve`: start broker, database, workers and web, and stay until the playground is stopped."""

import argparse
import asyncio
import os
import signal
import sys

from playground import folders

from .options import Options, StartError
from .supervisor import Supervisor


async def supervise() -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    # Under `nohup` SIGHUP is ignored, and stays so.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, stop.set)
    await Supervisor(Options.from_environment(os.environ), os.environ, stop).run()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Settings are environment variables: PORT (0: any free one), HOST, DATA_DIR, NO_BROWSER=1, "
        f"WORKER_CONCURRENCY, and all those of docs/reference/settings.md. Data is stored in {folders.data_dir()} "
        "unless DATA_DIR names another folder."
    )


def run(_arguments: argparse.Namespace) -> int:
    """Start the playground and stay until it is stopped."""
    try:
        asyncio.run(supervise())
    except StartError as error:
        print(f"The playground did not start. {error}", file=sys.stderr)
        return 1
    return 0
