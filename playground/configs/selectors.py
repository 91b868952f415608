"""The scheduler's configuration: as written, in effect, its versions, and checks of drafts."""

from datetime import datetime
from functools import lru_cache
from typing import Any, NotRequired, TypedDict

from playground import plugins
from playground.configs import past_configs
from playground.models import Cluster, SchedulerConfig
from playground.response_types import Anything, named
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

# The text of the default configuration, as a start for edits.
START = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
"""
# The version number of kube-scheduler's default configuration.
DEFAULTS = 0
VERSIONS_PER_PAGE = 100


class ConfigVersion(TypedDict):
    """A version of a configuration. `emulates` is the kube-scheduler that reads it, with its feature gates."""

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
    """The form's table of each profile; null for a text that is no YAML or no configuration."""

    table: list[ProfileTable] | None


@named("Config")
class ConfigAnswer(ConfigVersion, InEffect, OnTheForm):
    yaml: str


class ConfigVersions(TypedDict):
    current: int
    versions: list[ConfigVersion]


class ConfigProblem(past_configs.TranslationProblem):
    """A problem of a configuration."""


class Verdict(TypedDict):
    ok: bool
    stage: str | None
    problems: list[ConfigProblem]
    warnings: NotRequired[list[ConfigProblem]]
    effective: NotRequired[dict[str, Anything]]
    origins: NotRequired[Anything]
    changes: NotRequired[list[Anything]]
    past: NotRequired[past_configs.Translated | None]


class ConfigCheck(Verdict, OnTheForm):
    """The result of a check, with the form's table."""


def read_current(cluster: Cluster) -> ConfigAnswer:
    """Return the active version with its text, its effective profiles, and the origin of each part."""
    answer = read_version(cluster, cluster.config_version)
    assert answer is not None  # every cluster has a version at work
    return answer


def read_version(cluster: Cluster, number: int) -> ConfigAnswer | None:
    """Return a version as `current` does; DEFAULTS is kube-scheduler's default. None if the number doesn't exist."""
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
        text = _default_text(cluster)
        return {**own, "yaml": text, **_in_effect(text, emulates), **_form_table(text, emulates)}
    row = SchedulerConfig.objects.filter(cluster=cluster, version=number).first()
    if row is None:
        return None
    text = row.yaml or _default_text(cluster)
    in_effect = _in_effect(text, row.emulates)
    return {**_about(row), "yaml": text, **in_effect, **_form_table(text, row.emulates)}


def read_versions(cluster: Cluster, before: int | None) -> ConfigVersions:
    """Return the newest versions, or the newest before version `before`, newest first."""
    newest = SchedulerConfig.objects.filter(cluster=cluster).order_by("-version")
    if before is not None:
        newest = newest.filter(version__lt=before)
    rows = list(newest.defer("yaml")[:VERSIONS_PER_PAGE])
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


def _default_text(cluster: Cluster) -> str:
    """Return the text that stands for the defaults of the cluster's version, as a start for edits."""
    return START if plugins.rules(cluster.emulates) is not None else EMULATIONS[cluster.emulates].default_text


def _in_effect(text: str, emulates: str) -> InEffect:
    rules, points = plugins.rules(emulates), plugins.points(emulates)
    if rules is None:
        # Origins name v1's multiPoint and defaults. Old versions have neither.
        expand = EMULATIONS[emulates].traits.expand
        profiles = plugins.load(text, emulates).profiles
        return {
            "effective": {each.scheduler_name: expand(each, points).to_dict() for each in profiles},
            "origins": {},
        }
    return {"effective": check(text, points, rules=rules)["effective"], "origins": origins(text, points, rules=rules)}


def _form_table(text: str, emulates: str) -> OnTheForm:
    """Return the form's table, by the same rules as `form_fields`."""
    version = _form_version(emulates)
    return {"table": table(text, plugins.points(version), rules=plugins.rules(version) or DEFAULT_RULES)}


def check_draft(cluster: Cluster, text: str, against: int | None) -> ConfigCheck:
    """Return the check of a configuration: kube-scheduler's errors, and all other problems.

    The answer has the form's table, even of an invalid text. For a valid text it has the effective profiles, and the
    changes against the version `against`. For a text of a past release it has the translation.
    """
    on_the_form = _form_table(text, cluster.emulates)
    rules, points = plugins.rules(cluster.emulates), plugins.points(cluster.emulates)
    if rules is None:
        return {**on_the_form, **_check_with_older_version(text, cluster.emulates)}
    try:
        config = load(text, points, rules=rules)
    except ConfigError as error:
        problems = [_problem(each) for each in survey(text, points, rules=rules)]
        meant = past_configs.translate_if_outdated(text)
        return {"ok": False, "stage": error.stage, "problems": problems, "past": meant, **on_the_form}
    in_effect = _in_effect(text, cluster.emulates)
    answer: ConfigCheck = {"ok": True, "stage": None, "problems": [], **in_effect, **on_the_form}
    answer["warnings"] = [_problem(each) for each in unknown_disabled(text, points, rules=rules)]
    other = None if against is None else _configuration(cluster, against)
    return answer if other is None else {**answer, "changes": difference(other, config, points, rules=rules)}


def _check_with_older_version(text: str, emulates: str) -> Verdict:
    """Return the result of an older version's checks."""
    try:
        return {"ok": True, "stage": None, "problems": [], **_in_effect(text, emulates)}
    except ConfigError as error:
        return {"ok": False, "stage": error.stage, "problems": [_problem(each) for each in error.problems]}


def _problem(each: Problem) -> ConfigProblem:
    problem: ConfigProblem = {**past_configs.describe_problem(each)}
    return problem


def form_fields(emulates: str) -> ConfigForm:
    """Return the form's fields and the plugins of this playground; an old version gets the current ones."""
    version = _form_version(emulates)
    return form(plugins.points(version), rules=plugins.rules(version) or DEFAULT_RULES)


def _form_version(emulates: str) -> str:
    return emulates if plugins.rules(emulates) is not None else plugins.TODAY


def active_config(cluster: Cluster) -> SchedulerConfiguration:
    config = _configuration(cluster, cluster.config_version)
    assert config is not None  # every cluster has a version at work
    return config


def active_text(cluster: Cluster) -> str:
    """Return the active configuration as it was written, or its version's default text."""
    text = SchedulerConfig.objects.values_list("yaml", flat=True).get(cluster=cluster, version=cluster.config_version)
    return text or EMULATIONS[cluster.emulates].default_text


def queue_sort(cluster: Cluster) -> str:
    """Return the name of the QueueSort plugin, which all profiles share."""
    return _queue_sort(active_text(cluster), cluster.emulates)


@lru_cache(maxsize=256)
def _queue_sort(text: str, emulates: str) -> str:
    effective = _in_effect(text, emulates)["effective"]
    return next((str(points["queueSort"][0]) for points in effective.values()), "")


def full_config(cluster: Cluster | None) -> dict[str, Any]:
    """Return the configuration with all defaults in its v1 form; the default one for None."""
    config = _default(plugins.TODAY) if cluster is None else _configuration(cluster, cluster.config_version)
    assert config is not None  # every cluster has a version at work
    return to_dict(config)


def _configuration(cluster: Cluster, number: int) -> SchedulerConfiguration | None:
    if number == DEFAULTS:
        return _default(cluster.emulates)
    row = SchedulerConfig.objects.filter(cluster=cluster, version=number).first()
    if row is None:
        return None
    return plugins.load(row.yaml, row.emulates) if row.yaml else _default(row.emulates)


def _default(emulates: str) -> SchedulerConfiguration:
    return default_configuration(plugins.rules(emulates) or DEFAULT_RULES)
