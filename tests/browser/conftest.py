"""Driving the page in Chromium: a `Driver` knows how to open a cluster of its own and where things are."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Locator, Page, Response, expect

from tests.services import Playground

expect.set_options(timeout=15_000)

# What the page itself uses to write: its own client, so that the token and the base path are the page's business.
CREATE = "async (wish) => (await (await import('/static/js/api.js')).post('clusters/', wish)).id"
POST = "async ([path, body]) => (await import('/static/js/api.js')).post(path, body)"
# Everything since the first cluster that a test made: its branches too, which have to go before what they come from.
LEAVE = """async (first) => {
  const token = document.cookie.match(/csrftoken=([^;]+)/)[1];
  const all = await (await fetch('/api/v1/clusters/')).json();
  const made = all.map((cluster) => cluster.id).filter((id) => id >= first).sort((a, b) => b - a);
  for (const id of made) await fetch(`/api/v1/clusters/${id}/`, {method: 'DELETE', headers: {'X-CSRFToken': token}});
}"""
GET = "async (path) => (await import('/static/js/api.js')).get(path)"


class Driver:
    """One page on one playground. What the page writes to its console as an error fails the test at its end."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.faults: list[str] = []
        self.first_made: int | None = None
        page.on("pageerror", self._page_error)
        page.on("console", self._console)

    def _page_error(self, error: Error) -> None:
        self.faults.append(f"{error.message}\n{error.stack or ''}")

    def _console(self, message: ConsoleMessage) -> None:
        # Refused requests are part of the tests; the page's own words are not.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(message.text)

    def create(self, example: str | None = "nearly-full", name: str = "test", seed: int = 42) -> int:
        """Make a cluster of an example, or an empty one; its number."""
        if not self.page.url.startswith(self.url):
            self.page.goto(self.url)
        wish = {"name": name, "seed": seed} | ({"example": example} if example else {})
        made = int(self.page.evaluate(CREATE, wish))
        self.first_made = self.first_made or made
        return made

    def leave(self) -> None:
        """Delete the clusters of this test: a user may have only so many, and all tests are one user."""
        if self.first_made is not None:
            if not self.page.url.startswith(self.url):
                self.page.goto(self.url)
            self.page.evaluate(LEAVE, self.first_made)

    def post(self, path: str, body: Any) -> Any:
        return self.page.evaluate(POST, [path, body])

    def get(self, path: str) -> Any:
        return self.page.evaluate(GET, path)

    def show(self, cluster: int, moment: str = "") -> None:
        """Open a cluster; `moment` is the rest of the address, such as "&t=3.1"."""
        self.page.goto(f"{self.url}/?cluster={cluster}{moment}")
        expect(self.page.get_by_role("button", name="Play")).to_be_enabled()

    def open(self, example: str | None = "nearly-full") -> int:
        cluster = self.create(example)
        self.show(cluster)
        return cluster

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def cycle(self, number: int) -> None:
        """Wait until this cycle is on the screen."""
        expect(self.page.locator("#cycle-title")).to_have_text(f"Cycle {number}")

    def next_cycle(self, number: int) -> None:
        self.press("]")
        self.cycle(number)

    def node(self, name: str) -> Locator:
        return self.page.locator(f".node[data-node={name}]")

    def lane(self, lane: str) -> Locator:
        return self.page.locator(f"[data-lane={lane}]")

    def step(self) -> int:
        """The step in view, as the pipeline says it."""
        text = self.page.locator(".pipeline .head .about").last.inner_text()
        return int(text.split()[1])


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


# The first-run tour has a test of its own; everywhere else it has been seen.
SEEN = "localStorage.getItem('playground.tour') ?? localStorage.setItem('playground.tour', 'true')"


@pytest.fixture
def context(context: BrowserContext) -> BrowserContext:
    context.add_init_script(SEEN)
    return context


@pytest.fixture
def drive(page: Page) -> Iterator[Callable[[Playground], Driver]]:
    """`drive(playground)`: a driver for this test's page."""
    drivers: list[Driver] = []

    def make(playground: Playground) -> Driver:
        drivers.append(Driver(page, playground.url))
        return drivers[-1]

    yield make
    for driver in drivers:
        assert driver.faults == []


@pytest.fixture
def driver(drive: Callable[[Playground], Driver], playground_server: Playground) -> Iterator[Driver]:
    """A driver on the playground that the session shares. A test makes clusters of its own there, and leaves none."""
    made = drive(playground_server)
    yield made
    # What the page says of its cluster's end is nobody's fault.
    faults = list(made.faults)
    made.leave()
    made.faults[:] = faults


@pytest.fixture
def second_page(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[Callable[..., Page]]:
    """`second_page(color_scheme="dark", …)`: another page with settings of its own."""
    contexts: list[BrowserContext] = []

    def make(**settings: Any) -> Page:
        contexts.append(browser.new_context(**{**browser_context_args, **settings}))
        contexts[-1].add_init_script(SEEN)
        return contexts[-1].new_page()

    yield make
    for context in contexts:
        context.close()


def is_command(response: Response) -> bool:
    return response.url.endswith("/commands/") and response.request.method == "POST"
