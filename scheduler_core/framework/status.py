"""Status: what a plugin answered. A value, comparable and hashable; reasons are data.

Source: kube-scheduler/framework/interface.go.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Self


class Code(IntEnum):
    """Numbered as upstream numbers them; `upstream_name` is how its logs write them."""

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

# Preemption is tried for none of these codes' opposite: an unresolvable node cannot be helped by evicting pods.
REJECTIONS = frozenset({Code.UNSCHEDULABLE, Code.UNSCHEDULABLE_AND_UNRESOLVABLE, Code.PENDING})


@dataclass(slots=True, frozen=True)
class Status:
    """`plugin` is filled in by the runtime with the name of the plugin that answered."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""
    others: tuple[str, ...] = ()
    """Where all filters run on a node, the plugins that rejected it besides `plugin`."""

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

    def by(self, plugin: str) -> Self:
        """The same status, attributed to `plugin` unless a plugin is named already."""
        return self if self.plugin else type(self)(self.code, self.reasons, plugin)


SUCCESS = Status()
SKIP = Status(Code.SKIP)


class PluginError(Exception):
    """Raised by a plugin for an internal error; the runtime turns it into a Status with code Error."""
