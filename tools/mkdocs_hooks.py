"""Hooks for `make site`: MkDocs gets the navigation and the HTML of a running playground's /docs/.

So Markdown has one renderer. MkDocs adds its theme and the search, and checks links and anchors.
"""

import posixpath
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from markdown import Markdown
from markdown.extensions import Extension
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playground.documentation.contents import SECTIONS, list_pages  # noqa: E402
from playground.documentation.rendering import render  # noqa: E402


class _HtmlAsMarkdown(Extension):
    """An extension that replaces the parser of Markdown: the source is already the HTML of `on_page_markdown`."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        for name in ("html_block", "fenced_code_block"):
            md.preprocessors.deregister(name)
        md.treeprocessors.deregister("inline")
        md.parser.parseDocument = _parse_html


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the navigation and the parser of pages."""
    pages = list_pages(Path(config.docs_dir))
    config.nav = [{"Home": pages[0].path}]
    for section in SECTIONS:
        if paths := [page.path for page in pages if page.section == section]:
            config.nav.append({section.title: paths})
    config.markdown_extensions.append(_HtmlAsMarkdown())
    return config


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Return the page as HTML. Links stay relative, so that MkDocs can check them."""
    path = page.file.src_uri
    return render(markdown, path, lambda target: posixpath.relpath(target, posixpath.dirname(path) or ".")).html


def _parse_html(lines: list[str]) -> ElementTree.ElementTree:
    # Our renderer wrote the text, and it is well-formed XML.
    return ElementTree.ElementTree(ElementTree.fromstring("\n".join(["<div>", *lines, "</div>"])))  # noqa: S314
