"""The README's five minutes: its keys, read from it and pressed in its order, and what it promises of each."""

import re
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Driver
from tests.browser.objects.test_import import KUBECTL, write
from tests.browser.shell.test_actions import table

README = (Path(__file__).resolve().parents[3] / "README.md").read_text()


def quoted() -> Iterator[list[str]]:
    """What stands in backticks in each step of the README's five minutes."""
    [part] = re.findall(r"^## Five minutes\n(.*?)^## ", README, re.MULTILINE | re.DOTALL)
    for step in re.split(r"^\d\. ", part, flags=re.MULTILINE)[1:]:
        yield re.findall(r"`([^`]+)`", step.partition("\n\n")[0])


def keys_of(driver: Driver) -> list[list[str]]:
    """The keys of each step, as one presses them; anything else in backticks is no key of the page."""
    shown = {
        key["shown"]: ("Control+" if key.get("ctrl") else "") + key["key"]
        for row in table(driver)
        for key in row["keys"]
    }
    return [[shown[word] for word in words if word in shown] for words in quoted()]


def totals(page: Page) -> list[str]:
    return page.locator(".node[data-verdict=pass] b.num").all_inner_texts()


def test_the_readmes_five_minutes(driver: Driver) -> None:
    page = driver.page
    driver.open("three-zones")
    begin, walk, play, profile, bring = keys_of(driver)

    # 1. One cycle: rejected and why, passed with totals, the chosen one; what ran, skipped, was not reached.
    [cycle] = begin
    driver.press(cycle)
    driver.cycle(1)
    expect(page.locator(".node[data-verdict=rejected]").first).to_contain_text(re.compile("cordoned|too little"))
    expect(page.locator(".node[data-verdict=chosen]")).to_have_count(1)
    assert all(int(total) > 0 for total in totals(page))
    for point, state in (("Filter", "ran"), ("PostFilter", "needless")):
        expect(page.locator(f"[data-point={point}]")).to_have_attribute("data-state", state)

    # 2. Back and forth inside the cycle; a node pinned; its scores, and what it beat.
    back, forth, scores = walk
    end = driver.step()
    driver.press(back, back)
    expect(page.locator(".pipeline .head .about").last).not_to_contain_text(f"step {end} of")
    driver.press(forth, forth)
    expect(page.locator(".pipeline .head .about").last).to_contain_text(f"step {end} of")
    chosen = page.locator(".node[data-verdict=chosen]")
    name = chosen.get_attribute("data-node") or ""
    chosen.click()
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("tab", name="Node", exact=True)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#side-panel")).to_contain_text(name)
    driver.press(scores)
    expect(page.locator(".ledger th .mono")).to_have_text(name)
    expect(page.locator("#side-panel h3").last).to_contain_text(
        re.compile(f"Why {name} beat|{name} and .* score the same")
    )

    # 3. The rest, wherever the focus is; then the first of the pods that stayed behind.
    run, why = play
    expect(page.get_by_role("tab", name="Scores")).to_be_focused()
    page.get_by_label("Playback speed").select_option("0")
    page.get_by_role("tab", name="Scores").focus()
    driver.press(run)
    expect(page.locator(".notice", has_text="The run is over. 4 Pods are pending.")).to_be_visible()
    expect(driver.lane("active").locator(".count")).to_have_text("0")
    driver.press(run)
    expect(page.locator(".notice").last).to_contain_text("No Pod is ready")
    page.locator(f".node[data-node={name}]").click()
    first = driver.lane("unschedulable").locator(".pod-row").first
    waiting = first.get_attribute("title") or ""
    driver.press("Escape", why)
    expect(page.locator("#side-panel h3").first).to_contain_text(f"0 of 12 nodes can take {waiting}")
    [promised] = [word for word in quoted_in(2) if "…" in word]
    expect(page.locator("[data-message]")).to_contain_text(promised.partition("…")[0])
    page.locator(".tree [data-branch=reason] .reason-head").first.click()
    expect(page.locator(".tree .name-list button").first).to_be_visible()
    expect(driver.lane("unschedulable").locator(".moved-by").first).not_to_be_empty()

    # 4. The profile by form and as YAML in step; a problem by its path; applied; back to the start.
    edit, apply = profile
    driver.press(edit)
    weight = page.locator("[data-plugin=NodeResourcesFit] input[type=number]")
    weight.fill("5")
    page.get_by_role("button", name="YAML", exact=True).click()
    text = page.locator(".profile .cm-content")
    expect(text).to_contain_text("weight: 5")
    yaml = page.evaluate("async () => (await import('/static/js/profile/profile_actions.js')).profile.draft.value")
    text.click()
    driver.press("ControlOrMeta+A", "Delete")
    page.keyboard.insert_text(yaml.replace("NodeResourcesFit", "NodeResourceFit", 1))
    expect(page.locator(".problems")).to_contain_text(re.compile(r'profiles\[0\].*"NodeResourceFit".*did you mean'))
    driver.press("ControlOrMeta+A", "Delete")
    page.keyboard.insert_text(yaml)
    expect(page.locator(".profile-verdict")).to_contain_text("not applied yet")
    driver.press(apply)
    expect(page.locator(".notice", has_text="Profile version 2 is in use")).to_be_visible()
    page.get_by_role("button", name="Reset to the start").click()
    page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    expect(page.get_by_text("No pod has been scheduled yet.")).to_be_visible()

    # 5. What kubectl prints, pasted; both exports; and the list of keys.
    driver.press(*bring)
    write(driver, KUBECTL.format(node="node-x", cpu="500m"))
    page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
    expect(driver.node("node-x")).to_be_visible()
    page.get_by_role("button", name="Export").click()
    for what in ("Profile (complete, as kube-scheduler reads it)", "Cluster (for kubectl apply)"):
        expect(page.get_by_role("link", name=what)).to_be_visible()
    driver.press("Escape", "?")
    for row in table(driver):
        expect(page.locator(f"dialog [data-action={row['id']}]")).to_have_count(1)


def quoted_in(step: int) -> list[str]:
    return list(quoted())[step]
