"""Texts that hold no manifests although they come from Kubernetes' surroundings: what they are, and what to do."""

import re
from collections.abc import Mapping
from typing import Any

from kube_objects.sentences import Sentence, say
from kube_objects.shapes import is_kustomization
from kube_objects.text.problems import Problem

_PRINT_YAML = say("import what `kubectl get nodes,pods -A -o yaml` prints")
_TEMPLATE = say("has {{ … }} in it: it is a template, no YAML yet; import what `helm template` prints")
_CHART = say("is the Chart.yaml of a Helm chart; import what `helm template` prints")
_COMPOSE = say("is a Docker Compose file; import what `kompose convert --stdout` prints")
_KUSTOMIZATION = say("is a kustomization, which names files: import its folder, or what `kubectl kustomize` prints")
_SLASHES = say("has comments that begin with //, which are part of a name in YAML; begin comments with #")
_QUOTED_NAMES = say('has typographic quotes around names of fields; replace them with plain ones: "')
_NO_BREAK_SPACES = say("has no-break spaces in its indentation")
_LOOK = 20_000
"""A text says what it is in its first characters."""

_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_PROMPT = re.compile(r"^[ \t]*(?:\$|%|>|PS [^\n>]{0,200}>|[\w.-]+@[\w.-]+[^\n$#%]{0,200}[$#%])[ \t]+\S", re.MULTILINE)
_DESCRIBED = re.compile(r"^Name:[ \t]+\S.*\n(?:.*\n){0,30}?(?:Labels|Annotations|Namespace):(?:[ \t]|$)", re.MULTILINE)
_TABLE = re.compile(r"(?:[A-Z][A-Z0-9()/%-]*[ \t]{2,})*NAME(?:[ \t]{2,}[A-Z][A-Z0-9()/% -]*)+[ \t]*(?:\n|\Z)")
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Every space of Unicode but the plain one, and what has no width.
_ODD_SPACES = "\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000"
_ODD_INDENT = re.compile(rf"^[ \t]*[{_ODD_SPACES}]", re.MULTILINE)
# At the beginning of a line, or where JSON has a name or a value next.
_SLASHED = re.compile(r"(?:^|[,{\[])[ \t]*//", re.MULTILINE)
_TAB_INDENT = re.compile(r" *\t")
_TYPOGRAPHIC = re.compile("[\u2018\u2019\u201a\u201c\u201d\u201e\u2033]")
_FIELDS_OF_KUSTOMIZATIONS = ("resources", "bases", "components", "helmCharts", "patches", "namePrefix", "images")
_ARCHIVES = (
    (
        0,
        b"\x1f\x8b",
        say("is compressed with gzip"),
        say("unpack it first: `gunzip FILE`, or `tar -xzf FILE` for a .tgz"),
    ),
    (0, b"PK\x03\x04", say("is a ZIP archive"), say("unpack it first, and import its files")),
    (257, b"ustar", say("is a tar archive"), say("unpack it first: `tar -xf FILE`")),
)

_TEXTS: tuple[tuple[re.Pattern[str], Sentence, Sentence], ...] = (
    (
        _FENCE,
        say("has Markdown fences in it"),
        say("import only what is between the lines of ```"),
    ),
    (
        _PROMPT,
        say("has a shell prompt in it"),
        say("remove the lines with commands, and import only what they printed"),
    ),
    (_COLOR, say("has color codes of a terminal in it"), say("print it again without colors")),
    (
        _HTML,
        say("is an HTML page"),
        say("download the raw file"),
    ),
)


def archive(data: bytes) -> Problem | None:
    """Return the problem of a packed file, None for all else."""
    for at, mark, rule, hint in _ARCHIVES:
        if data[at : at + len(mark)] == mark:
            return Problem("", None, rule, hint)
    return None


def template(text: str) -> Problem | None:
    """Return the problem of a text with Go templates in it, None for all else."""
    return Problem("", None, _TEMPLATE, line=_line(text, text.index("{{"))) if "{{" in text else None


def is_passed_over(problem: Problem) -> bool:
    """Return whether a file of a folder that has this problem is left out with a note."""
    return problem.rule in (_TEMPLATE, _CHART, _COMPOSE)


def of_text(text: str) -> Problem | None:
    """Return what a text is that has problems, with the line that says so; None for manifests with mistakes.

    It says more than the problems of a text that was never meant as YAML.
    """
    beginning = text[:_LOOK].lstrip("\ufeff")
    start = len(beginning) - len(beginning.lstrip())
    if _DESCRIBED.match(beginning, start):
        rule = say("is the output of `kubectl describe`, which holds no manifests")
        return Problem("", None, rule, _PRINT_YAML, line=1)
    if _TABLE.match(beginning, start):
        return Problem("", None, say("is a table from `kubectl get`, which holds no manifests"), _PRINT_YAML, line=1)
    if (odd := _ODD_INDENT.search(text)) is not None:
        hint = say("replace them with plain spaces")
        return Problem("", None, _NO_BREAK_SPACES, hint, line=_line(text, odd.start()))
    if beginning[start : start + 1] == "{" and (comment := _SLASHED.search(text)) is not None:
        return Problem("", None, _SLASHES, line=_line(text, comment.start()))
    for pattern, rule, hint in _TEXTS:
        if (match := pattern.search(text)) is not None:
            return Problem("", None, rule, hint, line=_line(text, match.start()))
    if (control := _CONTROL.search(text)) is not None:
        rule = say("has the control character {code} in it", code=f"U+{ord(control[0]):04X}")
        return Problem("", None, rule, say("remove it"), line=_line(text, control.start()))
    return None


def of_value(value: Any) -> Sentence | None:
    """Return the description of a document that isn't a Kubernetes object, or None if it is unknown."""
    if is_kustomization(value):
        return _KUSTOMIZATION
    if not isinstance(value, Mapping) or "kind" in value:
        return None
    if any(isinstance(name, str) and _TYPOGRAPHIC.search(name) for name in value):
        return _QUOTED_NAMES
    if isinstance(value.get("services"), Mapping) and "apiVersion" not in value:
        return _COMPOSE
    if value.get("apiVersion") in ("v1", "v2") and isinstance(value.get("name"), str) and "version" in value:
        return _CHART
    fields = [name for name in _FIELDS_OF_KUSTOMIZATIONS if isinstance(value.get(name), list | str)]
    return _KUSTOMIZATION if fields and "metadata" not in value and "spec" not in value else None


def hint_at_characters(text: str) -> Sentence | str:
    """Return what to do about typographic quotes in a value or line; "" if there are none."""
    if _TYPOGRAPHIC.search(text) is None:
        return ""
    return say("replace the typographic quotes with plain ones: \" or '")


def hint_at_line(line: str) -> Sentence | str:
    """Return what to do about the line at which a parser stopped; "" if it shows nothing unusual."""
    if _TAB_INDENT.match(line) is not None:
        return say("replace the tabs with spaces: YAML has no tabs in its indentation")
    return hint_at_characters(line)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
