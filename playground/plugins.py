"""The scheduler plugins of this playground: the in-tree ones of each emulated version, and those of PLUGINS.

The operator's plugins (setting PLUGINS) exist only in versions whose configuration API is v1.
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
    """Return the plugins of a version. Each module in PLUGINS has a tuple `PLUGINS` of plugin classes.

    Raises ImproperlyConfigured.
    """
    merged = EMULATIONS[version].registry
    for name in settings.PLUGINS if rules(version) is not None else ():
        try:
            merged = merged.merged(import_module(name).PLUGINS)
        except (ImportError, AttributeError, DuplicatePluginError) as error:
            raise ImproperlyConfigured(f"PLUGINS: {name}: {error}") from error
    return merged


def points(version: str = TODAY) -> Mapping[str, frozenset[str]]:
    """Return the extension points of every plugin, against which configurations are checked."""
    return registry(version).points()


def rules(version: str) -> ConfigRules | None:
    """Return the rules for configurations of a version, or None if its configuration API is older than v1."""
    return EMULATIONS[version].rules


def load(text: str, version: str = TODAY) -> SchedulerConfiguration:
    """Load a configuration as this version of kube-scheduler does; "" loads its default. Raises ConfigError."""
    return EMULATIONS[version].load(text or None, points(version))
