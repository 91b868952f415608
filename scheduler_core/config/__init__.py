"""KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) exactly as each release of kube-scheduler reads it."""

from kube_objects.text.problems import Problem
from scheduler_core.config.build import build, with_extender_resources
from scheduler_core.config.check import check, load
from scheduler_core.config.defaults import default_configuration
from scheduler_core.config.editing.difference import difference
from scheduler_core.config.editing.form import ConfigForm, form
from scheduler_core.config.editing.minimal import minimal_yaml
from scheduler_core.config.editing.origins import origins
from scheduler_core.config.editing.survey import survey
from scheduler_core.config.effective import EffectivePlugin, EffectiveProfile, effective
from scheduler_core.config.encode import export_yaml, to_dict
from scheduler_core.config.errors import BuildError, BuildPanicError, ConfigError
from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import ExtenderConfig, Profile, SchedulerConfiguration
from scheduler_core.config.validate import validate

__all__ = [
    "BuildError",
    "BuildPanicError",
    "ConfigError",
    "ConfigForm",
    "ConfigRules",
    "EffectivePlugin",
    "EffectiveProfile",
    "ExtenderConfig",
    "Problem",
    "Profile",
    "SchedulerConfiguration",
    "build",
    "check",
    "default_configuration",
    "difference",
    "effective",
    "export_yaml",
    "form",
    "load",
    "minimal_yaml",
    "origins",
    "survey",
    "to_dict",
    "validate",
    "with_extender_resources",
]
