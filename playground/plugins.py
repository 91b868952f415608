"""The scheduler plugins of this playground: the in-tree ones of every emulated version of kube-scheduler.

For today's version also those that the operator names in PLUGINS.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from scheduler_core.config import SchedulerConfiguration
from scheduler_core.emulations import EMULATIONS, V1_34_1
from scheduler_core.framework.registry import DuplicatePluginError, Registry
from scheduler_core.plugins.table import IN_TREE

TODAY = V1_34_1.version


@cache
def registry(version: str = TODAY) -> Registry:
    """Each module named in PLUGINS has a tuple `PLUGINS` of plugin classes. Raises ImproperlyConfigured."""
    if version != TODAY:
        return EMULATIONS[version].registry
    merged = IN_TREE
    for name in settings.PLUGINS:
        try:
            merged = merged.merged(import_module(name).PLUGINS)
        except (ImportError, AttributeError, DuplicatePluginError) as error:
            raise ImproperlyConfigured(f"PLUGINS: {name}: {error}") from error
    return merged


def points(version: str = TODAY) -> Mapping[str, frozenset[str]]:
    """The extension points of every plugin, as configurations are checked against them."""
    return registry(version).points()


def load(text: str, version: str = TODAY) -> SchedulerConfiguration:
    """A configuration as this version of kube-scheduler reads it; "" is what it does untold. Raises ConfigError."""
    return EMULATIONS[version].load(text or None, points(version))
