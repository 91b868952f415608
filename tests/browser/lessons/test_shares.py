"""A moment is shared, opened by somebody without an account, tried; an embed keeps its address and its peace."""

import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Driver
from tests.browser.driver import SETTLE, Answers, outlast
from tests.browser.whole_page.test_accessible import violations
from tests.core.controllers.chaos import workload
from tests.web import node

pytestmark = pytest.mark.one_page

SHARE = "async ([path, body]) => (await import('/static/js/base/api.js')).post(path, body)"


def share(driver: Driver, cluster: int, **cursor: object) -> str:
    made = driver.page.evaluate(SHARE, [f"clusters/{cluster}/shares/", {"cursor": cursor}])
    return str(made["path"])


def test_share_open_and_try(driver: Driver, second_page: Callable[..., Page]) -> None:
    cluster = driver.open("three-zones")
    for number in (1, 2, 3):
        driver.next_cycle(number)
    driver.press("[")
    driver.cycle(2)
    driver.page.get_by_role("button", name="Share", exact=True).click()
    dialog = driver.page.get_by_role("dialog", name="Share a snapshot")
    expect(dialog.get_by_text("emulates v1.36.3")).to_be_visible()
    link = dialog.get_by_label("Link").input_value()
    assert re.fullmatch(rf"{re.escape(driver.url)}/s/#1\.[\w-]+", link)
    assert violations(driver.page) == []
    assert dialog.get_by_label("Code to embed").input_value().startswith(f'<iframe src="{driver.url}/s/?embed=1#1.')
    driver.press("Escape")

    page = second_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(link)
    expect(page.locator("#cycle-title")).to_have_text("Cycle 2")
    assert violations(page) == []
    # Nothing of the moment is in any request's address.
    assert all("1.3" not in url.partition("#")[0] for url in asked)
    page.keyboard.press("]")
    expect(page.locator("#cycle-title")).to_have_text("Cycle 3")
    assert page.url == link
    # At the end there is nothing to go on with, and no key changes anything.
    page.keyboard.press("]")
    expect(page.get_by_text("This is a shared snapshot")).to_be_visible()
    for key in ("f", "u", "n", "i", "d"):
        page.keyboard.press(key)
    expect(page.locator("dialog")).to_have_count(0)
    # The profile is what really runs, without anything to edit.
    page.keyboard.press("e")
    expect(page.locator(".effective")).to_contain_text("NodeResourcesFit")
    expect(page.locator(".profile").get_by_role("button", name="Apply")).to_have_count(0)
    page.get_by_role("button", name="Try it yourself").first.click()
    expect(page).to_have_url(re.compile(rf"{re.escape(driver.url)}/\?cluster=\d+&t=2\.\d+"))
    expect(page.locator("#cycle-title")).to_have_text("Cycle 2")
    expect(page.get_by_role("button", name="Export")).to_be_visible()
    own = int(re.findall(r"cluster=(\d+)", page.url)[0])
    assert own != cluster
    driver.first_made = min(cluster, own)


@pytest.fixture
def other_site() -> Iterator[Callable[[str], str]]:
    """`other_site(html)`: the address of a page of another origin."""
    pages: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages[-1].encode())

        def log_message(self, *arguments: object) -> None:
            """The test's output is not a log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()

    def serve(html: str) -> str:
        pages.append(html)
        return f"http://localhost:{server.server_port}/"

    yield serve
    server.shutdown()
    server.server_close()


def test_an_embed_is_still_until_it_is_clicked(
    driver: Driver, second_page: Callable[..., Page], other_site: Callable[[str], str]
) -> None:
    cluster = driver.open("three-zones")
    for number in (1, 2):
        driver.next_cycle(number)
    path = share(driver, cluster, cycle=1).replace("/s/", "/s/?embed=1")
    page = second_page()
    page.goto(other_site(f'<iframe src="{driver.url}{path}" width="1200" height="700" title="moment"></iframe>'))
    frame = page.frame_locator("iframe")
    expect(frame.locator("#cycle-title")).to_have_text("Cycle 1")
    # What is under the cover cannot be reached.
    expect(frame.locator(".app")).to_have_attribute("inert", "")
    frame.get_by_role("button", name="Click to step").click()
    frame.get_by_role("button", name="Cycle", exact=True).click()
    expect(frame.locator("#cycle-title")).to_have_text("Cycle 2")
    frame.locator(".node").first.click()
    outlast(page.frames[1], SETTLE)
    assert page.frames[1].url == f"{driver.url}{path}"
    assert page.frames[1].evaluate("document.cookie") == ""
    expect(frame.get_by_role("link", name="Open and try it")).to_have_attribute("target", "_blank")
    assert page.context.cookies(driver.url) == []


def test_other_sites_cannot_frame_the_playground(
    driver: Driver, second_page: Callable[..., Page], other_site: Callable[[str], str]
) -> None:
    cluster = driver.open("three-zones")
    path = share(driver, cluster)
    page = second_page(but_for="ERR_BLOCKED_BY_RESPONSE|frame-ancestors 'none'")
    for target in ("/", path, "/?embed=1"):
        page.goto(other_site(f'<iframe src="{driver.url}{target}" title="x"></iframe>'))
        # The frame's own error page may come after the page that holds it.
        page.frames[1].wait_for_url(re.compile("^chrome-error:"))


def test_a_broken_link_says_what_is_wrong(driver: Driver) -> None:
    driver.page.goto(f"{driver.url}/s/#1.abcdef")
    expect(driver.page.get_by_role("heading", name="This snapshot cannot be opened")).to_be_visible()
    expect(driver.page.get_by_text("is damaged")).to_be_visible()
    driver.page.goto(f"{driver.url}/s/nothing-here/")
    expect(driver.page.get_by_text("This snapshot does not exist")).to_be_visible()


def test_a_shared_moment_of_a_living_cluster_asks_for_nothing_in_vain(
    driver: Driver, second_page: Callable[..., Page]
) -> None:
    cluster = driver.prepare_living([node("a"), workload("Deployment", "web", replicas=2)], seconds=60)
    driver.show(cluster)
    page = second_page()
    refused: list[str] = []
    page.on("response", lambda one: refused.append(one.url) if one.status == 403 else None)
    answers = Answers(page)
    page.goto(driver.url + share(driver, cluster, cycle=2))
    expect(page.locator("#cycle-title")).to_have_text("Cycle 2")
    answers.settle()
    assert refused == []
    expect(page.locator(".notice")).to_have_count(0)
