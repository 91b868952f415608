"""The table of contents of `docs/`: sections, and the pages of each section in reading order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playground import folders

FOLDER = folders.ROOT / "docs"
INDEX = "index.md"

# In code blocks, "#" begins a comment.
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A folder of `docs/`. `order` lists its first pages by name; the other pages follow, sorted by name."""

    folder: str
    title: str
    about: str
    order: tuple[str, ...] = ()


SECTIONS = [
    Section(
        "tutorials",
        "Tutorials",
        "Each tutorial takes you from nothing to a result, one step at a time.",
        ("first-cycle", "kubectl", "tune-a-profile"),
    ),
    Section(
        "how-to",
        "How-to guides",
        "Each guide helps you to reach one goal.",
        (
            "install",
            "import-a-cluster",
            "debug-a-pending-pod",
            "fix-a-pending-pod",
            "edit-a-profile",
            "compare-profiles",
            "check-an-upgrade",
            "export-a-configuration",
            "plan-capacity",
            "run-controllers",
            "go-back-in-time",
            "use-in-ci",
            "use-the-http-api",
            "use-an-extender",
            "share-and-embed",
            "present",
            "teach-a-class",
            "teachers-guide",
            "deploy",
            "operate",
            "back-up-and-upgrade",
        ),
    ),
    Section(
        "reference",
        "Reference",
        "Look up commands, fields, settings and limits here.",
        (
            "cli",
            "settings",
            "limits",
            "keyboard",
            "http-api",
            "kubernetes-api",
            "metrics",
            "controllers",
            "commands-and-trace",
            "explanation-json",
            "repair-edits",
            "file-formats",
            "conformance",
            "emulated-versions",
            "glossary",
        ),
    ),
    Section(
        "explanation",
        "Explanation",
        "Read how the playground works, and why.",
        ("how-it-works", "determinism", "how-faithful", "performance", "security", "comparison"),
    ),
    Section("help", "Help", "Find answers to questions and errors.", ("faq", "troubleshooting")),
    Section(
        "contributing",
        "Contributing",
        "Change the playground, its lessons and its translations.",
        (
            "architecture",
            "decisions",
            "testing",
            "benchmarks",
            "write-a-lesson",
            "write-a-plugin",
            "add-a-version",
            "translate",
            "style",
            "release",
        ),
    ),
]


@dataclass(frozen=True)
class Page:
    """A page: `path` is relative to `docs/`, such as `how-to/deploy.md`; `section` is None for the front page."""

    path: str
    title: str
    section: Section | None = None


def list_pages(folder: Path = FOLDER) -> list[Page]:
    """Return the front page, then the pages of each section. A section's own index comes first.

    A page outside of the sections raises ValueError.
    """
    pages = [_read_page(folder, INDEX, None)]
    for section in SECTIONS:
        pages += [_read_page(folder, path, section) for path in _list_paths(folder, section)]
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}
    if stray := present - {page.path for page in pages}:
        raise ValueError(f"docs/: {', '.join(sorted(stray))}: outside of the sections in {Path(__file__).name}")
    return pages


def format_index(section: Section, folder: Path = FOLDER) -> str:
    """Return the text of a section's `index.md`, which lists its pages."""
    pages = [_read_page(folder, path, section) for path in _list_paths(folder, section)]
    links = [f"- [{page.title}]({Path(page.path).name})\n" for page in pages if Path(page.path).name != INDEX]
    return f"# {section.title}\n\n{section.about}\n\n{''.join(links)}"


def _list_paths(folder: Path, section: Section) -> Iterator[str]:
    names = {path.stem for path in (folder / section.folder).glob("*.md")}
    order = [Path(INDEX).stem, *section.order]
    for name in [*(name for name in order if name in names), *sorted(names - set(order))]:
        yield f"{section.folder}/{name}.md"


def _read_page(folder: Path, path: str, section: Section | None) -> Page:
    title = _TITLE.search(_FENCE.sub("", (folder / path).read_text(encoding="utf-8")))
    if title is None:
        raise ValueError(f"docs/{path}: no title; begin the page with a line like `# Title`")
    return Page(path, title[1], section)
