"""Write docs/reference/limits.md from the modules that define limits: `python tools/limits.py`."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import fields as fields_of
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import scheduler_core.config.limits  # noqa: E402
from kube_objects.text.limits import Limits  # noqa: E402
from playground import limits  # noqa: E402
from simulator.exchange import share_file  # noqa: E402
from simulator.simulation.commands import configuration, fields, scheduling  # noqa: E402

DOCUMENT = ROOT / "docs" / "reference" / "limits.md"
HEAD = """\
# Limits

Look up how much one request, user or cluster may use. A request beyond a limit gets an error that names the limit.
You can't change these numbers with settings. `make docs` writes this page from the modules that define the limits.
"""
TABLE = "| Limit | Value |\n| --- | ---: |\n"
OTHERS: list[tuple[str, str, tuple[ModuleType, ...]]] = [
    ("Scheduler configurations", "`scheduler_core/config/limits.py`", (scheduler_core.config.limits,)),
    ("Commands", "`simulator/simulation/commands/`", (configuration, fields, scheduling)),
    ("Shared links", "`simulator/exchange/share_file.py`", (share_file,)),
]


def text() -> str:
    """Return the whole page."""
    parts = [HEAD, "## The web side\n\nDefined in `playground/limits.py`.\n"]
    for comment, names in _list_groups(ROOT / "playground" / "limits.py"):
        rows = _format_rows({name: getattr(limits, name) for name in names})
        about = re.sub(r"\b[A-Z]+(?:_[A-Z]+)+\b", r"`\g<0>`", comment)
        parts.append((f"{about}\n\n" if about else "") + TABLE + rows)
    values = {field.name: getattr(Limits(), field.name) for field in fields_of(Limits)}
    parts.append(f"## Imported objects\n\nDefined in `kube_objects/text/limits.py`.\n\n{TABLE}{_format_rows(values)}")
    for title, place, modules in OTHERS:
        values = {
            name: value for module in modules for name, value in numbers_of(module).items() if name.startswith("MAX")
        }
        parts.append(f"## {title}\n\nDefined in {place}.\n\n{TABLE}{_format_rows(values)}")
    return "\n".join(parts)


def numbers_of(module: ModuleType) -> dict[str, float]:
    """Return the public constants of a module that are numbers, in their order."""
    constants = {name: value for name, value in vars(module).items() if re.fullmatch(r"[A-Z][A-Z_]*", name)}
    return {name: value for name, value in constants.items() if type(value) in (int, float)}


def _list_groups(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each comment of a module with the constants below it."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    comment, names = "", list[str]()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign):
            continue
        above: list[str] = []
        for line in reversed(lines[: node.lineno - 1]):
            if not line.startswith("# "):
                break
            above.insert(0, line[2:])
        if above or not lines[node.lineno - 2]:
            if names:
                yield comment, names
            comment, names = " ".join(above), []
        targets = (name for target in node.targets for name in ast.walk(target))
        names += [name.id for name in targets if isinstance(name, ast.Name)]
    yield comment, names


def _format_rows(values: dict[str, float]) -> str:
    return "".join(f"| `{name}` | {_format_value(name, value)} |\n" for name, value in values.items())


def _format_value(name: str, value: float) -> str:
    is_size = re.search(r"bytes|UNFOLDED", name, re.IGNORECASE)
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if is_size and value >= size and value % size == 0:
            return f"{int(value) // size:,} {unit}"
    number = f"{int(value):,}" if value == int(value) else f"{value}"
    return f"{number} s" if "SECONDS" in name and not re.search(r"PER_SECOND", name) else number


def main() -> None:
    DOCUMENT.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
