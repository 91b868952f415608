"""The documentation under /docs/: pages, links, anchors, pictures, search, and links from the UI."""

import re
from functools import cache
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.test import Client

from playground.documentation import library
from playground.documentation.rendering import make_anchor, render

PAGES = list(library.addresses())
SCRIPTS = (settings.BASE_DIR / "static" / "js").rglob("*.js")
UI_LINKS = sorted({to for script in SCRIPTS for to in re.findall(r'DocsLink\} to="([^"]*)"', script.read_text())})


class _Targets(HTMLParser):
    """The `href` and `src` values of a page, the `id` values that links can point to, and inline scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "style" or (tag == "script" and "src" not in dict(attrs)):
            self.inline.append(tag)
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.inline.append(name)
            if name in ("href", "src"):
                self.links.add(value or "")
            elif name == "id":
                self.anchors.add(value or "")


@cache
def text_of(address: str) -> str:
    response = Client().get(address)
    assert response.status_code == 200, address
    return response.content.decode()


@cache
def anchors_of(address: str) -> set[str]:
    return _Targets(text_of(address)).anchors


@pytest.mark.parametrize("below", PAGES, ids=lambda below: below or "index")
def test_every_link_and_picture_of_a_page_exists(db: None, below: str) -> None:
    address = library.ROOT + below
    for link in _Targets(text_of(address)).links:
        target, _, anchor = link.partition("#")
        if link.startswith(("#", library.ROOT)):
            below_root = (target or address).removeprefix(library.ROOT)
            assert below_root in (*PAGES, *library.assets(), "search/"), link
            assert not anchor or anchor in anchors_of(target or address), link
        else:
            assert re.match(r"https?://|/static/|/$", link), link


@pytest.mark.parametrize("below", PAGES, ids=lambda below: below or "index")
def test_a_page_works_under_the_content_security_policy(db: None, below: str) -> None:
    assert _Targets(text_of(library.ROOT + below)).inline == []


def test_no_login_and_no_session_is_needed(db: None) -> None:
    response = Client().get("/docs/")
    assert response.status_code == 200
    assert not response.cookies


@pytest.mark.parametrize(
    "address",
    [
        "/docs/../manage.py",
        "/docs/%2e%2e/manage.py",
        "/docs/how-to/../../manage.py",
        "/docs//etc/passwd",
        "/docs/how-to/deploy.md",
        "/docs/images/",
        "/docs/images/..%2findex.md",
        "/docs/nothing/",
        "/docs/a%00b",
    ],
)
def test_only_files_of_the_documentation_are_served(db: None, address: str) -> None:
    assert Client().get(address).status_code == 404


def test_a_page_without_its_slash_redirects(db: None) -> None:
    assert Client().get("/docs/how-to/deploy").headers["Location"] == "/docs/how-to/deploy/"


def test_a_picture_is_served_with_its_type(db: None) -> None:
    response = Client().get("/docs/images/main-light-desktop.png")
    assert response.headers["Content-Type"] == "image/png"
    response.close()


@pytest.mark.parametrize("link", UI_LINKS, ids=lambda link: link or "index")
def test_a_link_of_the_ui_leads_to_a_section(db: None, link: str) -> None:
    page, _, anchor = link.partition("#")
    below = f"{page}/" if page else ""
    assert below in PAGES
    assert not anchor or anchor in anchors_of(library.ROOT + below)


def test_the_ui_links_to_the_documentation() -> None:
    assert "" in UI_LINKS


def test_the_search_finds_a_section_by_its_words(db: None) -> None:
    assert library.search("behind proxy")[0].address == "/docs/how-to/deploy/#behind-a-proxy"
    assert '<a href="/docs/how-to/deploy/#behind-a-proxy">' in text_of("/docs/search/?q=Behind+PROXY")
    assert library.search("") == []
    assert library.search("proxy qqqqq") == []
    assert len(library.search("a")) == library.MOST_RESULTS


def test_the_query_of_a_search_is_escaped(db: None) -> None:
    assert "<b>" not in text_of("/docs/search/?q=%3Cb%3E%00" + "a" * 1000).partition("<main")[0]


ANCHORS = [
    ("What a `step` is", "what-a-step-is"),
    ("`node`, `pod`, `eviction`", "node-pod-eviction"),
    ("A – B", "a--b"),
    ("1. What to read", "1-what-to-read"),
]


@pytest.mark.parametrize(("title", "anchor"), ANCHORS)
def test_anchors_follow_the_rule_of_github(title: str, anchor: str) -> None:
    assert make_anchor(title.replace("`", "")) == anchor
    assert f'<h2 id="{anchor}">' in render(f"## {title}", "a.md", str).html


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("[a](../b/c.md#d)", '<a href="/docs/b/c.md#d">a</a>'),
        ("[a](../../LICENSE)", "a"),
        ("[a](https://kubernetes.io/)", '<a href="https://kubernetes.io/">a</a>'),
        ("![a](../images/b.png)", '<img src="/docs/images/b.png" alt="a" loading="lazy" />'),
        ("<script>1</script>", "&lt;script&gt;1&lt;/script&gt;"),
    ],
)
def test_links_and_html_of_a_page(source: str, html: str) -> None:
    rendered = render(source, "x/y.md", lambda path: f"/docs/{path}").html
    assert rendered == f"<p>{html}</p>\n"
