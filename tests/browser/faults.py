"""Faults that no page may have during a test: exceptions, console errors, failed requests.

A page with a fault closes, so that the test fails at once; `conftest.py` then reports the fault.
"""

import re

from playwright.sync_api import ConsoleMessage, Error, Page, Request

# Of all pages of the test that is running.
found: list[str] = []
# What the browser itself writes to the console of an answer that is none: its status, and in its place the address.
# Listening to the answers themselves costs an eighth of a load of the page, which asks for a hundred and fifty files.
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of (\d+)")
# Of what does not come at all it writes this; `failed` knows more.
NOT_LOADED = "Failed to load resource"
# A file that nobody waits for any more.
LEFT = "net::ERR_ABORTED"
# What a busy server says on purpose; the page asks again.
LATER = 503


def watch(page: Page, but_for: str = "") -> None:
    """Watch this page from now on; `but_for` is a regular expression of permitted faults."""

    def fault(text: str) -> None:
        if but_for and re.search(but_for, text):
            return
        found.append(text)
        page.close()

    def page_error(error: Error) -> None:
        fault(f"{error.message}\n{error.stack or ''}")

    def console(message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        if refused := REFUSED.match(message.text):
            answered(int(refused[1]), message.location["url"])
        elif NOT_LOADED not in message.text:
            fault(message.text)

    def failed(request: Request) -> None:
        if request.failure != LEFT:
            fault(f"{request.method} {request.url}: {request.failure}")

    def answered(status: int, url: str) -> None:
        # What the API refuses is an answer, and part of the tests.
        wrong = 400 if "/static/" in url else 500
        if status >= wrong and status != LATER:
            fault(f"{url}: {status}")

    page.on("pageerror", page_error)
    page.on("console", console)
    page.on("requestfailed", failed)
