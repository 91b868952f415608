"""Recognize past and current kube-scheduler configurations in any text, and what they are today.

A text may be a Policy, a KubeSchedulerConfiguration of any version, flags, or a ConfigMap that holds one of them.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from kube_objects.documents import read_documents
from kube_objects.sentences import say
from kube_objects.shapes import CONFIGURATION_KIND, POLICY_KIND, Held, is_bare_policy
from kube_objects.text.errors import TextError
from kube_objects.text.problems import Problem
from kube_objects.text.read import documents
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.limits import LIMITS
from scheduler_core.legacy.sources import api_version_of, kind_of, split_text
from scheduler_core.legacy.translation.draft import Translation
from scheduler_core.legacy.translation.successors import REMOVED_IN
from scheduler_core.legacy.translation.translate import translate

FLAGS = "flags"
_CURRENT_VERSION = f"{CONFIGURATION_KIND} v1"


@dataclass(frozen=True, slots=True)
class RecognizedConfig:
    """A recognized text.

    `what`: Policy, flags, or KubeSchedulerConfiguration with its version; `removed_in` no longer reads it. `where` is
    its place in the text, "" if it is the whole text.
    """

    what: str
    removed_in: str
    where: str
    translation: Translation

    @property
    def is_plain(self) -> bool:
        """Return True for a current configuration as a whole text."""
        return self.what == _CURRENT_VERSION and not self.where


def recognize_config(text: str) -> RecognizedConfig | None:
    """Return the recognized configuration; None for other texts: objects, several configurations, invalid texts."""
    if len(text) > LIMITS.bytes:
        return None
    if looks_like_flags(text) or _is_bare_policy(text):
        return recognize_held(Held(text, 1))
    held = {each.text: each for each in read_documents(text).configurations}
    return recognize_held(next(iter(held.values()))) if len(held) == 1 else None


def add_conversion_hint(problems: Sequence[Problem], text: str) -> list[Problem]:
    """Return the problems of a text; if it is a past configuration, the first problem refers to its conversion."""
    recognized = recognize_config(text)
    if recognized is None or not recognized.removed_in:
        return list(problems)
    hint = say(
        "kube-scheduler reads {what} no more since {version}: past/translate/ and `config --translate` say what it "
        "means today",
        what=recognized.what,
        version=recognized.removed_in,
    )
    return [dataclasses.replace(each, hint=each.hint if i else hint) for i, each in enumerate(problems)]


def recognize_held(held: Held) -> RecognizedConfig:
    """Return the problems of a configuration inside a text, with lines of that text if they are known."""
    what, removed_in = _identify_version(held.text)
    translation = translate(held.text)
    shift = None if held.path else held.offset
    lines = [dataclasses.replace(line, line=_shift_line(line.line, shift)) for line in translation.lines]
    problems = [dataclasses.replace(problem, line=_shift_line(problem.line, shift)) for problem in translation.problems]
    where = held.where if held.name else ""
    return RecognizedConfig(what, removed_in, where, Translation(translation.config_text, lines, problems))


def looks_like_flags(text: str) -> bool:
    """Return True for kube-scheduler's flags, before a file or alone. A YAML document begins with three dashes."""
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first.startswith("--") and not first.startswith("---")


def _identify_version(text: str) -> tuple[str, str]:
    try:
        body = split_text(text).body
    except ConfigError:
        body = ""
    if not body.strip():
        return FLAGS, REMOVED_IN["--algorithm-provider"]
    if kind_of(body) != CONFIGURATION_KIND:
        return POLICY_KIND, REMOVED_IN[POLICY_KIND]
    version = api_version_of(body).rpartition("/")[2]
    return f"{CONFIGURATION_KIND} {version}", REMOVED_IN.get(version, "")


def _is_bare_policy(text: str) -> bool:
    try:
        roots = [document.value for document in documents(text, LIMITS)]
    except TextError:
        return False
    return len(roots) == 1 and is_bare_policy(roots[0])


def _shift_line(line: int | None, by: int | None) -> int | None:
    return None if line is None or by is None else line + by
