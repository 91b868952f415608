"""CycleState: what plugins remember between the extension points of one attempt.

Source: pkg/scheduler/framework/cycle_state.go.
"""

from collections.abc import Mapping
from typing import Any, Protocol, Self

from scheduler_core.framework.status import PluginError
from scheduler_core.framework.stopwatch import Stopwatch


class StateData(Protocol):
    """What may be stored: anything that can copy itself for a preemption dry run."""

    def clone(self) -> Any: ...


class CycleState:
    """Keys are plugin-chosen strings (upstream's state keys, as they show in error texts)."""

    __slots__ = ("_data", "skip_filter_plugins", "skip_score_plugins", "watch")

    def __init__(self) -> None:
        self._data: dict[str, StateData] = {}
        self.skip_filter_plugins: frozenset[str] = frozenset()
        self.skip_score_plugins: frozenset[str] = frozenset()
        # Measures plugins, if anybody wants to know; a copy, for a dry run, has none.
        self.watch: Stopwatch | None = None

    def write(self, key: str, data: StateData) -> None:
        self._data[key] = data

    @property
    def keys(self) -> list[str]:
        """What is stored, in the order of the first writes."""
        return list(self._data)

    def adopt(self, data: Mapping[str, StateData]) -> None:
        """Store what another pod's state had."""
        self._data.update(data)

    def find(self, key: str) -> Any | None:
        """The stored data, or None."""
        return self._data.get(key)

    def read(self, key: str) -> Any:
        """The stored data; a PluginError with upstream's text where there is none."""
        data = self._data.get(key)
        if data is None:
            raise PluginError("not found")
        return data

    def clone(self) -> Self:
        copy = type(self)()
        copy._data = {key: data.clone() for key, data in self._data.items()}
        copy.skip_filter_plugins = self.skip_filter_plugins
        copy.skip_score_plugins = self.skip_score_plugins
        return copy
