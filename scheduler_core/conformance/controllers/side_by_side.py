"""Work as recorded controllers had it: at the same time as each other."""

from scheduler_core.actors.work import Item, Work


class SideBySide(Work):
    """What a replica set asks for is seen by its own controller before the deployment takes it back.

    Both hear of it at once; here one has to be the first.
    """

    def take(self, now: float) -> Item | None:
        found = super().take(now)
        if found is None or found[0] != "deployment":
            return found
        first = next((item for item in self._ready if item[0] == "replicaset"), None)
        if first is None:
            return found
        self._ready[found] = None
        self._ready.move_to_end(found, last=False)
        del self._ready[first]
        return first
