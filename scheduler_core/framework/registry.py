"""The registry: plugin names → classes. An explicit table; out-of-tree plugins are merged into a copy of it.

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
        """A new registry with `others` added; a name that exists already is an error."""
        return type(self)([*self._plugins.values(), *others])

    def replaced(self, plugin: type[Plugin]) -> Self:
        """A new registry with `plugin` in the place of the one of its name."""
        return type(self)([plugin if name == plugin.name else other for name, other in self._plugins.items()])

    def with_others_of(self, registry: Self) -> Self:
        """A new registry with the plugins of `registry` added whose names are not known here."""
        return self.merged(plugin for name, plugin in registry._plugins.items() if name not in self)

    def get(self, name: str) -> type[Plugin] | None:
        return self._plugins.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._plugins

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def args(self) -> Mapping[str, ArgsRules]:
        """The rules of the args of the plugins that have some."""
        return {name: plugin.args_rules for name, plugin in self._plugins.items() if plugin.args_rules is not None}

    def points(self) -> Mapping[str, frozenset[str]]:
        """For every plugin the extension points it implements, by their names in configurations (`preFilter`, …)."""
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
