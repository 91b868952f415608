"""The scheduler's configuration: as written, as it takes effect, its versions, drafts."""

from datetime import datetime
from functools import lru_cache
from typing import Any, NotRequired, TypedDict

from playground import plugins
from playground.configs import past
from playground.models import Cluster, SchedulerConfig
from playground.shapes import Anything, named
from scheduler_core.config import (
    ConfigError,
    ConfigForm,
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
from scheduler_core.config.editing.table import ProfileTable, table
from scheduler_core.config.editing.unknown_names import unknown_disabled
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.emulations import EMULATIONS
from scheduler_core.releases import V1_34 as DEFAULT_RULES

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


class ConfigVersion(TypedDict):
    """`emulates`: the kube-scheduler that reads it, with its feature gates."""

    version: int
    emulates: str
    author: str
    note: str
    created: datetime | None
    seq: int | None


class InEffect(TypedDict):
    effective: dict[str, Anything]
    origins: Anything


class OnTheForm(TypedDict):
    """What the form shows of each profile; null for a text that is no YAML or no configuration at all."""

    table: list[ProfileTable] | None


@named("Config")
class ConfigAnswer(ConfigVersion, InEffect, OnTheForm):
    yaml: str


class ConfigVersions(TypedDict):
    current: int
    versions: list[ConfigVersion]


class ConfigProblem(past.TranslationProblem):
    """What is wrong with a configuration."""


class Verdict(TypedDict):
    ok: bool
    stage: str | None
    problems: list[ConfigProblem]
    warnings: NotRequired[list[ConfigProblem]]
    effective: NotRequired[dict[str, Anything]]
    origins: NotRequired[Anything]
    changes: NotRequired[list[Anything]]
    past: NotRequired[past.Translated | None]


class ConfigCheck(Verdict, OnTheForm):
    """What is said to a draft, and what the form shows of it."""


def current(cluster: Cluster) -> ConfigAnswer:
    """The version at work with its text, what runs by it, and where that comes from."""
    found = version(cluster, cluster.config_version)
    assert found is not None  # every cluster has a version at work
    return found


def version(cluster: Cluster, number: int) -> ConfigAnswer | None:
    """A version as `current` gives it; DEFAULTS is kube-scheduler's own. None if there is none of that number."""
    if number == DEFAULTS:
        emulates = cluster.emulates
        own: ConfigVersion = {
            "version": DEFAULTS,
            "emulates": emulates,
            "author": "",
            "note": "",
            "created": None,
            "seq": None,
        }
        text = _untold(cluster)
        return {**own, "yaml": text, **_in_effect(text, emulates), **_on_the_form(text, emulates)}
    found = SchedulerConfig.objects.filter(cluster=cluster, version=number).first()
    if found is None:
        return None
    text = found.yaml or _untold(cluster)
    in_effect = _in_effect(text, found.emulates)
    return {**_about(found), "yaml": text, **in_effect, **_on_the_form(text, found.emulates)}


def versions(cluster: Cluster, before: int | None) -> ConfigVersions:
    """The newest versions, or the newest before one of them, the newest first."""
    found = SchedulerConfig.objects.filter(cluster=cluster).order_by("-version")
    if before is not None:
        found = found.filter(version__lt=before)
    rows = list(found.defer("yaml")[:VERSIONS_PER_PAGE])
    return {"current": cluster.config_version, "versions": [_about(row) for row in rows]}


def _about(row: SchedulerConfig) -> ConfigVersion:
    return {
        "version": row.version,
        "emulates": row.emulates,
        "author": row.author,
        "note": row.note,
        "created": row.created,
        "seq": row.seq,
    }


def _untold(cluster: Cluster) -> str:
    """What the cluster's version of kube-scheduler does untold, for somebody to begin with."""
    return START if plugins.rules(cluster.emulates) is not None else EMULATIONS[cluster.emulates].default_text


def _in_effect(text: str, emulates: str) -> InEffect:
    rules, points = plugins.rules(emulates), plugins.points(emulates)
    if rules is None:
        # Origins are those of v1's multiPoint and defaults; the old versions have neither.
        expand = EMULATIONS[emulates].traits.expand
        profiles = plugins.load(text, emulates).profiles
        return {
            "effective": {each.scheduler_name: expand(each, points).to_dict() for each in profiles},
            "origins": {},
        }
    return {"effective": check(text, points, rules=rules)["effective"], "origins": origins(text, points, rules=rules)}


def _on_the_form(text: str, emulates: str) -> OnTheForm:
    """By the rules that the form is made by, see `form_fields`."""
    version = _of_the_form(emulates)
    return {"table": table(text, plugins.points(version), rules=plugins.rules(version) or DEFAULT_RULES)}


def checked(cluster: Cluster, text: str, against: int | None) -> ConfigCheck:
    """What kube-scheduler would say to a configuration, and everything else that is wrong with it.

    Any comes with what the form shows of it, mistakes and all. A valid one comes with what runs by it, and with what it
    does otherwise than the version `against`. One that was valid once comes with what it means today.
    """
    on_the_form = _on_the_form(text, cluster.emulates)
    rules, points = plugins.rules(cluster.emulates), plugins.points(cluster.emulates)
    if rules is None:
        return {**on_the_form, **_checked_as_then(text, cluster.emulates)}
    try:
        config = load(text, points, rules=rules)
    except ConfigError as error:
        problems = [_problem(each) for each in survey(text, points, rules=rules)]
        meant = past.not_of_today(text)
        return {"ok": False, "stage": error.stage, "problems": problems, "past": meant, **on_the_form}
    in_effect = _in_effect(text, cluster.emulates)
    answer: ConfigCheck = {"ok": True, "stage": None, "problems": [], **in_effect, **on_the_form}
    answer["warnings"] = [_problem(each) for each in unknown_disabled(text, points, rules=rules)]
    other = None if against is None else _configuration(cluster, against)
    return answer if other is None else {**answer, "changes": difference(other, config, points, rules=rules)}


def _checked_as_then(text: str, emulates: str) -> Verdict:
    """What an older version would say to it."""
    try:
        return {"ok": True, "stage": None, "problems": [], **_in_effect(text, emulates)}
    except ConfigError as error:
        return {"ok": False, "stage": error.stage, "problems": [_problem(each) for each in error.problems]}


def _problem(each: Problem) -> ConfigProblem:
    problem: ConfigProblem = {**past.problem_of(each)}
    return problem


def form_fields(emulates: str) -> ConfigForm:
    """The fields of the form, with the plugins of this playground; an old version's are those of today."""
    version = _of_the_form(emulates)
    return form(plugins.points(version), rules=plugins.rules(version) or DEFAULT_RULES)


def _of_the_form(emulates: str) -> str:
    return emulates if plugins.rules(emulates) is not None else plugins.TODAY


def at_work(cluster: Cluster) -> SchedulerConfiguration:
    config = _configuration(cluster, cluster.config_version)
    assert config is not None  # every cluster has a version at work
    return config


def text_at_work(cluster: Cluster) -> str:
    """The configuration at work as it was written; what the version does untold where nothing was."""
    found = SchedulerConfig.objects.values_list("yaml", flat=True).get(cluster=cluster, version=cluster.config_version)
    return found or EMULATIONS[cluster.emulates].default_text


def queue_sort(cluster: Cluster) -> str:
    """The plugin that says which pod is next: one for all profiles."""
    return _queue_sort(text_at_work(cluster), cluster.emulates)


@lru_cache(maxsize=256)
def _queue_sort(text: str, emulates: str) -> str:
    effective = _in_effect(text, emulates)["effective"]
    return next((str(points["queueSort"][0]) for points in effective.values()), "")


def in_full(cluster: Cluster | None) -> dict[str, Any]:
    """The configuration with all defaults, in its v1 form; the default one for None."""
    config = _default(plugins.TODAY) if cluster is None else _configuration(cluster, cluster.config_version)
    assert config is not None  # every cluster has a version at work
    return to_dict(config)


def _configuration(cluster: Cluster, number: int) -> SchedulerConfiguration | None:
    if number == DEFAULTS:
        return _default(cluster.emulates)
    found = SchedulerConfig.objects.filter(cluster=cluster, version=number).first()
    if found is None:
        return None
    return plugins.load(found.yaml, found.emulates) if found.yaml else _default(found.emulates)


def _default(emulates: str) -> SchedulerConfiguration:
    return default_configuration(plugins.rules(emulates) or DEFAULT_RULES)
