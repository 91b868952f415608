"""The built-in examples: one YAML file each, with a story and objects."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import yaml

from playground.response_types import named

FOLDER = Path(__file__).resolve().parent.parent / "examples"


@dataclass(frozen=True)
class Example:
    """A cluster to start from. The first document of its file describes it, and the others are objects."""

    slug: str
    title: str
    story: str
    emulates: str
    objects: list[dict[str, Any]]

    def count(self, kind: str) -> int:
        return sum(found["kind"] == kind for found in self.objects)


@named("Example")
class ExampleAnswer(TypedDict):
    slug: str
    title: str
    story: str
    emulates: str
    nodes: int
    pods: int


@cache
def all_examples() -> tuple[Example, ...]:
    """Return the examples in the order of their files."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.yaml")))


def find_example(slug: str) -> Example | None:
    """Return the example with this slug, or None."""
    return next((example for example in all_examples() if example.slug == slug), None)


def list_examples() -> list[ExampleAnswer]:
    """Return the answer of `examples/`."""
    return [
        {
            "slug": example.slug,
            "title": example.title,
            "story": example.story,
            "emulates": example.emulates,
            "nodes": example.count("Node"),
            "pods": example.count("Pod"),
        }
        for example in all_examples()
    ]


def _read(path: Path) -> Example:
    about, *objects = yaml.safe_load_all(path.read_text(encoding="utf-8"))
    slug = path.stem.partition("_")[2].replace("_", "-")
    return Example(slug, about["title"], " ".join(about["story"].split()), about["emulates"], objects)
