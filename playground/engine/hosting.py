"""Turns for interactive clusters while a long task occupies the worker."""

import time

from playground.engine import turns, waiting


class Host:
    """The part of a long task that lets waiting clusters use the worker for at most half of the time."""

    def __init__(self) -> None:
        self._at = time.monotonic()

    def look(self) -> None:
        """Apply the commands of one waiting cluster, unless the last such turn is too recent."""
        now = time.monotonic()
        if now >= self._at and (clusters := waiting.unattended()):
            turns.give(clusters[0], as_guest=True)
            ended = time.monotonic()
            self._at = ended + (ended - now)
