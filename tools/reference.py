"""Write the generated parts of three pages of docs/reference/: `python tools/reference.py`."""

import re
import sys
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kube_apiserver.resources import table  # noqa: E402
from scheduler_core.edits.costs import COSTS  # noqa: E402
from scheduler_core.facts.links import DOCS  # noqa: E402
from simulator.explain import glossary  # noqa: E402

FOLDER = ROOT / "docs" / "reference"
_PART = re.compile(r"(<!-- begin ([a-z-]+) -->\n).*?(<!-- end \2 -->\n)", re.DOTALL)


def list_resources() -> str:
    """Return a table of the served resources, one row for each group and version."""
    rows = ["| API group and version | Resources |", "| --- | --- |"]
    for version, resources in groupby(table().values(), lambda resource: resource.api_version):
        rows.append(f"| `{version}` | {', '.join(resource.name for resource in resources)} |")
    return "\n".join(rows) + "\n"


def list_edits() -> str:
    """Return a table of the kinds of edits with their default costs."""
    rows = ["| Kind | Cost | Edit |", "| --- | ---: | --- |"]
    rows += [f"| `{kind}` | {row.cost} | {row.what} |" for kind, row in COSTS.items()]
    return "\n".join(rows) + "\n"


def list_entries(entries: glossary.Entries) -> str:
    """Return a list of the entries: the first sentence of each, and a link to the Kubernetes documentation."""
    return "".join(
        f"- **[{name}]({DOCS}{path})**: {text.partition('. ')[0].rstrip('.')}.\n"
        for name, (text, path) in entries.items()
    )


def list_names(entries: glossary.Entries) -> str:
    """Return the names of the entries, each with a link to the Kubernetes documentation."""
    return ",\n".join(f"[{name}]({DOCS}{path})" for name, (_, path) in entries.items()) + ".\n"


PARTS: Mapping[str, Callable[[], str]] = {
    "resources": list_resources,
    "edits": list_edits,
    "extension-points": lambda: list_entries(glossary.POINTS),
    "status-codes": lambda: list_entries(glossary.CODES),
    "queues": lambda: list_entries(glossary.LANES),
    "plugins": lambda: list_names(glossary.PLUGINS),
}
PAGES = ("kubernetes-api.md", "repair-edits.md", "glossary.md")


def text(page: str) -> str:
    """Return the text of a page with its generated parts."""
    written = (FOLDER / page).read_text(encoding="utf-8")
    return _PART.sub(lambda match: f"{match[1]}{PARTS[match[2]]()}{match[3]}", written)


def main() -> None:
    for page in PAGES:
        (FOLDER / page).write_text(text(page), encoding="utf-8")


if __name__ == "__main__":
    main()
