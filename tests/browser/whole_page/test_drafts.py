"""A language switch keeps what is being written and picked, beside the moment; and only that switch does."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Driver
from tests.browser.lessons.classes import join, open_class
from tests.browser.profile.test_profile import PROFILE, write

pytestmark = pytest.mark.one_page

LENGTHEN = "async () => (await import('/static/js/profile/profile_actions.js')).editProfile('#' + 'x'.repeat(600000))"
KEPT = "sessionStorage.getItem('playground.drafts')"


def speak(page: Page, name: str) -> None:
    page.locator(".languages > button").click()
    page.get_by_role("button", name=name).click()


def test_the_draft_of_a_profile(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.press("e")
    write(driver, PROFILE.format(plugin="NodeResourcesFit"))
    page = driver.page
    expect(page.get_by_role("button", name="Apply")).to_be_enabled()
    page.get_by_label("Why: a note").fill("because 因为")
    page.locator("#matrix-filter").fill("worker")
    speak(page, "한국어")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.locator(".profile .cm-content")).to_contain_text("weight: 5")
    expect(page.locator(".profile-foot input")).to_have_value("because 因为")
    expect(page.locator("#matrix-filter")).to_have_value("worker")
    assert page.evaluate(KEPT) is None
    # Once more, from a page that has it from the page before; then it is applied as if nothing had been.
    speak(page, "English")
    expect(page.locator(".profile .cm-content")).to_contain_text("weight: 5")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".profile-verdict")).to_contain_text("version 2 is in use")
    speak(page, "简体中文")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page.locator(".profile-foot .primary")).to_be_disabled()
    speak(page, "English")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    # It is the cluster's own, and a mere reload brings nothing back.
    write(driver, "# mine")
    expect(page.get_by_role("button", name="Revert")).to_be_enabled()
    driver.show(cluster)
    expect(page.locator("#cycle-title, .pipeline").first).to_be_visible()
    driver.press("e")
    expect(page.get_by_role("button", name="Revert")).to_be_disabled()


def test_what_is_too_long_is_not_lost(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    page = driver.page
    expect(page.locator(".profile-verdict")).to_contain_text("version 1 is in use")
    page.evaluate(LENGTHEN)
    speak(page, "한국어")
    expect(page.get_by_role("alert")).to_contain_text("before you switch language")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_role("button", name="Revert")).to_be_enabled()


def test_an_open_editor_keeps_the_switch_out_of_reach(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("n")
    page = driver.page
    expect(page.get_by_role("dialog", name="New object")).to_be_visible()
    # The dialog is modal: nothing of the page behind it, keys included, can be reached.
    assert page.evaluate("document.querySelector('dialog').matches(':modal')")
    editor = page.get_by_role("dialog").locator(".cm-content")
    expect(editor).to_be_focused()
    driver.press("ControlOrMeta+k")
    expect(page.locator(".palette")).to_have_count(0)


def test_an_answer_that_is_half_chosen(driver: Driver, second_page: Callable[..., Page]) -> None:
    driver.open()
    driver.next_cycle(1)
    driver.next_cycle(2)
    code = open_class(driver)
    page = second_page()
    join(page, driver.url, code, "Ada")
    expect(page.locator("[data-class=standing]")).to_contain_text("You follow the teacher")
    expect(page.locator("#cycle-title")).to_have_text("Cycle 2")
    driver.page.get_by_label("About").select_option("next")
    driver.page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_label("node-05").check()
    # Looking around, and half an answer: both go along.
    page.keyboard.press("[")
    expect(page.locator("[data-class=standing]")).to_contain_text("on your own")
    expect(page).to_have_url(re.compile(r"t=1\."))
    speak(page, "한국어")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.get_by_label("node-05")).to_be_checked()
    expect(page.locator("#cycle-title")).to_have_text(re.compile("1"))
    expect(page).to_have_url(re.compile(r"t=1\."))
    page.locator(".class-panel .primary").click()
    expect(driver.page.locator(".class-chart [data-option='node-05'] .num")).to_have_text("1")
