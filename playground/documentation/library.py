"""All pages of `docs/`, rendered once for each process, and the search in their text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from playground.documentation.contents import FOLDER, INDEX, Page, list_pages
from playground.documentation.rendering import Passage, Rendered, render

ROOT = "/docs/"
MOST_RESULTS = 30
MOST_WORDS = 8
_EXCERPT = 160


@dataclass(frozen=True)
class Result:
    """A passage in which the search found all words. `excerpt` is the text around the first of them."""

    page: Page
    address: str
    title: str
    excerpt: str


@cache
def addresses() -> Mapping[str, Page]:
    """Return each page by its address below `/docs/`, in the order of the table of contents."""
    return {_address_of_page(page.path): page for page in list_pages()}


@cache
def assets() -> Mapping[str, Path]:
    """Return each file of `docs/` that isn't a page, by its path relative to `docs/`."""
    files = (path for path in FOLDER.rglob("*") if path.is_file() and path.suffix != ".md")
    return {path.relative_to(FOLDER).as_posix(): path for path in files}


@cache
def rendered(page: Page) -> Rendered:
    return render((FOLDER / page.path).read_text(encoding="utf-8"), page.path, _address_of)


def address_of(page: Page) -> str:
    """Return the address of a page, such as `/docs/how-to/deploy/`."""
    return ROOT + _address_of_page(page.path)


def search(query: str) -> list[Result]:
    """Return the passages that contain all words of the query. Hits in titles come first."""
    words = query.casefold().split()[:MOST_WORDS]
    if not words:
        return []
    ranked = []
    for page in addresses().values():
        if page.path.endswith(INDEX):
            continue
        for passage in rendered(page).passages:
            if rank := _rank(words, page, passage):
                ranked.append((rank, page, passage))
    ranked.sort(key=lambda entry: -entry[0])
    return [_make_result(words, page, passage) for _, page, passage in ranked[:MOST_RESULTS]]


def _address_of_page(path: str) -> str:
    """Return the address below `/docs/`."""
    return path.removesuffix(INDEX) if path.endswith(INDEX) else f"{path.removesuffix('.md')}/"


def _address_of(path: str) -> str:
    if path.endswith(".md"):
        return ROOT + _address_of_page(path)
    return ROOT + path


def _rank(words: list[str], page: Page, passage: Passage) -> int:
    """Return how well a passage fits, or 0 if a word is missing in it and in its titles."""
    rank = 0
    for word in words:
        in_page, in_title = word in page.title.casefold(), word in passage.title.casefold()
        in_text = passage.text.casefold().count(word)
        if not (in_text or in_title or (in_page and passage.level == 1)):
            return 0
        rank += 40 * (in_page and passage.level == 1) + 20 * in_title + 5 * in_page + min(in_text, 5)
    return rank


def _make_result(words: list[str], page: Page, passage: Passage) -> Result:
    anchor = f"#{passage.anchor}" if passage.level > 1 else ""
    text = re.sub(r"\s+", " ", passage.text)
    positions = [at for word in words if (at := text.casefold().find(word)) >= 0]
    start = max(0, min(positions, default=0) - _EXCERPT // 3)
    excerpt = ("… " if start else "") + text[start : start + _EXCERPT] + (" …" if start + _EXCERPT < len(text) else "")
    return Result(page, address_of(page) + anchor, passage.title, excerpt)
