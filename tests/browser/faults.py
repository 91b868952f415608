"""What no page may do while it is tested: throw, write an error to its console, ask in vain.

At its first fault a page is closed, so that what its test waits for fails at once; `conftest.py` then says the fault.
"""

import re

from playwright.sync_api import ConsoleMessage, Error, Page, Request, Response

# Of all pages of the test that is running.
found: list[str] = []
# What the API refuses is an answer, and part of the tests; so is a file that nobody waits for any more.
REFUSED = "Failed to load resource"
LEFT = "net::ERR_ABORTED"
# What a busy server says on purpose; the page asks again.
LATER = 503


def watch(page: Page, but_for: str = "") -> None:
    """Look at what this page does from now on; `but_for` is what it may do (a regular expression)."""

    def fault(text: str) -> None:
        if but_for and re.search(but_for, text):
            return
        found.append(text)
        page.close()

    def page_error(error: Error) -> None:
        fault(f"{error.message}\n{error.stack or ''}")

    def console(message: ConsoleMessage) -> None:
        if message.type == "error" and REFUSED not in message.text:
            fault(message.text)

    def failed(request: Request) -> None:
        if request.failure != LEFT:
            fault(f"{request.method} {request.url}: {request.failure}")

    def answered(response: Response) -> None:
        wrong = 400 if "/static/" in response.url else 500
        if response.status >= wrong and response.status != LATER:
            fault(f"{response.request.method} {response.url}: {response.status}")

    page.on("pageerror", page_error)
    page.on("console", console)
    page.on("requestfailed", failed)
    page.on("response", answered)
