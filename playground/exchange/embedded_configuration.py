"""Configurations and feature gates in an imported text, beside objects or alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from kube_objects.collect import ReadResult
from kube_objects.meta import KubeObject
from kube_objects.pod_makers import format_counts
from kube_objects.sentences import say
from kube_objects.shapes import Held
from playground.configs import past_configs
from playground.configs import services as configs
from playground.models import Cluster
from playground.problems import Problem, Refused, problem
from scheduler_core.emulations import emulation_of, plain_version
from scheduler_core.gates import GateError, gates_text, parse_gates
from scheduler_core.legacy.recognise import recognize_held
from simulator.importers.notes import notes_of


class ImportedConfiguration(TypedDict):
    where: str
    taken: bool
    problems: list[Problem]
    offers: list[str]
    lost: list[str]
    past: past_configs.Translated | None


def configuration(
    cluster_id: int, held: Sequence[Held], matters: bool, without_plugins: bool
) -> tuple[ImportedConfiguration | None, str | None]:
    """Return the answer about a text's configuration, and the text to apply if it is valid.

    Raises Refused if it is invalid and the text has nothing else to import. Next to objects, an invalid configuration
    in a ConfigMap is left out with its problems, because it may belong to another scheduler.
    """
    several = {each.text: each for each in held}
    if not several:
        return None, None
    if len(several) > 1:
        places = "; ".join(each.where for each in list(several.values())[:10])
        rule = say("found {n} configurations, but a cluster has one: {places}", n=len(several), places=places)
        one = problem("", rule, hint=say("import only the one to use"))
        if not matters:
            raise Refused([one])
        return _answer(places, [one]), None
    only = next(iter(several.values()))
    try:
        checked = configs.check_config(cluster_id, only.text, without_plugins=without_plugins)
    except Refused as refused:
        problems = [_placed(each, only) for each in refused.problems]
        if not matters or not only.name:
            raise Refused(problems, refused.status, refused.offers, refused.lost) from refused
        return _answer(only.where, problems, refused.offers, refused.lost), None
    answer = _answer(only.where, [], (), map(str, checked.lost), taken=True)
    # A translated configuration comes with its translation, as in every other answer.
    answer["past"] = None if checked.yaml == only.text else past_configs.translate_config(recognize_held(only))
    return answer, checked.yaml


def gates(cluster_id: int, lists: Sequence[str]) -> str | None:
    """Return the feature gates to restart kube-scheduler with, as `--feature-gates`; None if it has them already.

    Raises Refused for gates that its version doesn't accept.
    """
    if not lists:
        return None
    emulates = Cluster.objects.values_list("emulates", flat=True).get(pk=cluster_id)
    if len(lists) > 1:
        rule = say(
            "there are {n} lists of feature gates, and a cluster has one: {lists}", n=len(lists), lists="; ".join(lists)
        )
        raise Refused([problem("featureGates", rule, hint=say("import only the one to use"))])
    try:
        emulation = emulation_of(plain_version(emulates), parse_gates(lists[0]))
    except GateError as error:
        raise Refused([problem("featureGates", str(error), lists[0])]) from error
    return None if emulation.version == emulates else gates_text(emulation.gates)


def _answer(
    where: str, problems: Sequence[Any], offers: Iterable[str] = (), lost: Iterable[str] = (), *, taken: bool = False
) -> ImportedConfiguration:
    return {
        "where": where,
        "taken": taken,
        "problems": list(problems),
        "offers": list(offers),
        "lost": list(lost),
        "past": None,
    }


def _placed(found: Problem, held: Held) -> Problem:
    """Return the problem with its position in the whole text; inside a nested text, with the path only."""
    placed: Problem = {**found, "document": held.document}
    if held.file:
        placed["file"] = held.file
    if held.path:
        placed["path"] = ": ".join(part for part in (held.path, found["path"]) if part)
        placed.pop("line", None)
    elif "line" in placed:
        placed["line"] += held.offset or 0
    return placed


def notes(read: ReadResult, objects: Sequence[KubeObject]) -> list[str]:
    """Return notes on what was left out. If a file is about a configuration, nothing else is imported."""
    messages = notes_of(read)
    if objects or not read.objects:
        return messages
    kinds = dict(sorted(Counter(obj.kind for obj in read.objects).items()))
    return [
        *messages,
        say(
            "only the configuration is imported, because scheduling uses nothing else in it: {kinds}",
            kinds=format_counts(kinds),
        ),
    ]
