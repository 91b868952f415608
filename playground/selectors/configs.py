"""The scheduler's configuration: as written, as it takes effect, as a file."""

from typing import Any

from playground import files, plugins
from playground.models import Cluster, SchedulerConfig
from scheduler_core.config import ConfigError, check, default_configuration, export_yaml, load, to_dict
from scheduler_core.config.types import SchedulerConfiguration


def current(cluster: Cluster) -> dict[str, Any]:
    """`{version, yaml, effective}`; for the default configuration `yaml` is the one to start from."""
    text = _text(cluster) or export_yaml(default_configuration())
    return {"version": cluster.config_version, "yaml": text, "effective": check(text, plugins.points())["effective"]}


def checked(text: str) -> dict[str, Any]:
    """What kube-scheduler would say to a configuration: `{ok, stage, problems, effective?}`."""
    try:
        load(text, plugins.points())
    except ConfigError as error:
        problems = [
            {"path": each.path, "message": each.message}
            | ({"hint": each.hint} if each.hint else {})
            | ({"line": each.line} if each.line else {})
            for each in error.problems
        ]
        return {"ok": False, "stage": error.stage, "problems": problems}
    return {"ok": True, "stage": None, "problems": [], "effective": check(text, plugins.points())["effective"]}


def exported(cluster: Cluster, form: str) -> str:
    """The configuration in full, as a file that a stock kube-scheduler accepts; `form` is yaml or json."""
    return files.write(in_full(cluster), form)


def in_full(cluster: Cluster | None) -> dict[str, Any]:
    """The configuration with all defaults, in its v1 form; the default one for None."""
    text = "" if cluster is None else _text(cluster)
    config: SchedulerConfiguration = load(text, plugins.points()) if text else default_configuration()
    return to_dict(config)


def _text(cluster: Cluster) -> str:
    version = SchedulerConfig.objects.filter(cluster=cluster, version=cluster.config_version)
    return version.values_list("yaml", flat=True).get()
