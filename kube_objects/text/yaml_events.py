"""The events of a YAML text, errors as upstream's YAML library words them.

PyYAML brings libyaml along, which upstream's library is a translation of, so the texts agree. Where PyYAML was built
without it, its Python parser is used: it accepts the same documents but words syntax errors differently.
"""

from collections.abc import Iterator
from typing import Any

import yaml

from kube_objects.sentences import say
from kube_objects.text.errors import YAMLError

_LOADER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


def yaml_events(text: str) -> Iterator[Any]:
    """Raises YAMLError where the text goes wrong."""
    try:
        get_event = _LOADER(text).get_event
        while (event := get_event()) is not None:
            yield event
    except yaml.reader.ReaderError as error:
        raise YAMLError(say("is not valid YAML: {why}", why=error.reason), None, f"yaml: {error.reason}") from None
    except yaml.MarkedYAMLError as error:
        rule = say("is not valid YAML: {why}", why=error.problem or error.context)
        raise YAMLError(rule, _line(error), f"yaml: {_worded(error)}") from None


def yaml_error(rule: str, line: int) -> YAMLError:
    """Return the error of a text that is valid YAML but not supported."""
    return YAMLError(rule, line, f"yaml: {rule}")


def _line(error: yaml.MarkedYAMLError) -> int | None:
    mark = error.problem_mark or error.context_mark
    return None if mark is None else mark.line + 1


def _worded(error: yaml.MarkedYAMLError) -> str:
    """Upstream counts lines from 0, except in errors of the scanner, and leaves a line 0 out."""
    line = 0
    if error.problem_mark is not None and error.problem_mark.line:
        line = error.problem_mark.line + isinstance(error, yaml.scanner.ScannerError)
    elif error.context_mark is not None:
        line = error.context_mark.line
    return (f"line {line}: " if line else "") + (error.problem or "unknown problem parsing YAML content")
