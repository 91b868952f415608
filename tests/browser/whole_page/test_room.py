"""Nothing lies over what is edited or pressed, and names have room."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver
from tests.browser.driver import settle

pytestmark = pytest.mark.one_page

SIZES = [(1440, 900), (1024, 768), (390, 844)]
NOTICE = """(text) => import('/static/js/base/notices.js')
  .then(({notify}) => notify(text, {tone: 'error', action: {label: 'Undo', run() {}}}))"""
# What lies over the middle of an element: null where it is itself to be seen and pressed.
OVER = """(one) => {
  const box = one.getBoundingClientRect();
  const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return top === one || one.contains(top) || top?.contains(one) ? null : (top?.outerHTML ?? 'nothing').slice(0, 80);
}"""
# The buttons that are in sight: what is scrolled out of its box is not.
COVERED = """(mayScroll) => {
  const over = [];
  for (const one of document.querySelectorAll('button:not(.notices *), select, input')) {
    const box = one.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    if (!box.width || !one.checkVisibility() || x < 0 || y < 0 || x > innerWidth || y > innerHeight) continue;
    const top = document.elementFromPoint(x, y);
    if (!top?.closest('.notices')) continue;
    if (mayScroll) {
      one.scrollIntoView({block: 'center'});
      const now = one.getBoundingClientRect();
      if (!document.elementFromPoint(now.left + now.width / 2, now.top + now.height / 2)?.closest('.notices')) continue;
    }
    over.push(one.getAttribute('aria-label') ?? one.textContent);
  }
  return over;
}"""


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_what_is_edited_stays_in_sight(driver: Driver, width: int, height: int) -> None:
    driver.page.set_viewport_size({"width": width, "height": height})
    driver.open("three-zones")
    driver.next_cycle(1)
    driver.press("e")
    fields = driver.page.locator(".profile input[type=number]:visible")
    expect(fields.first).to_be_visible()
    count = fields.count()
    assert count > 4
    over: list[Any] = []
    for index in (0, count // 2, count - 1):
        field = fields.nth(index)
        field.focus()
        field.fill("7")
        # With the first answer the live re-run comes up under the form, and takes its room.
        expect(driver.page.locator(".effect[data-state=there]")).to_be_visible()
        settle(driver.page)
        over.append(field.evaluate(OVER))
    assert over == [None, None, None]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_notice_covers_no_button_of_the_profile(driver: Driver, width: int, height: int) -> None:
    driver.page.set_viewport_size({"width": width, "height": height})
    driver.open("three-zones")
    driver.next_cycle(1)
    driver.press("e")
    weight = driver.page.locator(".profile input[type=number]:visible").first
    weight.fill("9")
    expect(driver.page.locator(".effect[data-state=there]")).to_be_visible()
    driver.page.evaluate(
        NOTICE, "The profile has problems and was not applied. Version 1 stays in use. Fix them first."
    )
    expect(driver.page.locator(".notice")).to_be_visible()
    settle(driver.page)
    apply = driver.page.get_by_role("button", name="Apply", exact=True)
    apply.scroll_into_view_if_needed()
    # A phone has no room beside it: there what lies under it can be scrolled away from there.
    assert driver.page.evaluate(COVERED, width < 900) == []
    apply.scroll_into_view_if_needed()
    assert apply.evaluate(OVER) is None


@pytest.mark.parametrize("name", ["Three zones", "imported cluster", "imported production cluster!"])
def test_a_name_has_room(driver: Driver, name: str) -> None:
    driver.page.set_viewport_size({"width": 1440, "height": 900})
    driver.show(driver.create("three-zones", name=name))
    driver.next_cycle(1)
    shown = driver.page.locator(".top .cluster-name")
    expect(shown).to_have_text(name)
    # The worker stands beside it.
    expect(driver.page.locator(".top .fact .dot")).to_be_visible()
    widths = driver.page.evaluate("""() => {
      const name = document.querySelector('.top .cluster-name');
      const header = document.querySelector('.top');
      return [name.scrollWidth - name.clientWidth, header.scrollWidth - header.clientWidth];
    }""")
    assert widths == [0, 0]
