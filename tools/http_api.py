"""Write the tables of requests in docs/reference/http-api.md from the OpenAPI document: `python tools/http_api.py`."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.page_types import document  # noqa: E402

DOCUMENT = ROOT / "docs" / "reference" / "http-api.md"
_PART = re.compile(r"(<!-- begin requests -->\n).*(<!-- end requests -->\n)", re.DOTALL)
_BASE = "/api/v1/"
# The first part of a path, or of a path below a cluster, by section.
SECTIONS: Mapping[str, str] = {
    "Clusters": "clusters branches restore reset",
    "Commands and records": "commands records undo redo changes breakpoints pace pause gates",
    "State": "nodes node-changes pods queue owners objects source groups devices timings",
    "Explanations": "cycles explain repairs capacity upgrade comparisons",
    "Controllers": "workloads reconciles rollout charts ownerless",
    "Configuration": "config past",
    "Import, export and sharing": "import export shares gallery examples",
    "Access": "tokens kubeconfig clients",
    "Lessons and classes": "lessons lesson classes",
    "Facts": "kinds conformance",
}


def format_requests(schema: Mapping[str, Any]) -> str:
    """Return a table for each section: method and path of each request, and the first clause of its description."""
    section_of = {part: title for title, parts in SECTIONS.items() for part in parts.split()}
    rows: dict[str, list[str]] = {title: [] for title in SECTIONS}
    for path, methods in schema["paths"].items():
        address = path.removeprefix(_BASE).replace("cluster_id", "id").replace("class_id", "id")
        parts = address.removeprefix("clusters/{id}/").split("/")
        for method, operation in methods.items():
            sentence = re.split(r"[.;] ", " ".join(operation["description"].split()))[0].rstrip(".")
            sentence = sentence.removeprefix("Return ")
            sentence = sentence[:1].upper() + sentence[1:]
            rows[section_of[parts[0] or "clusters"]].append(f"| `{method.upper()} {address}` | {sentence} |\n")
    head = "| Request | Description |\n| --- | --- |\n"
    return "\n".join(f"### {title}\n\n{head}{''.join(of_section)}" for title, of_section in rows.items())


def text(schema: Mapping[str, Any]) -> str:
    """Return the text of the page with its generated part."""
    written = DOCUMENT.read_text(encoding="utf-8")
    return _PART.sub(lambda match: f"{match[1]}\n{format_requests(schema)}\n{match[2]}", written)


if __name__ == "__main__":
    DOCUMENT.write_text(text(document()), encoding="utf-8")
