"""The profile tab: problems by path while typing, the last valid version stays, apply, effective view, export."""

import re

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import Driver

pytestmark = pytest.mark.one_page

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
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    driver.write(driver.page.locator(".profile .cm-content"), text)


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


def test_a_name_that_disables_nothing_gets_a_hint_and_can_be_applied(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    write(driver, PROFILE.replace("enabled", "disabled").format(plugin="ImageLocalty"))
    hints = driver.page.get_by_role("list", name="Hints")
    expect(hints).to_contain_text('did you mean "ImageLocality"?')
    expect(driver.page.locator(".profile-verdict")).to_contain_text("valid")
    expect(driver.page.get_by_role("button", name="Apply")).to_be_enabled()
    # The live re-run stands beside what is edited, never on it.
    editor, effect = driver.page.locator(".profile .cm-editor"), driver.page.locator(".profile-under")
    above, below = editor.bounding_box(), effect.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"] + 1


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
    row = driver.page.locator(".ledger [data-ledger=NodeResourcesFit]")
    expect(row.locator("td").nth(3)).to_have_text("5")


def test_export_is_a_file(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.get_by_role("button", name="Export").click()
    with driver.page.expect_download() as download:
        driver.page.get_by_role("link", name=re.compile("as kube-scheduler reads it")).click()
    text = download.value.path().read_text()
    assert "kind: KubeSchedulerConfiguration" in text


COMMENTED = """\
# Ours.
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler  # stays
  plugins:
    score:
      enabled:
      # More than it is worth.
      - name: NodeResourcesFit
        weight: 2
"""


def text_of(driver: Driver) -> str:
    """The draft, as the page has it."""
    script = "async () => (await import('/static/js/profile/profile_actions.js')).profile.draft.value"
    return str(driver.page.evaluate(script))


def form(driver: Driver) -> None:
    driver.page.get_by_role("button", name="Form", exact=True).click()


def slider(driver: Driver, plugin: str) -> Locator:
    return driver.page.get_by_role("slider", name=f"Weight of {plugin}", exact=True)


def place(driver: Driver, point: str) -> list[str]:
    rows = driver.page.locator(f"[data-point={point}] > [data-plugin]")
    return [str(row.get_attribute("data-plugin")) for row in rows.all()]


def test_an_edit_by_form_keeps_the_comments(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    write(driver, COMMENTED)
    form(driver)
    slider(driver, "NodeResourcesFit").press("ArrowRight")
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    expect(driver.page.locator(".profile .cm-content")).to_contain_text("weight: 3")
    assert text_of(driver) == COMMENTED.replace("weight: 2", "weight: 3").replace("  # stays", " # stays")
    # And the other way: what is typed shows in the form.
    write(driver, COMMENTED.replace("weight: 2", "weight: 7"))
    form(driver)
    expect(slider(driver, "NodeResourcesFit")).to_have_value("7")


def test_a_problem_shows_at_its_field_with_the_fix(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    driver.page.locator("[data-group=settings] .fold-head").click()
    parallelism = driver.page.get_by_label("parallelism", exact=True)
    parallelism.fill("0")
    driver.page.get_by_label("podMaxBackoffSeconds", exact=True).fill("0")
    field = driver.page.locator("[data-field=parallelism]")
    expect(field.locator(".field-problems")).to_contain_text("greater than zero")
    expect(parallelism).to_have_attribute("aria-invalid", "true")
    expect(driver.page.locator(".problems li")).to_have_count(2)
    expect(driver.page.locator(".problems li").first).to_contain_text("parallelism: ")
    expect(driver.page.get_by_role("button", name="Apply")).to_be_disabled()
    # The line of the text is one click away.
    driver.page.locator(".problems li button").first.click()
    expect(driver.page.locator(".cm-lint-marker-error")).to_have_count(2)
    form(driver)
    field.get_by_role("button", name="set").click()
    expect(field.locator(".field-problems")).to_have_count(0)
    expect(parallelism).to_have_value("16")


def test_a_weight_moves_the_winner_before_it_is_applied(driver: Driver) -> None:
    cluster = driver.create(None)
    wide = {"cpu": "16", "memory": "16Gi", "pods": "110"}
    slim = {"cpu": "4", "memory": "4Gi", "pods": "110"}
    zone = {"labels": {"kubernetes.io/arch": "arm64"}}
    arch = {"matchExpressions": [{"key": "kubernetes.io/arch", "operator": "Exists"}]}
    preferred = [{"weight": 1, "preference": arch}]
    prefers = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    requests = {"requests": {"cpu": "2", "memory": "2Gi"}}
    objects = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "wide"}, "status": {"allocatable": wide}},
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "slim", **zone}, "status": {"allocatable": slim}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default"},
         "spec": {"affinity": prefers, "containers": [{"name": "app", "resources": requests}]}},
    ]  # fmt: skip
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    driver.next_cycle(1)
    assert driver.get(f"clusters/{cluster}/cycles/1/")["cycle"]["node"] == "slim"
    driver.press("e")
    effect = driver.page.locator(".effect")
    expect(effect).to_have_count(0)
    weight = slider(driver, "NodeResourcesFit")
    weight.press("ArrowRight")
    expect(effect.locator(".effect-outcome")).to_contain_text("slim still wins")
    weight.scroll_into_view_if_needed()
    box = weight.bounding_box()
    assert box is not None
    driver.page.mouse.move(box["x"] + box["width"] * 0.05, box["y"] + box["height"] / 2)
    driver.page.mouse.down()
    driver.page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2, steps=8)
    driver.page.mouse.up()
    expect(effect.locator("[data-winner=wide]")).to_contain_text("wide would win")
    driver.page.get_by_role("button", name="Show nodes").click()
    expect(effect.locator("tbody tr").first).to_contain_text("wide")
    expect(effect.locator(".effect-plugins")).to_contain_text("NodeResourcesFit")
    # Nothing has changed until it is applied.
    state = driver.get(f"clusters/{cluster}/")
    assert (state["config_version"], state["cycle"]) == (1, 1)
    driver.page.get_by_label("Why: a note").fill("big nodes first")
    driver.page.get_by_role("button", name="Apply").click()
    expect(driver.page.locator(".profile-verdict")).to_contain_text("version 2 is in use")
    expect(effect).to_have_count(0)
    assert driver.get(f"clusters/{cluster}/config/")["note"] == "big nodes first"


def test_plugins_move_by_keyboard_and_by_drag(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    driver.page.locator("[data-group='point filter'] .fold-head").click()
    before = place(driver, "filter")
    handle = driver.page.get_by_role("button", name=re.compile(f"Move {before[2]} at filter, place 3 of"))
    handle.focus()
    driver.press("ArrowUp")
    moved = driver.page.get_by_role("button", name=re.compile(f"Move {before[2]} at filter, place 2 of"))
    expect(moved).to_be_focused()
    driver.press("ArrowUp")
    expect(
        driver.page.get_by_role("button", name=re.compile(f"Move {before[2]} at filter, place 1 of"))
    ).to_be_focused()
    assert place(driver, "filter") == [before[2], before[0], before[1], *before[3:]]
    rows = driver.page.locator("[data-point=filter] > [data-plugin]")
    grip, target = rows.nth(0).locator(".handle").bounding_box(), rows.nth(2).bounding_box()
    assert grip is not None and target is not None
    driver.page.mouse.move(grip["x"] + 8, grip["y"] + 8)
    driver.page.mouse.down()
    driver.page.mouse.move(grip["x"] + 8, target["y"] + target["height"] - 4, steps=6)
    driver.page.mouse.up()
    assert place(driver, "filter") == before
    # Undone by itself, however soon it came after the moves by keys.
    driver.page.get_by_role("button", name="Undo edit").click()
    expect(rows.nth(0)).to_have_attribute("data-plugin", before[2])
    expect(driver.page.locator(".profile-verdict")).to_contain_text("not applied yet")


def test_off_and_on_again(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    driver.page.get_by_role("button", name="Disable ImageLocality at score").click()
    expect(driver.page.locator("[data-point=score] [data-off=ImageLocality]")).to_contain_text("off at score")
    driver.page.get_by_role("button", name="effective", exact=True).click()
    expect(driver.page.locator("[data-effective=score] .off")).to_contain_text("off at score")
    driver.page.get_by_role("button", name="differences").click()
    expect(driver.page.locator(".changes li")).to_contain_text("ImageLocality no longer runs at score")
    form(driver)
    driver.page.get_by_role("button", name="Enable ImageLocality at score").click()
    expect(driver.page.locator("[data-point=score] [data-off]")).to_have_count(0)


def test_quick_edits_wait_for_the_answer_and_show_at_once(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    asked: list[Route] = []

    def hold_the_first(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.continue_()

    driver.page.route("**/config/check/", hold_the_first)
    off = driver.page.locator("[data-point=score] [data-off]")
    for number, plugin in enumerate(("ImageLocality", "NodeAffinity", "TaintToleration"), 1):
        driver.page.get_by_role("button", name=f"Disable {plugin} at score").click()
        expect(off).to_have_count(number)
    # The last of them is taken back before anything was said to the first.
    driver.page.get_by_role("button", name="Undo edit").click()
    expect(off).to_have_count(2)
    assert "NodeAffinity" not in text_of(driver)
    assert len(asked) == 1
    asked[0].continue_()
    expect(off).to_have_count(2)
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    expect(driver.page.locator(".profile .cm-content")).to_contain_text("NodeAffinity")
    assert text_of(driver).endswith("disabled:\n      - name: ImageLocality\n      - name: NodeAffinity\n")
    driver.page.unroute("**/config/check/")


def test_several_profiles(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    driver.page.get_by_role("button", name="Copy", exact=True).click()
    expect(driver.page.get_by_label("Profile in the form").locator("option")).to_have_count(2)
    driver.page.get_by_label("schedulerName").fill("batch")
    slider(driver, "NodeAffinity").press("ArrowRight")
    driver.page.get_by_role("button", name="Apply").click()
    expect(driver.page.locator(".profile-verdict")).to_contain_text("version 2 is in use")
    driver.page.get_by_role("button", name="effective", exact=True).click()
    expect(driver.page.locator(".effective h3")).to_have_text(["default-scheduler", "batch"])
    form(driver)
    driver.page.get_by_role("button", name="Remove", exact=True).click()
    expect(driver.page.get_by_label("Profile in the form").locator("option")).to_have_count(1)


def test_arguments_by_form(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    driver.page.locator("[data-group='args NodeResourcesFit'] .fold-head").click()
    group = driver.page.locator("[data-group='args NodeResourcesFit']")
    group.get_by_label("type", exact=True).select_option("MostAllocated")
    group.get_by_role("spinbutton").first.fill("3")
    expect(driver.page.locator(".profile-verdict")).to_contain_text("not applied yet")
    assert "type: MostAllocated" in text_of(driver) and "weight: 3" in text_of(driver)
    driver.page.get_by_role("button", name="effective", exact=True).click()
    args = driver.page.locator("[data-args=NodeResourcesFit]")
    expect(args.locator("dd").nth(2)).to_contain_text("MostAllocated set default LeastAllocated")
    expect(args.locator("dd").first).to_contain_text("default")


def test_versions_differ_and_come_back(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    slider(driver, "NodeAffinity").press("ArrowRight")
    driver.page.get_by_role("button", name="Apply").click()
    expect(driver.page.locator(".profile-verdict")).to_contain_text("version 2 is in use")
    driver.page.get_by_role("button", name="versions", exact=True).click()
    second = driver.page.locator("[data-version='2']")
    second.get_by_role("button", name="Difference").click()
    expect(second.locator(".changes li")).to_contain_text("NodeAffinity ×2 → ×3")
    second.get_by_role("button", name="text", exact=True).click()
    expect(second.locator(".merge .cm-content")).to_contain_text("weight: 3")
    driver.page.locator("[data-version='1']").get_by_role("button", name="Restore").click()
    third = driver.page.locator("[data-version='3']")
    expect(third).to_contain_text("version 1 again")
    expect(third).to_contain_text("in use")
    form(driver)
    expect(slider(driver, "NodeAffinity")).to_have_value("2")


def test_a_version_goes_on_in_a_branch(driver: Driver) -> None:
    original = driver.open("three-zones")
    driver.press("e")
    slider(driver, "NodeAffinity").press("ArrowRight")
    driver.page.get_by_role("button", name="Apply").click()
    expect(driver.page.locator(".profile-verdict")).to_contain_text("version 2 is in use")
    driver.page.get_by_role("button", name="versions", exact=True).click()
    driver.page.locator("[data-version='1']").get_by_role("button", name="Fork").click()
    expect(driver.page.locator(".cluster-name")).to_contain_text("profile version 1")
    expect(driver.page.locator("[data-version='3']")).to_contain_text("forked with version 1")
    assert driver.get(f"clusters/{original}/")["config_version"] == 2


def test_broken_yaml_says_where_and_comes_back(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("e")
    write(driver, "apiVersion: kubescheduler.config.k8s.io/v1\nkind: [")
    form(driver)
    expect(driver.page.locator(".form")).to_contain_text("is not valid YAML")
    expect(driver.page.locator(".profile-verdict")).to_contain_text("version 1, the last valid one, stays in use")
    driver.page.get_by_role("button", name="Revert").click()
    expect(slider(driver, "NodeAffinity")).to_have_value("2")
