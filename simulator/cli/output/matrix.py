"""Table of every plugin on every node. Results that kube-scheduler itself does not compute are in brackets."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.explain.node_ranges import format_ranges, node_ranges

Answer = Mapping[str, Any]
PASS, FAIL, ERROR, CHOSEN, UNSEEN, NOT_SCORED = "✓", "✕", "!", "◆", "·", "–"
WIDTH = 120
LEGEND = (
    f"{PASS} pass  {FAIL} fail  {ERROR} error  {CHOSEN} chosen  {UNSEEN} not evaluated  {NOT_SCORED} not scored",
    f"({PASS}) ({FAIL}) (81) in brackets: not run by kube-scheduler; it is what the plugin would say",
)


@dataclass(slots=True)
class _Row:
    """Nodes for which every plugin has the same result.

    `verdicts` are indexes into the statuses, and `score_index` is one into the scores (−1: no scores).
    """

    names: list[str]
    verdicts: tuple[int, ...]
    evaluated: bool
    score_index: int

    @property
    def stopped_at(self) -> int:
        """Return the column of the first failing plugin, where kube-scheduler stops, or the number of columns."""
        return next((column for column, verdict in enumerate(self.verdicts) if verdict), len(self.verdicts))


def table(matrix: Answer, chosen: str | None) -> Iterator[str]:
    """Yield the table of a complete matrix. Nodes with scores have a row each; others are grouped by results."""
    plugins = list(dict.fromkeys((*matrix["filterPlugins"], *matrix["scorePlugins"])))
    abbreviations = _abbreviate(plugins)
    weights = zip(matrix["scorePlugins"], matrix["weights"], strict=True)
    scored = [f"{abbreviations[plugin]}×{weight}" for plugin, weight in weights]
    head = [
        "  NODE",
        *(abbreviations[plugin] for plugin in matrix["filterPlugins"]),
        *scored,
        *(["Σ"] if scored else []),
    ]
    rows = [head, *(_cells(matrix, row, chosen) for row in _rows(matrix))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    reasons = ["REASONS", *(_reasons(matrix, row) for row in _rows(matrix))]
    yield f"every plugin on every node; kube-scheduler looked at {matrix['evaluated']:,} of {len(matrix['names']):,}"
    for cells, why in zip(rows, reasons, strict=True):
        first, *others = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        yield "  ".join([first, *others, why]).rstrip()
    yield from LEGEND
    # A no-break space keeps the two names of a plugin on one line.
    names = textwrap.wrap(", ".join(f"{abbreviations[plugin]}\N{NO-BREAK SPACE}{plugin}" for plugin in plugins), WIDTH)
    yield from (line.replace("\N{NO-BREAK SPACE}", " ") for line in names)


def _rows(matrix: Answer) -> list[_Row]:
    position = {row: i for i, row in enumerate(matrix["feasible"])}
    rows_by_key: dict[Any, _Row] = {}
    for i, name in enumerate(matrix["names"]):
        verdicts = tuple(column[i] for column in matrix["verdicts"])
        row = _Row([], verdicts, i < matrix["evaluated"], position.get(i, -1))
        key = name if row.score_index >= 0 else (row.evaluated, verdicts)
        rows_by_key.setdefault(key, row).names.append(name)
    return sorted(rows_by_key.values(), key=lambda row: _order(matrix, row))


def _order(matrix: Answer, row: _Row) -> Any:
    """Return a sort key: nodes with scores first, best first; then evaluated nodes; then larger groups."""
    total = matrix["totals"][row.score_index] if row.score_index >= 0 else 0
    return row.score_index < 0, -total, not row.evaluated, -len(row.names)


def _cells(matrix: Answer, row: _Row, chosen: str | None) -> list[str]:
    return [_name(row, chosen), *_verdicts(matrix, row), *_scores(matrix, row)]


def _name(row: _Row, chosen: str | None) -> str:
    mark = PASS if row.evaluated else UNSEEN
    if row.stopped_at < len(row.verdicts):
        mark = FAIL
    if chosen in row.names:
        mark = CHOSEN
    many = f" ({len(row.names):,})" if len(row.names) > 1 else ""
    return f"{mark} {format_ranges(node_ranges(row.names))}{many}" + ("" if row.evaluated else ", not evaluated")


def _verdicts(matrix: Answer, row: _Row) -> Iterator[str]:
    for column, verdict in enumerate(row.verdicts):
        code = matrix["statuses"][verdict]["code"]
        mark = PASS if verdict == 0 else ERROR if code == "Error" else FAIL
        yield mark if _was_run(row, column) else f"({mark})"


def _was_run(row: _Row, column: int) -> bool:
    return row.evaluated and column <= row.stopped_at


def _scores(matrix: Answer, row: _Row) -> Iterator[str]:
    """Yield weighted scores, which add up to the total; the total includes scores of extenders."""
    if not matrix["scorePlugins"]:
        return
    if row.score_index < 0:
        yield from [NOT_SCORED] * (len(matrix["scorePlugins"]) + 1)
        return
    columns = zip(matrix["normalized"], matrix["weights"], strict=True)
    numbers = [column[row.score_index] * weight for column, weight in columns]
    for number in (*numbers, matrix["totals"][row.score_index]):
        yield str(number) if row.evaluated else f"({number})"


def _reasons(matrix: Answer, row: _Row) -> str:
    lines = []
    for column, verdict in enumerate(row.verdicts):
        if verdict:
            status = matrix["statuses"][verdict]
            why = f"{status['plugin']}: {', '.join(status['reasons']) or status['code']}"
            lines.append(why if _was_run(row, column) else f"({why})")
    return "; ".join(lines)


def _abbreviate(plugins: Sequence[str]) -> dict[str, str]:
    """Return the capitals of each plugin's name, with a number if another plugin has the same ones."""
    initials: dict[str, str] = {}
    for plugin in plugins:
        capitals = "".join(letter for letter in plugin if letter.isupper()) or plugin[:3]
        number = 1 + sum(text.rstrip("0123456789") == capitals for text in initials.values())
        initials[plugin] = f"{capitals}{number}" if number > 1 else capitals
    return initials
