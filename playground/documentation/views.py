"""The documentation under `/docs/`. Like static files, it is public and the same for every user."""

from itertools import groupby
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from playground.documentation import library
from playground.documentation.contents import Page

LONGEST_QUERY = 200


@require_safe
@cache_control(private=True, max_age=60)
def page(request: HttpRequest, path: str = "") -> HttpResponseBase:
    """Show a page, or return a picture or other file. `path` is only looked up among the known files."""
    if path in library.addresses():
        return _show_page(request, library.addresses()[path])
    if f"{path}/" in library.addresses():
        return redirect(f"{library.ROOT}{path}/")
    if path in library.assets():
        return FileResponse(library.assets()[path].open("rb"))
    raise Http404


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Show the results of a search for `q`."""
    query = request.GET.get("q", "")[:LONGEST_QUERY].replace("\0", "")
    context = {"query": query, "results": library.search(query), "contents": _list_contents(None)}
    return render(request, "documentation.html", context)


def _show_page(request: HttpRequest, shown: Page) -> HttpResponse:
    rendered = library.rendered(shown)
    headings = [passage for passage in rendered.passages if passage.level == 2]
    context = {"page": shown, "html": rendered.html, "headings": headings, "contents": _list_contents(shown)}
    return render(request, "documentation.html", context)


def _list_contents(shown: Page | None) -> list[dict[str, Any]]:
    """Return the sections with their pages for the navigation; the front page and the indexes have no entry."""
    contents = []
    pages = [page for page in library.addresses().values() if page.section]
    for section, (index, *others) in groupby(pages, key=lambda page: page.section):
        links = [(library.address_of(other), other.title, other == shown) for other in others]
        is_open = shown is not None and shown.section == section
        contents.append({"title": index.title, "address": library.address_of(index), "open": is_open, "links": links})
    return contents
