"""Status: a plugin's result. It is an immutable, hashable value.

Source: kube-scheduler/framework/interface.go.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Self


class Code(IntEnum):
    """Upstream's status codes; `upstream_name` is their name in logs."""

    SUCCESS = 0
    ERROR = 1
    UNSCHEDULABLE = 2
    UNSCHEDULABLE_AND_UNRESOLVABLE = 3
    WAIT = 4
    SKIP = 5
    PENDING = 6

    @property
    def upstream_name(self) -> str:
        return _UPSTREAM_NAMES[self]


_UPSTREAM_NAMES = ("Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending")

# Evicting pods cannot help a node with UnschedulableAndUnresolvable.
REJECTIONS = frozenset({Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING})


@dataclass(slots=True, frozen=True)
class Status:
    """A code with reasons. The runtime sets `plugin` to the name of the plugin that returned it."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""
    others: tuple[str, ...] = ()
    """Further plugins that rejected the node, in versions that run all filters on each node."""

    @classmethod
    def unschedulable(cls, *reasons: str) -> Self:
        return cls(Code.UNSCHEDULABLE, reasons)

    @classmethod
    def unresolvable(cls, *reasons: str) -> Self:
        return cls(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons)

    @classmethod
    def error(cls, message: str) -> Self:
        return cls(Code.ERROR, (message,))

    @property
    def is_success(self) -> bool:
        return self.code == Code.SUCCESS

    @property
    def is_skip(self) -> bool:
        return self.code == Code.SKIP

    @property
    def is_wait(self) -> bool:
        return self.code == Code.WAIT

    @property
    def is_rejected(self) -> bool:
        return self.code in REJECTIONS

    @property
    def message(self) -> str:
        return ", ".join(self.reasons)

    def with_plugin(self, plugin: str) -> Self:
        """Return the status attributed to `plugin`, unless it names a plugin already. Source: WithPlugin."""
        return self if self.plugin else type(self)(self.code, self.reasons, plugin)


SUCCESS = Status()
SKIP = Status(Code.SKIP)


class PluginError(Exception):
    """Raised by a plugin for an internal error; the runtime turns it into a Status with code Error."""
