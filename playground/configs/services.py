"""The check of a configuration before it is applied: the cluster's version reads it, or it is translated first."""

import dataclasses
from dataclasses import dataclass, field

from playground import plugins
from playground.models import Cluster
from playground.problems import Refused, list_api_problems
from scheduler_core.config import ConfigError
from scheduler_core.config.out_of_tree import Lost, missing_plugin, place_of, without
from scheduler_core.legacy.translation.translate import translate

# The option that a refusal may offer.
WITHOUT_PLUGINS = "without_plugins"


@dataclass(slots=True)
class Checked:
    """The text to apply, and the plugins that were removed from it."""

    yaml: str
    lost: list[Lost] = field(default_factory=list)


def check_config(cluster_id: int, text: str, *, without_plugins: bool = False) -> Checked:
    """Return the text to apply. Raises Refused with all problems of the text, at the text's own lines.

    `without_plugins` removes plugins that are in no registry. A refusal offers this option if it would help.
    """
    emulates = Cluster.objects.values_list("emulates", flat=True).get(pk=cluster_id)
    try:
        return Checked(_readable(text, emulates))
    except ConfigError as error:
        reduced, lost = without(text, plugins.points(emulates))
        try:
            alternative = Checked(_readable(reduced, emulates), lost) if lost else None
        except ConfigError:
            alternative = None
        if alternative is not None and without_plugins:
            return alternative
        offers = () if alternative is None else (WITHOUT_PLUGINS,)
        raise Refused(list_api_problems(error), offers=offers, lost=map(str, lost) if alternative else ()) from error


def _readable(text: str, emulates: str) -> str:
    """Return the text, or its translation. Raises ConfigError."""
    try:
        plugins.load(text, emulates)
        return text
    except ConfigError as error:
        rules = plugins.rules(emulates)
        if rules is None:
            raise
        translated = translate(text, rules, plugins.points(emulates))
        if not translated.config_text or translated.problems:
            raise ConfigError(error.stage, translated.problems or error.problems) from error
        _check_translated(text, translated.config_text, emulates)
        return translated.config_text


def _check_translated(text: str, translated: str, emulates: str) -> None:
    """Check the translation, which accepts any plugin name. Raises ConfigError with the lines of the old text."""
    if translated == text:
        return
    try:
        plugins.load(translated, emulates)
    except ConfigError as error:
        problems = []
        for problem in error.problems:
            place = place_of(text, missing_plugin(problem))
            path, line = place if place is not None else (problem.path, None)
            problems.append(dataclasses.replace(problem, path=path, line=line))
        raise ConfigError(error.stage, problems, error.texts) from error
