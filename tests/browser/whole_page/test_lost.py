"""What stands in the way is said, and nothing is lost: a worker killed in a run, a connection that breaks."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from playwright.sync_api import Route, WebSocketRoute, expect

from tests.browser.conftest import Driver
from tests.browser.driver import Answers
from tests.operations.manage import manage
from tests.services import Playground, run_playground, wait_for


def test_a_killed_worker_is_said_and_the_run_goes_on(
    drive: Callable[[Playground], Driver], start_playground: Callable[..., Playground]
) -> None:
    playground = start_playground(LEASE_SECONDS="6")
    driver = drive(playground)
    cluster = driver.open("gpu-pool")
    driver.page.get_by_label("Playback speed").select_option("1")
    driver.press("Space")
    # On a busy machine the page may go from the first cycle to the third.
    expect(driver.page.locator("#cycle-title")).to_have_text(re.compile(r"Cycle [2-9]$"))
    worker = wait_for(playground.worker, "the worker")
    for process in [*worker.children(recursive=True), worker]:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    banner = driver.page.locator("[data-banner=worker-lost]")
    expect(banner).to_contain_text(re.compile(r"The worker stopped\.\s*Another takes over in \d+ s; nothing is lost\."))
    expect(driver.page.locator(".where")).to_contain_text("cycle 16 / 16", timeout=60_000)
    expect(banner).to_have_count(0)
    cycles = driver.get(f"clusters/{cluster}/cycles/")
    bound = [pod for pod, node in zip(cycles["pod"], cycles["node"], strict=True) if node]
    assert len(bound) == len(set(bound)) == 13


def test_a_lost_connection_is_said_and_caught_up(driver: Driver) -> None:
    sockets: list[WebSocketRoute] = []
    broken = False

    def route(socket: WebSocketRoute) -> None:
        if broken:
            socket.close()
            return
        socket.connect_to_server()
        sockets.append(socket)

    driver.page.route_web_socket(re.compile("/ws/clusters/"), route)
    cluster = driver.open("three-zones")
    driver.next_cycle(1)
    driver.next_cycle(2)
    broken = True
    sockets[-1].close()
    banner = driver.page.locator(".banner", has_text="Reconnecting…")
    expect(banner).to_contain_text("You can still step through recorded cycles.")
    driver.press("[")
    driver.cycle(1)
    driver.press("End", "]")
    expect(driver.page.locator(".notice")).to_contain_text("the next cycle needs the server")
    # Somebody else schedules two pods meanwhile.
    for _ in range(2):
        driver.post(f"clusters/{cluster}/commands/", {"kind": "schedule_one"})
    broken = False
    expect(banner).to_have_count(0, timeout=30_000)
    driver.cycle(4)
    expect(driver.page.locator(".where")).to_contain_text("cycle 4 / 4")


def test_a_restored_backup_is_followed(drive: Callable[[Playground], Driver], tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "backup.gz"
    settings = {"DATA_DIR": str(data), "REDIS_URL": ""}
    stopped = False

    def route_socket(socket: WebSocketRoute) -> None:
        if stopped:
            socket.close()
        else:
            socket.connect_to_server()

    def route(request: Route) -> None:
        # A request that fails otherwise is a fault of the page.
        if stopped:
            request.abort("aborted")
        else:
            request.continue_()

    with run_playground(data) as playground:
        port = urlsplit(playground.url).port
        driver = drive(playground)
        answers = Answers(driver.page)
        driver.page.route_web_socket(re.compile("/ws/clusters/"), route_socket)
        driver.page.route(re.compile("/api/"), route)
        driver.open("three-zones")
        driver.next_cycle(1)
        manage("backup", str(file), **settings)
        driver.next_cycle(2)
        driver.next_cycle(3)
        answers.settle()
        stopped = True
    expect(driver.page.locator(".banner", has_text="Reconnecting…")).to_be_visible()
    manage("restore", str(file), "--replace", **settings)
    with run_playground(data, {"PORT": str(port)}):
        stopped = False
        expect(driver.page.locator(".notice")).to_contain_text(
            "The operator restored an earlier state of this cluster."
        )
        expect(driver.page.locator(".where")).to_contain_text("cycle 1 / 1")
        driver.next_cycle(2)
        expect(driver.page.locator(".where")).to_contain_text("cycle 2 / 2")
        driver.page.close()


# The time is over at once.
NEVER_ANSWERED = """async () => {
  const whole = AbortSignal.timeout;
  AbortSignal.timeout = () => AbortSignal.abort(new DOMException('', 'TimeoutError'));
  const {get, post} = await import('/static/js/base/api.js');
  const told = (request) => request.then(() => '', (error) => `${error.status} ${error.message}`);
  const asked = [told(get('clusters/', new AbortController().signal)), told(post('clusters/'))];
  AbortSignal.timeout = whole;
  return Promise.all(asked);
}"""


def test_nobody_waits_for_ever(driver: Driver) -> None:
    driver.open(None)
    said = "0 The server did not respond within {} s."
    assert driver.page.evaluate(NEVER_ANSWERED) == [said.format(60), said.format(300)]
