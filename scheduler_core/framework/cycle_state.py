"""CycleState: the data that plugins share between the extension points of one attempt.

Source: pkg/scheduler/framework/cycle_state.go.
"""

from collections.abc import Mapping
from typing import Any, Protocol, Self

from scheduler_core.framework.status import PluginError
from scheduler_core.framework.stopwatch import Stopwatch


class StateData(Protocol):
    """Data that can be stored: it can copy itself for a preemption dry run."""

    def clone(self) -> Any: ...


class CycleState:
    """The plugins' data by key. Keys are upstream's state keys, as error messages show them."""

    __slots__ = ("_data", "skip_filter_plugins", "skip_score_plugins", "watch")

    def __init__(self) -> None:
        self._data: dict[str, StateData] = {}
        self.skip_filter_plugins: frozenset[str] = frozenset()
        self.skip_score_plugins: frozenset[str] = frozenset()
        # Measures the plugins' time, if a trace asks for it; copies for dry runs have none.
        self.watch: Stopwatch | None = None

    def write(self, key: str, data: StateData) -> None:
        self._data[key] = data

    @property
    def keys(self) -> list[str]:
        """Return the stored keys in the order of the first writes."""
        return list(self._data)

    def adopt(self, data: Mapping[str, StateData]) -> None:
        """Store the data that plugins wrote for another pod."""
        self._data.update(data)

    def find(self, key: str) -> Any | None:
        """Return the stored data, or None."""
        return self._data.get(key)

    def read(self, key: str) -> Any:
        """Return the stored data. Raises PluginError with upstream's text if there is none."""
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
