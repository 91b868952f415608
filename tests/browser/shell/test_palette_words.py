"""The palette knows people's words, each leading to an action that does it; what cannot be done now comes last."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Driver

pytestmark = pytest.mark.one_page

WORDS = [
    # what people type, an action that must be among the first five found
    ("policy", "past"),
    ("scale", "new"),
    ("learn", "lessons"),
    ("tutorial", "lessons"),
    ("lessons", "lessons"),
    ("why pending", "why"),
    ("add pods", "new"),
    ("delete cluster", "delete-cluster"),
    ("speed", "faster"),
    ("weights", "profile"),
    ("download", "export-profile"),
    ("help", "keys"),
    ("history", "start"),
    ("seed", "new-cluster"),
    ("screenshot", "picture-cluster-png"),
    ("embed", "share"),
    ("kubectl", "import"),
    ("duplicate", "fork"),
    ("upload", "import"),
    ("paste", "import"),
    ("restart", "reset"),
    ("dark mode", "theme"),
    ("full screen", "present"),
    ("shortcuts", "keys"),
    ("crash", "fail-node"),
    ("maintenance", "cordon"),
    ("toleration", "taint"),
    ("students", "class-open"),
    ("log", "events"),
    ("clone", "fork"),
    ("wait", "pass-time"),
    ("ranking", "scores"),
    ("zones", "spread"),
    ("victims", "preemption"),
    ("migrate", "past"),
    ("backup", "export-cluster"),
    ("bookmark", "copy-link"),
]


def test_words_of_people_find_an_action(driver: Driver) -> None:
    driver.look("three-zones")
    driver.open_palette()
    field = driver.page.locator(".palette input")
    for typed, action in WORDS:
        field.fill(typed)
        found = driver.page.locator(f".palette [data-action={action}]")
        expect(found, typed).to_be_visible()
        rows = driver.page.locator(".palette [role=option]")
        listed = [row for row in rows.evaluate_all("rows => rows.map((row) => row.dataset.action)") if row]
        assert action in listed[:5] or found.get_attribute("aria-disabled"), (typed, listed[:8])


def test_what_cannot_be_done_comes_last_with_its_reason(driver: Driver) -> None:
    driver.look("three-zones")
    driver.open_palette()
    driver.page.locator(".palette input").fill("node")
    rows = driver.page.locator(".palette [role=option]")
    expect(rows.last).to_have_attribute("aria-disabled", "true")
    blocked = rows.evaluate_all("rows => rows.map((row) => row.ariaDisabled === 'true')")
    assert blocked == sorted(blocked) and not blocked[0]
    expect(driver.page.locator(".palette [data-action=cordon]")).to_contain_text("pin a node first")


def test_enter_that_comes_before_what_is_found_means_the_first_of_it(driver: Driver) -> None:
    """Objects are asked for when the typing pauses; who knows the name types it and Enter without a pause."""
    cluster = driver.look("three-zones")
    name = driver.get(f"clusters/{cluster}/nodes/")["names"][0]
    driver.open_palette()
    driver.page.locator(".palette input").fill(name)
    driver.press("Enter")
    expect(driver.page.locator(".palette")).to_have_count(0)
    expect(driver.node(name)).to_have_attribute("aria-pressed", "true")


def test_a_lesson_is_found_by_its_title(driver: Driver) -> None:
    driver.look("three-zones")
    driver.open_palette()
    driver.page.locator(".palette input").fill("skews zones")
    found = driver.page.locator(".palette [role=option]")
    lesson = found.filter(has_text="A rollout that skews zones")
    expect(lesson).to_be_visible()
    lesson.click()
    expect(driver.page.locator(".lesson h2")).to_have_text("A rollout that skews zones")
