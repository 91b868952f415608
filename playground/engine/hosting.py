"""Host: somebody has a worker for long, and lets clusters that wait for one go first: people look at them."""

import time

from playground.engine import turns, waiting


class Host:
    """Half of the time is the host's own."""

    def __init__(self) -> None:
        self._at = time.monotonic()

    def look(self) -> None:
        """Let a cluster have a turn, if one waits."""
        now = time.monotonic()
        if now >= self._at and (clusters := waiting.unattended()):
            turns.give(clusters[0], as_guest=True)
            ended = time.monotonic()
            self._at = ended + (ended - now)
