"""Control of the page in Chromium: a `Driver` opens a cluster of its own and finds the page's parts."""

import time
from typing import Any

from playwright.sync_api import Frame, Locator, Page, Request, expect

from tests.browser import faults
from tests.services import wait_for


def forget(page: Page, url: str) -> None:
    """Delete the browser's stored data of the playground at `url`, but for its files."""
    session = page.context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
    session.detach()
    page.context.clear_cookies()


# After so many ms without a change the page writes its address (static/js/shell/address_sync.js).
SETTLE = 250
# A cluster with cycles shows one of them; its record and matrix come after the cluster itself.
ARRIVED = """async () => {
  const {store} = await import('/static/js/base/store.js');
  while (store.history.value.pod.length && !store.shown.value) await new Promise(requestAnimationFrame);
}"""
CURRENT = "async () => (await import('/static/js/base/store.js')).store.cluster.value.id"
# Two frames in a row that nothing has changed in; then nothing fades or moves but what does so for ever.
STILL = """(patience) => new Promise((done, fail) => {
  let still = 0;
  let last = null;
  const until = performance.now() + patience;
  const watcher = new MutationObserver((changes) => {
    still = 0;
    last = changes.at(-1).target;
  });
  watcher.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  const moves = (one) => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity;
  const end = (how) => {
    watcher.disconnect();
    how();
  };
  const look = () => {
    const moving = document.getAnimations().find(moves);
    still = moving ? 0 : still + 1;
    if (still >= 3) return end(done);
    if (performance.now() < until) return void requestAnimationFrame(look);
    const what = moving?.effect.target ?? last;
    end(() => fail(new Error(`the page is never still: ${(what?.outerHTML ?? what?.data ?? '').slice(0, 200)}`)));
  };
  requestAnimationFrame(look);
})"""
PATIENCE = 60.0


def settle(page: Page) -> None:
    """Wait until everything requested is drawn, and no longer moves."""
    page.evaluate(STILL, PATIENCE * 1000)


class Answers:
    """The page's requests without an answer yet; streams do not count."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        page.on("request", lambda one: self._open.add(one))
        # One that began before this was looked at ends, too.
        page.on("requestfinished", lambda one: self._open.discard(one))
        page.on("requestfailed", lambda one: self._open.discard(one))

    def settle(self) -> None:
        """Wait until every answer is received and drawn. Raises AssertionError with the missing ones."""
        until = time.monotonic() + PATIENCE
        settle(self._page)
        while self._open:
            assert time.monotonic() < until, f"no answer: {', '.join(sorted(one.url for one in self._open))}"
            settle(self._page)


def outlast(page: Page | Frame, ms: int) -> None:
    """Wait until every current timer of the page of up to so many ms has run.

    For effects that must not occur: however slow the machine is, the timers have run then.
    """
    page.evaluate("(ms) => new Promise((done) => setTimeout(done, ms + 1))", ms)


class Driver:
    """One page on one playground. An error of the page fails the test at once."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.request = page.context.request
        self.first_made: int | None = None
        faults.watch(page)

    def create(self, example: str | None = "nearly-full", name: str = "test", seed: int = 42) -> int:
        """Create a cluster of an example, or an empty one; return its number. No page is needed."""
        wish = {"name": name, "seed": seed} | ({"example": example} if example else {})
        answer = self.post("clusters/", wish)
        made = int(answer["id"])
        if answer["name"] != name:
            # That of the test before is still there, so this one got a number.
            self.call("PATCH", f"clusters/{made}/", {"name": name})
        self.first_made = self.first_made or made
        # An example's objects are commands, which a worker applies.
        wait_for(lambda: self.get(f"clusters/{made}/")["state"] == "idle", f"the objects of {example}")
        return made

    def prepare(self, example: str, cycles: int) -> int:
        """Create a cluster of an example and run so many cycles; return its number."""
        made = self.create(example)
        if cycles:
            self.run(made, {"cycles": cycles})
        return made

    def prepare_living(self, objects: list[dict[str, Any]], seconds: int) -> int:
        """Create a cluster of these objects, and let its controllers run for so long in virtual time.

        Return its number.
        """
        made = self.create(None)
        self.post(f"clusters/{made}/commands/", {"kind": "create", "objects": objects})
        self.post(f"clusters/{made}/commands/", {"kind": "set_actors", "actors": "all"})
        self.run(made, {"seconds": seconds})
        return made

    def run(self, cluster: int, until: dict[str, int] | str) -> None:
        """Run a cluster, and wait for the end."""
        run = self.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": until})
        path = f"clusters/{cluster}/commands/{run['number']}/"
        wait_for(lambda: self.get(path)["state"] == "done", f"a run until {until}")

    def leave(self) -> None:
        """Delete the clusters of this test, because all tests are one user with a limited number."""
        # The page does not have to see its cluster go.
        self.page.close()
        self.delete(self.made())

    def made(self) -> list[int]:
        """Return the clusters created since this driver's first; branches before their origins."""
        first = self.first_made
        found = [] if first is None else [one["id"] for one in self.get("clusters/") if one["id"] >= first]
        return sorted(found, reverse=True)

    def delete(self, clusters: list[int]) -> None:
        for cluster in clusters:
            self.call("DELETE", f"clusters/{cluster}/")

    def post(self, path: str, body: Any) -> Any:
        return self.call("POST", path, body)

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call the API as this page's user; return the JSON."""
        # A connection that has been idle may be closed by the server in the moment in which it is used again.
        headers = {"Connection": "close"}
        if method != "GET":
            headers["X-CSRFToken"] = self._csrf_token()
        answer = self.request.fetch(f"{self.url}/api/v1/{path}", method=method, data=body, headers=headers)
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json() if answer.status != 204 else None

    def _csrf_token(self) -> str:
        for _ in range(2):
            for cookie in self.page.context.cookies(self.url):
                if cookie.get("name") == "csrftoken":
                    return str(cookie.get("value"))
            self.request.get(self.url)
        raise AssertionError("the page gives no CSRF token")

    def show(self, cluster: int, moment: str = "") -> None:
        """Open a cluster; `moment` is the rest of the address, such as "&t=3.1"."""
        self.page.goto(f"{self.url}/?cluster={cluster}{moment}")
        self.arrive()

    def arrive(self) -> None:
        """Wait until the cluster is shown, and its cycle in view if it has one."""
        expect(self.page.get_by_role("button", name="Play")).to_be_enabled()
        self.page.evaluate(ARRIVED)

    def current(self) -> int:
        """Return the number of the cluster that the page shows; the address may follow later."""
        number: int = self.page.evaluate(CURRENT)
        return number

    def open(self, example: str | None = "nearly-full") -> int:
        cluster = self.create(example)
        self.show(cluster)
        return cluster

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def close_dialog(self) -> None:
        """Close the dialog with Escape. The browser reports this in a later task, so wait for it."""
        self.press("Escape")
        expect(self.page.locator("dialog")).to_have_count(0)

    def write(self, editor: Locator, text: str) -> None:
        """Replace all of the editor's text."""
        editor.click()
        self.press("ControlOrMeta+A", "Delete")
        expect(editor).to_have_text("")
        self.page.keyboard.insert_text(text)

    def look(self, example: str, cycles: int = 0, moment: str = "") -> int:
        """Open a cluster of this example after so many cycles, which the test doesn't change; return its number."""
        cluster = self.prepare(example, cycles)
        self.show(cluster, moment or (f"&t={cycles}" if cycles else ""))
        return cluster

    def open_palette(self, key: str = "Control+k") -> None:
        self.press(key)
        expect(self.page.locator(".palette input")).to_be_focused()

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
        """Return the step in view, as the pipeline names it."""
        text = self.page.locator(".pipeline .head .about").last.inner_text()
        return int(text.split()[1])
