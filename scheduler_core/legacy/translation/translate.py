"""Convert configurations of past releases to a current KubeSchedulerConfiguration, with an explanation of each line.

Accepted are `--algorithm-provider` and the other flags of v1.20 (first, on lines of their own), a Policy or a ConfigMap
that holds one, and KubeSchedulerConfiguration v1alpha1, v1alpha2, v1beta1, v1beta2, v1beta3 and v1.
"""

from collections.abc import Callable, Mapping

from kube_objects.sentences import say
from scheduler_core.config import ConfigError, load
from scheduler_core.config.rules import ConfigRules
from scheduler_core.legacy.betas import V1BETA2, V1BETA3
from scheduler_core.legacy.sources import SplitText, api_version_of, kind_of, read_node, split_text
from scheduler_core.legacy.translation.draft import Draft, Points, Translation, finish_draft
from scheduler_core.legacy.translation.from_betas import draft_v1beta2, draft_v1beta3
from scheduler_core.legacy.translation.from_v1_20 import draft_v1_20
from scheduler_core.legacy.translation.lines import Line, Note, explain_lines
from scheduler_core.releases import IN_TREE_POINTS, V1_34

__all__ = ["Line", "Translation", "translate"]

_DRAFTS: Mapping[str, Callable[[SplitText], Draft]] = {V1BETA2: draft_v1beta2, V1BETA3: draft_v1beta3}
_TODAY = Note("the same", say("this is today's version"))


def translate(text: str, rules: ConfigRules = V1_34, points: Points = IN_TREE_POINTS) -> Translation:
    """Return the current configuration that is equivalent to the text; an invalid text has problems and no result.

    `rules` and `points` are those of the target version.
    """
    try:
        parts = split_text(text)
        version = api_version_of(parts.body).rpartition("/")[2]
        if kind_of(parts.body) != "KubeSchedulerConfiguration":
            return finish_draft(draft_v1_20(text, parts), rules, points)
        if version == "v1":
            return _translate_v1(parts, rules)
        return finish_draft(_DRAFTS[version](parts) if version in _DRAFTS else draft_v1_20(text, parts), rules, points)
    except ConfigError as error:
        return Translation("", [], error.problems)


def _translate_v1(parts: SplitText, rules: ConfigRules) -> Translation:
    load(parts.body, rules=rules)
    root = read_node(parts.body)
    return Translation(parts.body, explain_lines(root, {"": _TODAY}, parts.offset) if root else [])
