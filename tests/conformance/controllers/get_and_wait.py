"""Commands of kubectl that read objects, or wait for a condition."""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from kube_controllers.api import WriteRefused
from kube_objects.manifests import Manifest, key, kind, name, uid
from tests.conformance.controllers.arguments import Arguments, Fault
from tests.conformance.controllers.kubectl_results import Problem, for_all
from tests.conformance.controllers.printing import listed
from tests.conformance.controllers.read_only_commands import Others
from tests.conformance.controllers.resources import Resource
from tests.conformance.controllers.wait_conditions import has_rolled_out, is_met, seconds_of

DRAIN_RETRY_SECONDS = 5.0
DRAIN_TRIES = 100
_WAIT_SECONDS, _LOOK_AGAIN_SECONDS = 30.0, 0.5
_DELETE_SECONDS, _LOOK_FOR_DELETED_SECONDS = 60.0, 0.1
_EVENTS = ("events", "event", "ev")


T = TypeVar("T")


class Ended(Exception):  # noqa: N818
    """Raised if `timeout` ended a command."""

    code = 124


class Looking(Others):
    has_more = False  # objects that the same command writes
    until = math.inf  # when the command is ended

    def _pass(self, seconds: float) -> None:
        """Let time pass while a command waits. Raises Ended if the command's time is over."""
        remaining = self.until - self.player.now
        self.player.wait(min(seconds, remaining))
        if seconds > remaining:
            raise Ended

    def _go_on(self) -> None:
        """Continue with a command's next object, before the controllers have finished."""
        if self.has_more:
            self.player.glance()
        else:
            self.player.turn()

    def _for_all(self, items: Sequence[T], act: Callable[[T], str], errors: Sequence[Problem]) -> str:
        self.has_more = len(items) > 1
        try:
            return for_all(items, act, errors)
        finally:
            self.has_more = False
            self.player.turn()

    def _of_files(self, given: Sequence[Manifest], act: Callable[[Manifest], str]) -> str:
        """Apply `act` to objects of files, which are written right after each other.

        The kubelet ends Pods after the last one.
        """

        def followed(one: Manifest) -> str:
            self.player.ends_pods = one is given[-1]
            return act(one)

        try:
            return for_all(given, followed)
        finally:
            self.player.ends_pods = True

    def do_get(self, arguments: Arguments) -> str:
        if self.until < math.inf and arguments.has("w", "watch"):
            self._pass(math.inf)
        if arguments.words[:1] and arguments.words[0] in _EVENTS:
            return self.do_events(arguments)
        return listed(self._there(arguments), arguments)

    do_describe = do_get

    def _roll_out(self, obj: Manifest, arguments: Arguments) -> str:
        has_rolled_out(obj)

        def is_done() -> bool:
            found = self._objects().get(kind(obj), key(obj))
            return found is not None and has_rolled_out(found)

        if arguments.one("watch") != "false":
            self._wait_until(is_done, arguments, DRAIN_TRIES * DRAIN_RETRY_SECONDS, name(obj))
        return f'"{name(obj)}" {"successfully rolled out" if is_done() else "is waited for"}\n'

    def _wait_until_gone(self, obj: Manifest, arguments: Arguments) -> None:
        """Wait for the deletion as `kubectl delete` does, at most as long as a recording waits.

        Raises Fault at `--timeout`.
        """
        most = seconds_of(arguments.one("timeout"), _DELETE_SECONDS)
        end, at = self.player.now + most, (kind(obj), key(obj))
        while (there := self._objects().get(*at)) is not None and uid(there) == uid(obj):
            if self.player.now >= end:
                raise Fault(f"error: timed out waiting for the condition on {str(obj['kind']).lower()}s/{name(obj)}")
            self._pass(min(_LOOK_FOR_DELETED_SECONDS, end - self.player.now))

    def _wait_until(self, is_done: Callable[[], bool], arguments: Arguments, otherwise: float, of: str) -> None:
        end = self.player.now + seconds_of(arguments.one("timeout"), otherwise)
        while not is_done():
            if self.player.now >= end:
                raise Fault(f"error: timed out waiting for the condition on {of}")
            self._pass(min(_LOOK_AGAIN_SECONDS, end - self.player.now))

    def do_wait(self, arguments: Arguments) -> str:
        wanted, out = arguments.one("for"), ""
        if wanted == "delete":
            arguments.flags["ignore-not-found"] = ["true"]
        found = self._there(arguments)
        if not found and wanted != "delete":
            raise Fault("error: no matching resources found")
        for resource, obj in found:

            def is_done(at: tuple[str, str] = (kind(obj), key(obj)), of: str = uid(obj)) -> bool:
                there = self._objects().get(*at)
                return is_met(there if there is not None and uid(there) == of else None, wanted)

            self._wait_until(is_done, arguments, _WAIT_SECONDS, f"{resource.full}/{name(obj)}")
            out += f"{resource.full}/{name(obj)} condition met\n"
        return out

    def _there(self, arguments: Arguments) -> list[tuple[Resource, Manifest]]:
        """Return the targets; none with `--ignore-not-found` if they are missing."""
        try:
            return self._targets(arguments)
        except WriteRefused as refused:
            if refused.reason == "NotFound" and arguments.has("ignore-not-found"):
                return []
            raise
