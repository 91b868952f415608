"""The scheduler plugins of this playground: the in-tree ones, and those that its operator names in PLUGINS."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from scheduler_core.framework.registry import DuplicatePluginError, Registry
from scheduler_core.plugins.table import IN_TREE


@cache
def registry() -> Registry:
    """Each module named in PLUGINS has a tuple `PLUGINS` of plugin classes. Raises ImproperlyConfigured."""
    merged = IN_TREE
    for name in settings.PLUGINS:
        try:
            merged = merged.merged(import_module(name).PLUGINS)
        except (ImportError, AttributeError, DuplicatePluginError) as error:
            raise ImproperlyConfigured(f"PLUGINS: {name}: {error}") from error
    return merged


def points() -> Mapping[str, frozenset[str]]:
    """The extension points of every plugin, as configurations are checked against them."""
    return registry().points()
