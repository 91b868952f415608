"""The profile tab: problems by path while typing, the last valid version stays, apply, effective view, export."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Driver

PROFILE = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      enabled:
      - name: {plugin}
        weight: 5
"""


def write(driver: Driver, text: str) -> None:
    editor = driver.page.locator(".profile .cm-content")
    editor.click()
    driver.press("ControlOrMeta+A", "Delete")
    driver.page.keyboard.insert_text(text)


def test_problems_by_path_then_apply(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    verdict = driver.page.locator(".profile-verdict")
    expect(verdict).to_contain_text("version 1 is in use")
    write(driver, PROFILE.format(plugin="NodeResourceFit"))
    expect(verdict).to_contain_text(re.compile(r"\d problems?"))
    expect(verdict).to_contain_text("version 1, the last valid one, stays in use")
    problem = driver.page.locator(".problems li").first
    expect(problem).to_contain_text("profiles[0].plugins.score.enabled[0]")
    expect(problem).to_contain_text("NodeResourcesFit")
    apply = driver.page.get_by_role("button", name="Apply")
    expect(apply).to_be_disabled()
    driver.press("ControlOrMeta+Enter")
    expect(driver.page.get_by_role("alert")).to_contain_text("Version 1 stays in use")
    write(driver, PROFILE.format(plugin="NodeResourcesFit"))
    expect(verdict).to_contain_text("valid")
    driver.press("ControlOrMeta+Enter")
    expect(verdict).to_contain_text("version 2 is in use")
    expect(driver.page.locator(".top")).to_contain_text("v2")
    driver.page.get_by_role("button", name="effective").click()
    expect(driver.page.locator("[data-effective=score]")).to_contain_text("NodeResourcesFit ×5")


def test_the_new_weight_counts_from_the_next_cycle_on(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    write(driver, PROFILE.format(plugin="NodeResourcesFit"))
    expect(driver.page.get_by_role("button", name="Apply")).to_be_enabled()
    driver.page.get_by_role("button", name="Apply").click()
    expect(driver.page.locator(".profile-verdict")).to_contain_text("version 2 is in use")
    driver.page.get_by_role("tab", name="Scores").click()
    driver.page.locator("body").press("]")
    driver.cycle(1)
    row = driver.page.locator(".ledger tr", has_text="NodeResourcesFit")
    expect(row.locator("td").nth(3)).to_have_text("5")


def test_export_is_a_file(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.get_by_role("button", name="Export").click()
    with driver.page.expect_download() as download:
        driver.page.get_by_role("link", name=re.compile("Profile, as kube-scheduler")).click()
    text = download.value.path().read_text()
    assert "kind: KubeSchedulerConfiguration" in text
