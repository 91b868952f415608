"""The scheduler plugins of this playground: the in-tree ones of every emulated version of kube-scheduler.

For the versions whose configurations are of today's API also those that the operator names in PLUGINS.
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from scheduler_core.config import ConfigRules, SchedulerConfiguration
from scheduler_core.emulations import DEFAULT, EMULATIONS
from scheduler_core.framework.registry import DuplicatePluginError, Registry

TODAY = DEFAULT.version


@lru_cache(maxsize=64)
def registry(version: str = TODAY) -> Registry:
    """Each module named in PLUGINS has a tuple `PLUGINS` of plugin classes. Raises ImproperlyConfigured."""
    merged = EMULATIONS[version].registry
    for name in settings.PLUGINS if rules(version) is not None else ():
        try:
            merged = merged.merged(import_module(name).PLUGINS)
        except (ImportError, AttributeError, DuplicatePluginError) as error:
            raise ImproperlyConfigured(f"PLUGINS: {name}: {error}") from error
    return merged


def points(version: str = TODAY) -> Mapping[str, frozenset[str]]:
    """The extension points of every plugin, as configurations are checked against them."""
    return registry(version).points()


def rules(version: str) -> ConfigRules | None:
    """Those of its configurations; None for a version that did not know today's API."""
    return EMULATIONS[version].rules


def load(text: str, version: str = TODAY) -> SchedulerConfiguration:
    """A configuration as this version of kube-scheduler reads it; "" is what it does untold. Raises ConfigError."""
    return EMULATIONS[version].load(text or None, points(version))
