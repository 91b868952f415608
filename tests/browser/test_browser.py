"""The browser that the other tests drive really runs, and what a page must not do is found."""

import pytest
from playwright.sync_api import Error, Page, Route

from tests.browser import faults

FAULTS = [
    # what the page does                                        what is found of it, if anything
    ("fetch('/api/refused')", ""),
    ("fetch('/api/busy')", ""),
    ("console.warn('mind')", ""),
    ("fetch('/api/broken')", "http://page.test/api/broken: 500"),
    ("fetch('/static/js/refused')", "http://page.test/static/js/refused: 404"),
    ("import('/static/js/refused').catch(() => null)", "http://page.test/static/js/refused: 404"),
    ("fetch('/api/gone').catch(() => null)", "GET http://page.test/api/gone: net::ERR_CONNECTION_REFUSED"),
    ("console.error('no')", "no"),
    ("setTimeout(() => { throw new Error('thrown'); })", "thrown"),
]
STATUS = {"refused": 404, "busy": 503, "broken": 500}


def answer(route: Route) -> None:
    name = route.request.url.rpartition("/")[2]
    if name == "gone":
        route.abort("connectionrefused")
    else:
        route.fulfill(status=STATUS.get(name, 200), body="", content_type="text/html")


def test_chromium_draws(page: Page) -> None:
    page.set_content("<h1>Pending</h1>")
    assert page.get_by_role("heading", name="Pending").is_visible()


@pytest.mark.parametrize(("does", "want"), FAULTS)
def test_a_fault_of_a_page_is_found(page: Page, does: str, want: str) -> None:
    page.route("http://page.test/**", answer)
    page.goto("http://page.test/")
    faults.watch(page)
    try:
        page.evaluate(f"() => {does}")
        # What the page does next: by then all is told that came before.
        page.evaluate("async () => { await fetch('/'); await new Promise((done) => setTimeout(done)); }")
        if want:
            page.wait_for_event("close")
    except Error:
        # At its first fault a page is closed.
        assert page.is_closed()
    found = [one.splitlines()[0] for one in faults.found]
    faults.found.clear()
    assert found == ([want] if want else [])
