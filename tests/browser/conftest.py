"""A browser, contexts, pages and drivers for the tests of the page."""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from tests.browser import faults
from tests.browser.driver import Driver, forget
from tests.browser.shared_page import Stage
from tests.services import Playground

# On a machine that is busy with other things, everything takes its time; what is there is seen at once all the same.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


# The opening has tests of its own; everywhere else somebody has taken the controls before.
# A document that may remember nothing, such as a frame's that has not loaded yet, has no opening.
SEEN = """try {
  localStorage.getItem('playground.controls') ?? localStorage.setItem('playground.controls', 'true');
} catch {}"""


@pytest.fixture(scope="session")
def shared_context(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """Return one context for a session: its tests share the cache of the page's hundred scripts, and nothing else."""
    made = browser.new_context(**browser_context_args)
    made.add_init_script(SEEN)
    yield made
    made.close()


@pytest.fixture
def context(shared_context: BrowserContext) -> Iterator[BrowserContext]:
    """Return the session's context without a page; `drive` clears the browser's stored data of a playground."""
    yield shared_context
    for page in shared_context.pages:
        page.close()


@pytest.fixture
def drive(start_playground: Callable[..., Playground], page: Page) -> Iterator[Callable[[Playground], Driver]]:
    """Return a function that makes a driver for this test's page.

    The page closes before a playground of the test's own ends.
    """

    def make(playground: Playground) -> Driver:
        forget(page, playground.url)
        return Driver(page, playground.url)

    yield make
    page.close()


# ── faults of a page are failures of its test ──


def blamed() -> Generator[None, Any, Any]:
    """Run a part of a test; a fault of one of its pages fails it, whatever else happened."""
    __tracebackhide__ = True
    try:
        done = yield
    except BaseException as error:
        if faults.found:
            raise AssertionError("the page: " + "\n".join(faults.found)) from error
        raise
    assert not faults.found, "the page: " + "\n".join(faults.found)
    return done


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, Any, Any]:
    faults.found.clear()
    return (yield from blamed())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    return (yield from blamed())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, Any, Any]:
    # What the test itself was told is not told again.
    faults.found.clear()
    return (yield from blamed())


# Whether a test has failed, kept with it for its fixtures.
FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[FAILED] = report.failed or (report.when != "setup" and item.stash[FAILED])
    return report


@pytest.fixture
def driver(request: pytest.FixtureRequest, browser: Browser, playground_server: Playground) -> Iterator[Driver]:
    """Return a driver on the session's shared playground. A test creates clusters there, and deletes all of them.

    Tests of a file that are marked `one_page` share a page.
    """
    if request.node.get_closest_marker("one_page"):
        stage: Stage = request.getfixturevalue("stage")
        with stage.turn() as driver:
            yield driver
            if request.node.stash[FAILED]:
                stage.spoil()
        return
    made = request.getfixturevalue("drive")(playground_server)
    yield made
    made.leave()


class Contexts:
    """Browser contexts for pages of their own. A returned context has nothing stored but the page's files."""

    def __init__(self, browser: Browser, settings: dict[str, Any]) -> None:
        self._browser, self._settings = browser, settings
        self._spare: dict[str, list[BrowserContext]] = defaultdict(list)

    @contextmanager
    def lend(self, url: str, **settings: Any) -> Iterator[Page]:
        """Return a page of a context with these settings and the common ones.

        `url` is the playground that it may open.
        """
        spare = self._spare[repr(settings)]
        if not spare:
            spare.append(self._browser.new_context(**{**self._settings, **settings}))
            spare[0].add_init_script(SEEN)
        context = spare.pop()
        page = context.new_page()
        yield page
        for left in context.pages:
            left.close()
        blank = context.new_page()
        forget(blank, url)
        blank.close()
        spare.append(context)


@pytest.fixture(scope="session")
def contexts(browser: Browser, browser_context_args: dict[str, Any]) -> Contexts:
    return Contexts(browser, browser_context_args)


@pytest.fixture(scope="module")
def stage(contexts: Contexts, playground_server: Playground) -> Iterator[Stage]:
    """Return one page for a module's tests, one after another, if they need no page of their own."""
    with contexts.lend(playground_server.url) as page:
        made = Stage(page, playground_server.url)
        yield made
        made.delete(made.made())


@pytest.fixture
def second_page(contexts: Contexts, playground_server: Playground) -> Iterator[Callable[..., Page]]:
    """Return a function that opens another page with settings of its own; `but_for` as in `faults.watch`."""
    with ExitStack() as stack:

        def make(but_for: str = "", **settings: Any) -> Page:
            page = stack.enter_context(contexts.lend(playground_server.url, **settings))
            faults.watch(page, but_for)
            return page

        yield make


def is_command(request: Request) -> bool:
    return request.url.endswith("/commands/") and request.method == "POST"
