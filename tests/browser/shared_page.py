"""A page that many tests use one after another: each gets its cluster, and the page in its initial state.

A test has a cluster of its own, unless it only reads one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page

from tests.browser import faults
from tests.browser.driver import Driver, forget

PREFERENCES = """async () => {
  const {preferences} = await import('/static/js/base/preferences.js');
  return Object.entries(preferences).map(([name, one]) => [name, one.value]);
}"""
# What is remembered and which tab is open are as on the first visit; then the address, as when one goes back to it.
OPEN = """async ([preferred, cluster, address]) => {
  const {preferences} = await import('/static/js/base/preferences.js');
  const {store} = await import('/static/js/base/store.js');
  store.side.value = 'why';
  store.panel.value = 'cluster';
  store.filter.value = '';
  store.notices.value = [];
  for (const [name, value] of preferred)
    if (JSON.stringify(preferences[name].value) !== JSON.stringify(value)) preferences[name].value = value;
  document.activeElement.blur();
  // What hangs on which cluster is open begins anew, also with the same one.
  const open = store.cluster.value;
  store.cluster.value = null;
  store.cluster.value = open;
  history.pushState(null, '', address);
  dispatchEvent(new PopStateEvent('popstate'));
  while (store.cluster.value?.id !== cluster) await new Promise((done) => setTimeout(done, 10));
}"""
# What is not taken back like that: another address or language, a class, how one looks at the profile, whatever Escape
# did not close.
LEFT = "dialog, .menu-panel, .tour-bubble, .class-bar, .class-panel, .difference, .lesson, .profile"
CHANGED = """(left) => location.pathname !== '/' || document.documentElement.lang !== 'en' ||
  document.querySelector(left) !== null"""


class Stage(Driver):
    """A page that shows cluster after cluster. It is replaced after a failure, or a change that it can't undo."""

    def __init__(self, page: Page, url: str) -> None:
        super().__init__(page, url)
        self._preferred: list[Any] = []
        self._viewport = page.viewport_size
        self._must_load = True
        self._used: list[int] = []
        # What is only looked at, by example and cycles: its number, and how it was before anybody did.
        self._looked_at: dict[tuple[str, int], tuple[int, Any]] = {}
        self._in_view: set[tuple[str, int]] = set()

    @contextmanager
    def turn(self) -> Iterator[Driver]:
        """Provide the page for one test; the next one deletes the clusters that remain."""
        # Now, so that a test has the same page from its beginning to its end.
        if self._must_load or self._is_changed():
            self._renew()
        self._in_view.clear()
        try:
            yield self
            for number, was in map(self._looked_at.__getitem__, self._in_view):
                assert self._told(number) == was, "more than looked at"
            kept = {number for number, _ in self._looked_at.values()}
            self._used = [one for one in self.made() if one not in kept]
        except BaseException:
            self.spoil()
            raise
        finally:
            self._give_back()

    def look(self, example: str, cycles: int = 0, moment: str = "") -> int:
        """Return one cluster for all tests that don't change it, which is checked at their end."""
        wanted = example, cycles
        if wanted not in self._looked_at:
            made = self.prepare(example, cycles)
            self._looked_at[wanted] = made, self._told(made)
        self._in_view.add(wanted)
        cluster, _ = self._looked_at[wanted]
        self.show(cluster, moment or (f"&t={cycles}" if cycles else ""))
        return cluster

    def _told(self, cluster: int) -> dict[str, Any]:
        """Return the API's data of the cluster, without the current worker, which may change after the work."""
        return {name: value for name, value in self.get(f"clusters/{cluster}/").items() if name != "lease"}

    def spoil(self) -> None:
        """Discard the page and the read-only clusters; the next test gets new ones."""
        self._must_load = True
        self._looked_at.clear()

    def _give_back(self) -> None:
        """Undo the test's settings of the browser."""
        if self.page.is_closed():
            return
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.emulate_media(color_scheme="light")
        if self._viewport and self.page.viewport_size != self._viewport:
            self.page.set_viewport_size(self._viewport)

    def show(self, cluster: int, moment: str = "") -> None:
        if self._must_load or self._is_changed():
            super().show(cluster, moment)
            self._must_load = False
            if not self._preferred:
                preferred = self.page.evaluate(PREFERENCES)
                self._preferred = [[name, value] for name, value in preferred if name != "lastCluster"]
        else:
            self.page.evaluate(OPEN, [self._preferred, cluster, f"/?cluster={cluster}{moment}"])
            self.arrive()
        self.delete(self._used)
        self._used = []

    def _is_changed(self) -> bool:
        self.press("Escape", "Escape")
        return bool(self.page.evaluate(CHANGED, LEFT))

    def _renew(self) -> None:
        # What was left half-done, in the page before, is nobody's fault.
        left, self.page = self.page, self.page.context.new_page()
        left.close()
        faults.watch(self.page)
        forget(self.page, self.url)
        self._must_load = True
