"""The gallery: shared moments that ship, one YAML file each, made from an example or a lesson's scenario."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import yaml

from playground.clusters import examples
from playground.lessons import selectors as lessons
from playground.shares import gallery_pictures as gallery_pictures
from simulator.exchange.scenario import Scenario
from simulator.exchange.share_file import Cursor, Share
from simulator.lessons.walk import initial_commands

FOLDER = Path(__file__).resolve().parent.parent / "gallery"


@dataclass(frozen=True)
class GalleryEntry:
    """A gallery entry: a shared moment, and a text about it."""

    slug: str
    text: str
    share: Share


class GalleryAnswer(TypedDict):
    slug: str
    title: str
    text: str
    emulates: str
    path: str
    picture: gallery_pictures.PictureAnswer


@cache
def read_gallery() -> Mapping[str, GalleryEntry]:
    """Return the entries by slug, in the order of their files."""
    shown = (_read(path) for path in sorted(FOLDER.glob("*.yaml"), key=_number))
    return {one.slug: one for one in shown}


def _number(path: Path) -> int:
    return int(path.stem.partition("_")[0])


def find(slug: str) -> GalleryEntry | None:
    return read_gallery().get(slug)


def list_gallery() -> list[GalleryAnswer]:
    """Return the entries with their texts, paths and pictures."""
    pictures = gallery_pictures.read_picture()
    return [
        {
            "slug": one.slug,
            "title": one.share.title,
            "text": one.text,
            "emulates": one.share.scenario.emulations[-1],
            "path": f"/s/{one.slug}/",
            "picture": pictures[one.slug],
        }
        for one in read_gallery().values()
    ]


def _read(path: Path) -> GalleryEntry:
    slug = path.stem.partition("_")[2].replace("_", "-")
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    scenario = _scenario(document)
    scenario.commands += document.get("commands", [])
    return GalleryEntry(
        slug, " ".join(document["text"].split()), Share(document["title"], scenario, Cursor(**document["cursor"]))
    )


def _scenario(document: Mapping[str, Any]) -> Scenario:
    """Return the entry's scenario: of an example, of a lesson, or an empty cluster of the given version."""
    if "example" in document:
        example = examples.find_example(document["example"])
        assert example is not None
        created = {"kind": "create", "objects": example.objects}
        return Scenario(document["title"], example.emulates, document.get("seed", 0), commands=[created])
    if "emulates" in document:
        return Scenario(document["title"], document["emulates"], document.get("seed", 0))
    start = lessons.all_lessons()[document["lesson"]].scenario
    commands = [dict(command) for command in initial_commands(start)]
    return Scenario(document["title"], start.emulates, document.get("seed", start.seed), start.config or "", commands)
