"""The HTML of a page of `docs/`, with links and anchors for the address at which the playground serves it."""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """A heading with the text below it, up to the next heading. `level` is 1 for the title."""

    level: int
    anchor: str
    title: str
    text: str


@dataclass(frozen=True)
class Rendered:
    """A page as HTML, and its passages for the table of contents and the search."""

    html: str
    passages: tuple[Passage, ...]


def make_anchor(title: str) -> str:
    """Return the anchor of a heading, by GitHub's rule."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def render(source: str, path: str, address_of: Callable[[str], str]) -> Rendered:
    """Return the page at `path` (relative to `docs/`) as HTML.

    `address_of` returns the address of a file by its path in `docs/`. A link to a file outside of `docs/` becomes plain
    text, because nothing serves that file.
    """
    tokens = _markdown().parse(source)
    _set_anchors(tokens)
    for token in tokens:
        # The Content-Security-Policy forbids the style that aligns a column.
        if style := str(token.attrs.pop("style", "")):
            token.attrSet("class", "num" if style.endswith("right") else "")
        if token.type == "inline":
            token.children = list(_with_addresses(token.children or [], path, address_of))
    passages = tuple(_list_passages(tokens))
    return Rendered(_markdown().renderer.render(tokens, _markdown().options, {}), passages)


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).enable("table")
    markdown.add_render_rule("table_open", lambda *_: '<div tabindex="0"><table>\n')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return markdown


def _set_anchors(tokens: "list[Token]") -> None:
    used: set[str] = set()
    for token, content in pairwise(tokens):
        if token.type != "heading_open":
            continue
        base = anchor = make_anchor(_text_of(content))
        number = 0
        while anchor in used:
            number += 1
            anchor = f"{base}-{number}"
        used.add(anchor)
        token.attrSet("id", anchor)


def _with_addresses(tokens: "list[Token]", path: str, address_of: Callable[[str], str]) -> "Iterator[Token]":
    is_dropped = False
    for token in tokens:
        if token.type == "link_open":
            address = _resolve(str(token.attrGet("href")), path, address_of)
            is_dropped = address is None
            if address is not None:
                token.attrSet("href", address)
        elif token.type == "image":
            token.attrSet("src", _resolve(str(token.attrGet("src")), path, address_of) or "")
            token.attrSet("loading", "lazy")
        if not (is_dropped and token.type in ("link_open", "link_close")):
            yield token


def _resolve(target: str, path: str, address_of: Callable[[str], str]) -> str | None:
    if _ABSOLUTE.match(target) or target.startswith("#"):
        return target
    file, hash_sign, anchor = target.partition("#")
    path_in_docs = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
    return None if path_in_docs.startswith("../") else address_of(path_in_docs) + hash_sign + anchor


def _list_passages(tokens: "list[Token]") -> Iterator[Passage]:
    heading, title, texts = None, "", list[str]()
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            if heading:
                yield Passage(int(heading.tag[1:]), str(heading.attrGet("id")), title, " ".join(texts))
            heading, title, texts = token, _text_of(tokens[i + 1]), []
        elif token.type == "inline" and tokens[i - 1].type != "heading_open":
            texts.append(_text_of(token))
        elif token.type in ("fence", "code_block"):
            texts.append(token.content)
    if heading:
        yield Passage(int(heading.tag[1:]), str(heading.attrGet("id")), title, " ".join(texts))


def _text_of(inline: "Token") -> str:
    return "".join(
        " " if token.type in ("softbreak", "hardbreak") else token.content for token in inline.children or []
    )
