"""`python -m playground.local`: what `make run` calls, and the command `kube-scheduler-playground` of a wheel."""

import argparse
import asyncio
import os
import signal
import sys
from importlib import metadata

from playground import places

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


def main() -> None:
    """Start the playground and stay until it is stopped. What can be said is said by environment variables.

    After `manage` follows a command of Django's: a wheel has no manage.py beside it.
    """
    if sys.argv[1:2] == ["manage"]:
        from django.core.management import execute_from_command_line

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
        return execute_from_command_line([f"{places.START} manage", *sys.argv[2:]])
    parser = argparse.ArgumentParser(
        prog=places.START,
        description="Start the kube-scheduler playground: broker, database, worker and web. Ctrl-C stops all of it.",
        epilog="Settings are environment variables: PORT (0: any free one), HOST, DATA_DIR, NO_BROWSER=1, "
        f"WORKER_CONCURRENCY, and all those of docs/settings.md. Data is kept in {places.data_dir()} unless DATA_DIR "
        "says otherwise. For users, backups and the like: `manage help` in place of options.",
    )
    if places.INSTALLED:
        parser.add_argument("--version", action="version", version=f"%(prog)s {metadata.version(places.COMMAND)}")
    parser.parse_args()
    try:
        asyncio.run(run())
    except StartError as error:
        sys.exit(f"The playground did not start. {error}")
    return None


if __name__ == "__main__":
    main()
