"""Registry: plugin classes by name. Out-of-tree plugins are merged into a copy of the in-tree table.

Source: pkg/scheduler/framework/runtime/registry.go.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Self

from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.framework.interface import POINT_CLASSES, Plugin


class DuplicatePluginError(Exception):
    pass


class Registry:
    def __init__(self, plugins: Iterable[type[Plugin]] = ()) -> None:
        self._plugins: dict[str, type[Plugin]] = {}
        self._points: Mapping[str, frozenset[str]] | None = None
        for plugin in plugins:
            self._register(plugin)

    def _register(self, plugin: type[Plugin]) -> None:
        if plugin.name in self._plugins:
            raise DuplicatePluginError(f"a plugin named {plugin.name} already exists")
        self._plugins[plugin.name] = plugin

    def merged(self, others: Iterable[type[Plugin]]) -> Self:
        """Return a new registry with `others` added. Raises DuplicatePluginError for an existing name."""
        return type(self)([*self._plugins.values(), *others])

    def replaced(self, plugin: type[Plugin]) -> Self:
        """Return a new registry with `plugin` in place of the one of its name."""
        return type(self)([plugin if name == plugin.name else other for name, other in self._plugins.items()])

    def with_others_of(self, registry: Self) -> Self:
        """Return a new registry with the plugins of `registry` added whose names are unknown here."""
        return self.merged(plugin for name, plugin in registry._plugins.items() if name not in self)

    def get(self, name: str) -> type[Plugin] | None:
        return self._plugins.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._plugins

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def args(self) -> Mapping[str, ArgsRules]:
        """Return the args rules of the plugins that have args."""
        return {name: plugin.args_rules for name, plugin in self._plugins.items() if plugin.args_rules is not None}

    def points(self) -> Mapping[str, frozenset[str]]:
        """Return the extension points of each plugin by their names in configurations (`preFilter`, …)."""
        if self._points is None:
            self._points = {
                name: plugin.named_at.union(
                    point.value[0].lower() + point.value[1:]
                    for point, base in POINT_CLASSES.items()
                    if issubclass(plugin, base) and point not in plugin.without
                )
                for name, plugin in self._plugins.items()
            }
        return self._points
