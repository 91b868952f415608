"""Unknown plugin names under `disabled`, which kube-scheduler accepts without effect."""

from collections.abc import Iterator

from kube_objects.sentences import say
from kube_objects.text.hints import did_you_mean
from kube_objects.text.node import locate
from kube_objects.text.problems import Problem
from scheduler_core.config import out_of_tree
from scheduler_core.config.load import Document, decode
from scheduler_core.config.rules import ConfigRules, Points

ALL = "*"


def unknown_disabled(text: str, points: Points | None = None, *, rules: ConfigRules) -> list[Problem]:
    """Return a problem for each such name, with path, line and a suggestion; `load` must accept the text."""
    document = decode(text, rules)
    return list(_found(document, points or rules.points))


def _found(document: Document, points: Points) -> Iterator[Problem]:
    for index, profile in enumerate(document.config.profiles):
        for point, plugin_set in profile.plugins.items():
            for place, plugin in enumerate(plugin_set.disabled):
                if plugin.name == ALL or plugin.name in points:
                    continue
                path = f"profiles[{index}].plugins.{point}.disabled[{place}]"
                message = say("no plugin has the name {name}: this disables nothing", name=plugin.name[:100])
                hint = out_of_tree.hint(plugin.name) or did_you_mean(plugin.name, points)
                yield Problem(path, None, message, hint, line=locate(document.root, path))
