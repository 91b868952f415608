"""A configuration of any version comes into a cluster: read as the cluster's own version does, else translated."""

import dataclasses
from dataclasses import dataclass, field

from playground import plugins
from playground.models import Cluster
from playground.problems import Refused, of_error
from scheduler_core.config import ConfigError
from scheduler_core.config.out_of_tree import Lost, missing_plugin, place_of, without
from scheduler_core.legacy.translation.translate import translate

# What a refusal may offer instead.
WITHOUT_PLUGINS = "without_plugins"


@dataclass(slots=True)
class Checked:
    """The text to apply, and the plugins that it has to do without."""

    yaml: str
    lost: list[Lost] = field(default_factory=list)


def check(cluster_id: int, text: str, *, without_plugins: bool = False) -> Checked:
    """Raises Refused with all that is wrong with the text, in its own lines.

    With `without_plugins` plugins that are in no registry are left out; a refusal that this would spare offers it.
    """
    emulates = Cluster.objects.values_list("emulates", flat=True).get(pk=cluster_id)
    try:
        return Checked(_readable(text, emulates))
    except ConfigError as error:
        reduced, lost = without(text, plugins.points(emulates))
        try:
            found = Checked(_readable(reduced, emulates), lost) if lost else None
        except ConfigError:
            found = None
        if found is not None and without_plugins:
            return found
        offers = () if found is None else (WITHOUT_PLUGINS,)
        raise Refused(of_error(error), offers=offers, lost=map(str, lost) if found else ()) from error


def _readable(text: str, emulates: str) -> str:
    """The text, or what it means today. Raises ConfigError."""
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
    """The translation takes other people's plugins to be there. Raises ConfigError, with the lines of the old text."""
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
