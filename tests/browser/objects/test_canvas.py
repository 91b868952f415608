"""The cluster from three distances, in every colour, by mouse, wheel and keyboard; nothing that matters gets lost."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Driver
from tests.browser.driver import outlast
from tests.web import node, pod

pytestmark = pytest.mark.one_page

ZONE = "topology.kubernetes.io/zone"
PAINTED = """() => (window.painted = ['.cells canvas', '.timeline canvas'].map(
  (one) => document.querySelector(one).toDataURL()))"""
LONG = "a-very-long-name-of-a-zone-that-does-not-fit-in-ten-cells"


def level(driver: Driver) -> Locator:
    return driver.page.get_by_role("group", name="Show nodes as").locator("[aria-pressed=true]")


def colour(driver: Driver, value: str) -> None:
    driver.page.get_by_label("Color nodes by").select_option(value)


@pytest.fixture
def scheduled(driver: Driver) -> Driver:
    """The GPU pool after its first cycle: 12 nodes in three zones, train-vision-0 on a GPU node."""
    driver.open("gpu-pool")
    driver.next_cycle(1)
    expect(driver.page.locator(".node[data-verdict=chosen]")).to_have_count(1)
    return driver


def test_three_levels_by_key_button_and_wheel(scheduled: Driver) -> None:
    page = scheduled.page
    expect(level(scheduled)).to_have_text("nodes")
    scheduled.press("z")
    expect(level(scheduled)).to_have_text("groups")
    expect(page.locator(".tile")).to_have_count(3)
    scheduled.press("z")
    expect(level(scheduled)).to_have_text("cells")
    expect(page.locator(".cells canvas")).to_be_visible()
    page.get_by_role("button", name="groups").click()
    page.locator(".tile").first.hover()
    page.mouse.wheel(0, -100)
    expect(level(scheduled)).to_have_text("cells")
    outlast(page, 350)  # one turn of a wheel is one level
    page.mouse.wheel(0, 100)
    expect(level(scheduled)).to_have_text("groups")
    page.get_by_role("button", name="zone-b", exact=True).click()
    expect(level(scheduled)).to_have_text("cells")


def test_a_card_has_a_bar_for_every_resource_and_a_dot_for_every_pod(scheduled: Driver) -> None:
    page = scheduled.page
    scheduled.next_cycle(2)
    scheduled.next_cycle(3)
    chosen = page.locator(".node[data-verdict=chosen]")
    for bar, words in enumerate((" CPU", " GiB", "4 + 4 / 8 gpu")):
        expect(chosen.locator(".bar").nth(bar)).to_have_attribute("title", re.compile(re.escape(words) + "$"))
    dots = chosen.locator(".dots svg")
    box = dots.bounding_box()
    assert box is not None and box["width"] == 14  # one pod before, and the one of this cycle
    page.mouse.move(box["x"] + 2, box["y"] + 3)
    expect(chosen.locator(".dot-name")).to_have_text(re.compile(r"ml/train-vision-[01]"))
    page.mouse.move(box["x"] + 9, box["y"] + 3)
    expect(chosen.locator(".dot-name")).to_have_text("ml/train-vision-2")
    page.mouse.click(box["x"] + 9, box["y"] + 3)
    expect(page.get_by_role("tab", name="Pod")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".side-pod")).to_contain_text("train-vision-2")


def test_a_cards_numbers_are_rounded_rather_than_cut(driver: Driver) -> None:
    """Of "64" cut short a 6 would be left."""
    nodes = [node(f"node-{i}", cpu="64", memory="256Gi", zone=f"zone-{i % 3}") for i in range(12)]
    running = [pod(f"runs-{i}", cpu="37250m", nodeName=f"node-{i}") for i in range(12)]
    cluster = driver.create(None)
    objects = [*nodes, *running, pod("waits", cpu="1125m")]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    driver.next_cycle(1)
    words = driver.node("node-3").locator(".node-word .cut")
    expect(words).to_have_text("38.4 / 64 CPU")
    driver.show(cluster, "&t=1.20")
    expect(words).to_have_text("37.3 + 1.1 / 64 CPU")
    assert words.evaluate("(one) => one.scrollWidth <= one.clientWidth")


def test_a_card_leaves_out_the_domain_that_all_nodes_share(driver: Driver) -> None:
    """Cut from their heads, as pods' names are, all machines of a cloud would have one name."""
    names = [f"ip-10-0-{i}-17.eu-central-1.compute.internal" for i in range(12)]
    cluster = driver.create(None)
    objects = [node(name, zone=f"zone-{i % 3}") for i, name in enumerate(names)]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    name = driver.page.locator(f'[data-node="{names[4]}"] .node-head .mono')
    expect(name).to_have_text("ip-10-0-4-17")
    expect(name).to_have_attribute("title", names[4])


def test_colours_by_use_and_by_score_have_a_legend(scheduled: Driver) -> None:
    page = scheduled.page
    scheduled.next_cycle(2)
    colour(scheduled, "use:nvidia.com/gpu")
    expect(page.locator(".legend [data-step]")).to_have_count(6)
    expect(page.locator(".legend")).to_contain_text("80–100 %")
    expect(page.locator(".node.heat-none[data-node=general-a1]")).to_have_count(1)
    expect(page.locator(".node", has_text="50 %")).to_have_count(1)
    colour(scheduled, "score")
    expect(page.locator(".legend")).to_contain_text("not scored")
    expect(page.locator(".node[data-verdict=chosen]")).to_have_class(re.compile("heat-4"))
    expect(page.locator(".node.heat-none")).to_have_count(
        page.locator(".node[data-verdict=rejected]").count()  # a rejected node has no score
    )
    scheduled.press("z", "z")
    expect(page.locator(".ring.chosen")).to_have_count(1)
    page.reload()
    expect(page.get_by_label("Color nodes by")).to_have_value("score")
    colour(scheduled, "verdict")
    expect(page.locator(".legend [data-verdict=chosen]")).to_be_visible()


def test_tiles_keep_the_chosen_the_failing_and_the_selected(scheduled: Driver) -> None:
    page = scheduled.page
    chosen = page.locator(".node[data-verdict=chosen]").get_attribute("data-node")
    other = page.locator(".node[data-verdict=pass]").first.get_attribute("data-node")
    page.locator(f".node[data-node={other}]").click()
    page.mouse.move(5, 5)
    rejected = page.locator(".node[data-verdict=rejected]").count()
    page.get_by_role("button", name="groups").click()
    expect(page.locator(f".tile .chip[data-node={chosen}][data-verdict=chosen]")).to_be_visible()
    expect(page.locator(f".tile .chip[data-node={other}]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".tile .chip[data-verdict=rejected]")).to_have_count(rejected)
    expect(page.locator(".tile").first).to_contain_text("gpu")
    page.locator(f".tile .chip[data-node={other}]").click()
    expect(page.locator(f".tile .chip[data-node={other}][aria-pressed=true]")).to_have_count(0)


def test_arrow_keys_walk_by_place_at_every_level(scheduled: Driver) -> None:
    page = scheduled.page
    focused = "document.activeElement.dataset.node"
    page.locator(".node[data-node=general-a1]").focus()
    scheduled.press("ArrowRight")
    expect(page.locator(".node[data-node=general-a2]")).to_be_focused()
    scheduled.press("ArrowDown")
    page.wait_for_function(f"{focused} !== 'general-a2'")
    scheduled.press("End")
    expect(page.locator(".node[data-node=general-c2]")).to_be_focused()
    scheduled.press("Home")
    expect(page.locator(".node[data-node=general-a1]")).to_be_focused()
    scheduled.press("Enter")
    expect(page.locator(".node.pinned")).to_have_attribute("data-node", "general-a1")
    page.get_by_role("button", name="cells").click()
    page.locator(".cells").focus()
    scheduled.press("Home", "ArrowRight")
    expect(page.locator(".tip")).to_contain_text("general-a2")
    scheduled.press("Enter")
    expect(page.locator(".ring.pinned")).to_have_attribute("data-ring", "general-a2")
    page.get_by_role("button", name="groups").click()
    page.get_by_role("button", name="zone-a", exact=True).focus()
    scheduled.press("ArrowRight")
    expect(page.get_by_role("button", name="zone-b", exact=True)).to_be_focused()


def test_what_is_painted_follows_the_systems_theme(scheduled: Driver) -> None:
    page = scheduled.page
    page.get_by_role("button", name="cells").click()
    expect(page.locator(".cells canvas")).to_be_visible()
    for theme, other in (("light", "dark"), ("dark", "light")):
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        page.evaluate(PAINTED)
        page.emulate_media(color_scheme="dark" if other == "dark" else "light")
        page.wait_for_function("() => document.querySelector('.cells canvas').toDataURL() !== painted[0]")
        page.wait_for_function("() => document.querySelector('.timeline canvas').toDataURL() !== painted[1]")


def test_groups_by_any_label_with_their_full_names(driver: Driver) -> None:
    def manifest(i: int) -> dict[str, Any]:
        made = node(f"n-{i:03d}", zone=LONG if i == 0 else "b")
        made["metadata"]["labels"]["example.com/rack"] = f"rack-{i % 4}"
        return made

    cluster = driver.create(None, "labels")
    objects = [*(manifest(i) for i in range(120)), pod("web")]
    driver.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
    driver.show(cluster)
    page = driver.page
    expect(level(driver)).to_have_text("cells")
    head = page.locator(".cells-head", has_text=LONG).locator("span").first
    expect(head).to_be_visible()
    assert head.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    menu = page.get_by_label("Group nodes by")
    assert menu.locator("option").all_inner_texts() == ["by zone", "by example.com/rack", "ungrouped"]
    menu.select_option("example.com/rack")
    expect(page.locator(".cells-head")).to_have_count(4)
    driver.press("z")
    expect(level(driver)).to_have_text("nodes")
    # Only the cards that are seen exist, and any of them can be reached.
    assert page.locator(".node").count() < 60
    page.locator(".node").first.focus()
    driver.press("End")
    expect(page.locator(".node[data-node=n-119]")).to_be_focused()
