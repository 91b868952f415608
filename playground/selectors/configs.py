"""The scheduler's configuration: as written, as it takes effect, its versions, as a file."""

from typing import Any

from playground import files, plugins
from playground.models import Cluster, SchedulerConfig
from scheduler_core.config import (
    ConfigError,
    Problem,
    check,
    default_configuration,
    difference,
    form,
    load,
    origins,
    survey,
    to_dict,
)
from scheduler_core.config.types import SchedulerConfiguration

# What the default configuration is written as, for somebody to begin with.
START = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
"""
# Stands for kube-scheduler's own configuration wherever a version may be named.
DEFAULTS = 0
VERSIONS_PER_PAGE = 100


def current(cluster: Cluster) -> dict[str, Any]:
    """The version at work with its text, what runs by it, and where that comes from."""
    found = version(cluster, cluster.config_version)
    assert found is not None  # every cluster has a version at work
    return found


def version(cluster: Cluster, number: int) -> dict[str, Any] | None:
    """A version as `current` gives it; DEFAULTS is kube-scheduler's own. None if there is none of that number."""
    if number == DEFAULTS:
        about = {"version": DEFAULTS, "author": "", "note": "", "created": None, "seq": None}
        return {**about, "yaml": START, **_in_effect(START)}
    found = SchedulerConfig.objects.filter(cluster=cluster, version=number).first()
    if found is None:
        return None
    text = found.yaml or START
    return {**_about(found), "yaml": text, **_in_effect(text)}


def versions(cluster: Cluster, before: int | None) -> dict[str, Any]:
    """The newest versions, or the newest before one of them, the newest first."""
    found = SchedulerConfig.objects.filter(cluster=cluster).order_by("-version")
    if before is not None:
        found = found.filter(version__lt=before)
    rows = list(found.defer("yaml")[:VERSIONS_PER_PAGE])
    return {"current": cluster.config_version, "versions": [_about(row) for row in rows]}


def _about(row: SchedulerConfig) -> dict[str, Any]:
    return {
        "version": row.version,
        "author": row.author,
        "note": row.note,
        "created": row.created,
        "seq": row.seq,
    }


def _in_effect(text: str) -> dict[str, Any]:
    return {"effective": check(text, plugins.points())["effective"], "origins": origins(text, plugins.points())}


def checked(cluster: Cluster, text: str, against: int | None) -> dict[str, Any]:
    """What kube-scheduler would say to a configuration, and everything else that is wrong with it.

    A valid one comes with what runs by it, and with what it does otherwise than the version `against`.
    """
    try:
        config = load(text, plugins.points())
    except ConfigError as error:
        return {
            "ok": False,
            "stage": error.stage,
            "problems": [_problem(each) for each in survey(text, plugins.points())],
        }
    answer: dict[str, Any] = {"ok": True, "stage": None, "problems": [], **_in_effect(text)}
    other = None if against is None else _configuration(cluster, against)
    return answer if other is None else {**answer, "changes": difference(other, config, plugins.points())}


def _problem(each: Problem) -> dict[str, Any]:
    said = {"path": each.path, "message": each.message}
    return said | ({"hint": each.hint} if each.hint else {}) | ({"line": each.line} if each.line else {})


def form_fields() -> dict[str, Any]:
    """The fields of the form, with the plugins of this playground."""
    return form(plugins.points())


def exported(cluster: Cluster, form: str) -> str:
    """The configuration in full, as a file that a stock kube-scheduler accepts; `form` is yaml or json."""
    return files.write(in_full(cluster), form)


def in_full(cluster: Cluster | None) -> dict[str, Any]:
    """The configuration with all defaults, in its v1 form; the default one for None."""
    config = default_configuration() if cluster is None else _configuration(cluster, cluster.config_version)
    assert config is not None  # every cluster has a version at work
    return to_dict(config)


def _configuration(cluster: Cluster, number: int) -> SchedulerConfiguration | None:
    if number == DEFAULTS:
        return default_configuration()
    found = SchedulerConfig.objects.filter(cluster=cluster, version=number).values_list("yaml", flat=True).first()
    if found is None:
        return None
    return load(found, plugins.points()) if found else default_configuration()
