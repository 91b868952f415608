"""Making and changing objects: templates, form and YAML in step, completion, many at once; upkeep of nodes and pods."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import Driver
from tests.services import wait_for

pytestmark = pytest.mark.one_page

TEMPLATES = """async () => {
  const {templates} = await import('/static/js/objects/templates.js');
  const kinds = await (await fetch('/api/v1/kinds/')).json();
  const others = Object.entries(kinds).map(([id, {example: text}]) => ({id, text, count: 1})).filter(({text}) => text);
  return [...templates(), ...others].map(({id, text, count}) => ({id, text, count}));
}"""
# CodeMirror takes no Enter in the first moment of a list, against a slip: its clock goes on.
LATER = "() => { const now = Date.now() - performance.now() + 100; Date.now = () => now + performance.now(); }"
EXPAND = """async ([text, settings]) => {
  const m = await import('/static/js/objects/bulk_objects.js');
  const library = await import('/static/vendor/codemirror.js');
  const values = m.readAll(library, text);
  return values && m.expandObjects(values, settings);
}"""
PLACES = [
    # what is before the cursor                                           path, key, word
    ("kind: Pod\nspec:\n  ", [["spec"], None, ""]),
    ("spec:\n  tolerations:\n    - key: a\n      eff", [["spec", "tolerations"], None, "eff"]),
    ("spec:\n  tolerations:\n    - effect: No", [["spec", "tolerations"], "effect", "No"]),
    ("spec:\n  tolerations:\n  - effect: No", [["spec", "tolerations"], "effect", "No"]),
    (
        "spec:\n  containers:\n  - name: a\n    resources:\n      requests:\n        cpu: 1\n  tol",
        [["spec"], None, "tol"],
    ),
    ("spec:\n  accessModes: [Read", [["spec"], "accessModes", "Read"]),
    ("spec:\n  accessModes:\n    - Read", [["spec", "accessModes"], None, "Read"]),
    ("kind: Pod\nspec:\n  a:\n---\nki", [[], None, "ki"]),
    (
        "spec:\n\n  # a comment\n  affinity:\n    nodeAffinity:\n      req",
        [["spec", "affinity", "nodeAffinity"], None, "req"],
    ),
]
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: 'p-{n}'}\nspec:\n  containers: [{name: a, image: 'x:{n}'}]\n"
IMPORTS = re.compile(r"/import/$")
KINDS = re.compile(r"/api/v1/kinds/$")


def editor(driver: Driver) -> Locator:
    return driver.page.locator("dialog .cm-content")


def write(driver: Driver, text: str) -> None:
    driver.write(editor(driver), text)


def form(driver: Driver) -> Locator:
    driver.page.get_by_role("button", name="form", exact=True).click()
    return driver.page.locator(".object-form")


def pods(driver: Driver, cluster: int, search: str) -> list[str]:
    return [row["key"] for row in driver.get(f"clusters/{cluster}/objects/?kind=Pod&search={search}")["objects"]]


def test_where_the_cursor_is(driver: Driver) -> None:
    driver.page.goto(driver.url)
    for text, want in PLACES:
        *lines, before = text.split("\n")
        call = f"m.placeOf({json.dumps(lines)}, {json.dumps(before)})"
        place: Any = driver.page.evaluate(
            f"async () => {{ const m = await import('/static/js/objects/completion.js'); return {call}; }}"
        )
        assert [place["path"], place["key"], place["word"]] == want, text


def test_every_template_can_be_made(driver: Driver) -> None:
    """All of them, one after the other into one cluster: the server takes each as it is."""
    cluster = driver.open("three-zones")
    spread = {"key": "topology.kubernetes.io/zone", "values": ["zone-a", "zone-b", "zone-c"]}
    for template in driver.page.evaluate(TEMPLATES):
        settings = {"count": template["count"], "from": 1, "nodes": ["node-1", "node-2"], "spread": spread}
        objects = driver.page.evaluate(EXPAND, [template["text"], settings])
        assert objects, template["id"]
        listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        answer = driver.post(f"clusters/{cluster}/import/", {"text": listed, "dry_run": True})
        assert (answer["problems"], answer["unused"]) == ([], []), template["id"]


def test_many_from_one(driver: Driver) -> None:
    driver.page.goto(driver.url)
    spread = {"key": "zone", "values": ["a", "b", "c"]}
    settings = {"count": 4, "from": 7, "nodes": [], "spread": spread}
    made = driver.page.evaluate(EXPAND, [f"{POD}---\nkind: Service\nmetadata: {{name: s}}\n", settings])
    assert [one["metadata"]["name"] for one in made] == ["p-7", "p-8", "p-9", "p-10", "s"]
    assert [one["metadata"].get("labels") for one in made] == [
        {"zone": "a"},
        {"zone": "b"},
        {"zone": "c"},
        {"zone": "a"},
        None,
    ]
    assert made[3]["spec"]["containers"][0]["image"] == "x:10"
    assert driver.page.evaluate(EXPAND, ["a: [", settings]) is None


def test_a_pool_of_nodes_over_zones(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.press("n")
    driver.page.get_by_label("Template").select_option("spot-pool")
    expect(driver.page.locator("[data-made='6']")).to_contain_text("spot-6")
    create = driver.page.get_by_role("button", name="Create 6")
    expect(create).to_be_enabled()
    create.click()
    expect(driver.page.locator("dialog")).to_have_count(0)
    expect(driver.page.locator(".cluster .about").first).to_contain_text("18 nodes")
    labels = [
        driver.get(f"clusters/{cluster}/nodes/spot-{n}/")["manifest"]["metadata"]["labels"][
            "topology.kubernetes.io/zone"
        ]
        for n in range(1, 7)
    ]
    assert len(set(labels)) == 3
    assert labels[:3] == labels[3:]


def test_several_need_a_pattern(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("n")
    driver.page.get_by_label("Number of objects", exact=True).fill("3")
    expect(driver.page.locator(".dialog-foot")).to_contain_text("put {n} into the name")
    expect(driver.page.get_by_role("button", name=re.compile("^Create"))).to_be_disabled()
    driver.page.get_by_label("Number of objects", exact=True).fill("999999")
    write(driver, POD)
    expect(driver.page.locator("[data-made='5000']")).to_be_visible()


def test_a_daemon_set_has_a_pod_for_each_node(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.press("n")
    driver.page.get_by_label("Template").select_option("daemon-set")
    create = driver.page.get_by_role("button", name="Create 12")
    expect(create).to_be_enabled()
    create.click()
    expect(driver.page.locator("dialog")).to_have_count(0)
    assert len(pods(driver, cluster, "agent-")) == 12


def test_form_and_yaml_are_one(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.press("n")
    expect(editor(driver)).to_be_visible()
    fields = form(driver)
    fields.get_by_label("name", exact=True).fill("from-the-form")
    fields.get_by_label("CPU", exact=True).fill("250m")
    fields.get_by_label("priority", exact=True).fill("7")
    fields.get_by_role("button", name="add to tolerations").click()
    fields.get_by_label("tolerations 1: key").fill("gpu")
    fields.get_by_label("tolerations 1: operator").select_option("Exists")
    fields.get_by_role("button", name="add to topology spread").click()
    fields.get_by_label("topology spread 1: max skew").fill("2")
    fields.get_by_label("topology spread 1: over").fill("kubernetes.io/hostname")
    fields.get_by_label("topology spread 1: when impossible").select_option("ScheduleAnyway")
    fields.get_by_label("topology spread 1: pods with labels").fill("app=web")
    fields.get_by_label("topology spread 1: pods with labels").blur()
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    expect(editor(driver)).to_contain_text("whenUnsatisfiable: ScheduleAnyway")
    expect(driver.page.locator("[data-check=ok]")).to_be_visible()
    editor(driver).click()
    driver.press("ControlOrMeta+Enter")
    expect(driver.page.locator("dialog")).to_have_count(0)
    made = driver.get(f"clusters/{cluster}/objects/Pod/default/from-the-form/")
    assert made["spec"]["priority"] == 7
    assert made["spec"]["tolerations"] == [{"key": "gpu", "operator": "Exists"}]
    assert made["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "250m"
    constraint = made["spec"]["topologySpreadConstraints"][0]
    assert (constraint["maxSkew"], constraint["labelSelector"]) == (2, {"matchLabels": {"app": "web"}})


def test_a_claim_for_devices_is_filled_in(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.press("n")
    driver.page.get_by_label("Template").select_option("ResourceClaim")
    fields = form(driver)
    fields.get_by_label("devices 1: count").fill("2")
    fields.get_by_label("devices 1: CEL").fill("true")
    fields.get_by_role("button", name="add to all with the same").click()
    fields.get_by_label("all with the same 1: attribute").fill("gpu.example.com/model")
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    expect(editor(driver)).to_contain_text("matchAttribute: gpu.example.com/model")
    form(driver).get_by_label("devices 1: CEL").fill("")
    driver.page.get_by_role("button", name="YAML", exact=True).click()
    expect(editor(driver)).not_to_contain_text("selectors")
    expect(driver.page.locator("[data-check=ok]")).to_be_visible()
    editor(driver).click()
    driver.press("ControlOrMeta+Enter")
    expect(driver.page.locator("dialog")).to_have_count(0)
    devices = driver.get(f"clusters/{cluster}/objects/ResourceClaim/default/gpu/")["spec"]["devices"]
    asked = {"deviceClassName": "gpu.example.com", "count": 2}
    assert devices["requests"] == [{"name": "gpu", "exactly": asked}]
    assert devices["constraints"] == [{"matchAttribute": "gpu.example.com/model"}]


def test_the_form_shows_each_problem_where_it_is(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("n")
    expect(editor(driver)).to_be_visible()
    fields = form(driver)
    fields.get_by_label("memory", exact=True).fill("5Q")
    field = driver.page.locator("[data-field='spec.containers[0].resources.requests.memory']")
    expect(field).to_contain_text("quantities must match")
    expect(field.locator("input")).to_have_attribute("aria-invalid", "true")
    expect(driver.page.get_by_role("button", name="Create")).to_be_disabled()
    fields.get_by_label("memory", exact=True).fill("5Gi")
    expect(driver.page.get_by_role("button", name="Create")).to_be_enabled()


def test_completes_fields_and_values(driver: Driver) -> None:
    driver.open("three-zones")
    driver.press("n")
    write(driver, "apiVersion: v1\nkind: Pod\nspec:\n  tolerations:\n    - eff")
    driver.press("Control+Space")
    expect(driver.page.locator(".cm-tooltip-autocomplete li").first).to_contain_text("effect")
    driver.page.evaluate(LATER)
    driver.press("Enter")
    driver.page.keyboard.type("NoS")
    driver.press("Control+Space")
    expect(driver.page.locator(".cm-tooltip-autocomplete li").first).to_contain_text("NoSchedule")
    driver.page.evaluate(LATER)
    driver.press("Enter")
    expect(editor(driver)).to_contain_text("- effect: NoSchedule")


def test_who_types_before_completions_are_there_goes_on_where_he_is(driver: Driver) -> None:
    driver.open("three-zones")
    driver.page.reload()
    expect(driver.page.get_by_role("button", name="Play")).to_be_visible()
    held: list[Route] = []
    driver.page.route(KINDS, lambda route: held.append(route))
    with driver.page.expect_request(KINDS):
        driver.press("n")
    write(driver, "apiVersion: v1\nkind: Pod\nspec:\n  tolerations:\n    - ")
    with driver.page.expect_response(KINDS):
        held[0].continue_()
    driver.page.unroute(KINDS)
    driver.page.keyboard.type("eff")
    driver.press("Control+Space")
    expect(driver.page.locator(".cm-tooltip-autocomplete li").first).to_contain_text("effect")
    expect(editor(driver)).to_contain_text("- eff")


def test_changes_an_object(driver: Driver) -> None:
    cluster = driver.open("three-zones")
    driver.page.locator(".node").first.click()
    name = driver.page.locator(".node").first.get_attribute("data-node")
    driver.page.get_by_role("tab", name="Node", exact=True).click()
    driver.page.get_by_role("button", name="Change", exact=True).click()
    driver.page.get_by_role("button", name="edit the node").click()
    expect(editor(driver)).to_be_visible()
    fields = form(driver)
    fields.get_by_label("CPU", exact=True).fill("64")
    # The key that the foot names is that of the form, too.
    driver.press("ControlOrMeta+Enter")
    expect(driver.page.locator("dialog")).to_have_count(0)
    assert driver.get(f"clusters/{cluster}/nodes/{name}/")["manifest"]["status"]["allocatable"]["cpu"] == "64"


def test_what_is_sent_before_it_is_checked_waits_for_that(driver: Driver) -> None:
    """What is said of the text before counts no more, and nothing that nobody looked at is sent."""
    cluster = driver.open(None)
    driver.press("n")
    expect(editor(driver)).to_be_focused()
    write(driver, POD.replace("{n}", "1").replace("spec:", "spec: ["))
    problem = driver.page.locator("dialog .is-rejected").first
    expect(problem).to_be_visible()
    held: list[Route] = []
    holds = [True]
    driver.page.route(IMPORTS, lambda route: held.append(route) if holds else route.continue_())
    write(driver, POD.replace("{n}", "1"))
    driver.press("ControlOrMeta+Enter")
    # Of a request one hears while the page is asked something.
    wait_for(lambda: driver.page.evaluate("0") or held, "the look at the text")
    expect(driver.page.get_by_role("button", name="Create", exact=True)).to_be_enabled()
    assert pods(driver, cluster, "p-1") == []
    holds.clear()
    for route in held:
        route.continue_()
    expect(driver.page.locator("dialog")).to_have_count(0)
    assert pods(driver, cluster, "p-1") == ["default/p-1"]


def pick(driver: Driver, action: str) -> None:
    driver.page.get_by_role("button", name="Change", exact=True).click()
    driver.page.locator(".menu-panel").get_by_role("button", name=re.compile(f"^{action}")).click()


@pytest.fixture
def pinned(driver: Driver) -> tuple[Driver, int, str]:
    """Three pods are scheduled, and the node of the last one is pinned."""
    cluster = driver.prepare("three-zones", 3)
    driver.show(cluster, "&t=3")
    driver.cycle(3)
    chosen = driver.page.locator(".node[data-verdict=chosen]")
    name = chosen.get_attribute("data-node") or ""
    chosen.click()
    driver.page.get_by_role("tab", name="Node", exact=True).click()
    return driver, cluster, name


def test_cordon_taint_and_drain(pinned: tuple[Driver, int, str]) -> None:
    driver, cluster, name = pinned
    side = driver.page.locator("#side-panel")
    pick(driver, "cordon the node")
    expect(side).to_contain_text("cordoned: spec.unschedulable is true")
    pick(driver, "uncordon the node")
    expect(side).not_to_contain_text("cordoned: spec.unschedulable is true")
    pick(driver, "taint the node")
    driver.page.get_by_label("key", exact=True).fill("example.com/maintenance")
    driver.page.get_by_role("button", name="Add", exact=True).click()
    expect(side).to_contain_text("example.com/maintenance:NoSchedule")
    pick(driver, "drain the node")
    expect(side).to_contain_text("cordoned: spec.unschedulable is true")
    expect(side).to_contain_text("0 pods")
    assert driver.get(f"clusters/{cluster}/nodes/{name}/")["pods"] == []


def test_a_node_fails_recovers_and_goes(pinned: tuple[Driver, int, str]) -> None:
    driver, cluster, name = pinned
    side = driver.page.locator("#side-panel")
    pick(driver, "make the node fail")
    expect(side).to_contain_text("node.kubernetes.io/not-ready:NoExecute")
    pick(driver, "recover the node")
    expect(side).not_to_contain_text("node.kubernetes.io/not-ready:NoExecute")
    pick(driver, "delete the node")
    driver.page.locator("dialog").get_by_role("button", name="Delete").click()
    expect(driver.node(name)).to_have_count(0)
    assert name not in driver.get(f"clusters/{cluster}/nodes/")["names"]


ENDS = [
    # action              phase, or None where the pod is gone
    ("let the pod succeed", "Succeeded"),
    ("let the pod fail", "Failed"),
    ("evict the pod", None),
    ("delete the pod", None),
]


@pytest.mark.parametrize(("action", "phase"), ENDS)
def test_a_pod_ends(driver: Driver, action: str, phase: str | None) -> None:
    cluster = driver.open("three-zones")
    driver.next_cycle(1)
    driver.press("o")
    pod = driver.page.locator(".pipeline .head .name").get_attribute("title")
    expect(driver.page.locator("#side-panel .facts")).to_contain_text("on ")
    pick(driver, action)
    if action == "delete the pod":
        driver.page.locator("dialog").get_by_role("button", name="Delete").click()
    if phase is None:
        expect(driver.page.locator("#side-panel .facts")).to_contain_text("Gone")
        assert pod not in pods(driver, cluster, "")
    else:
        path = f"clusters/{cluster}/objects/Pod/{pod}/"
        wait_for(lambda: driver.get(path)["status"].get("phase") == phase, f"{pod} to be {phase}")


def test_a_load_over_a_day_is_drawn_with_keys_and_pointer(driver: Driver) -> None:
    driver.open(None)
    driver.press("n")
    dialog = driver.page.get_by_role("dialog")
    dialog.get_by_label("Template").select_option("Arrivals")
    expect(editor(driver)).to_contain_text("kind: Arrivals")
    form(driver)
    curve = dialog.get_by_role("slider", name="a minute, over a day")
    text = dialog.get_by_label("a minute, over a day: as text")
    expect(text).to_have_value("0h=1 7h=5 12h=20 18h=40 23h=1")
    curve.focus()
    driver.press("End")
    expect(curve).to_have_attribute("aria-valuetext", "24:00 h: 1 a minute")
    driver.press("PageUp")
    expect(text).to_have_value("0h=1 7h=5 12h=20 18h=40 23h=1 24h=6")
    driver.press("Delete")
    expect(text).to_have_value("0h=1 7h=5 12h=20 18h=40 23h=1")
    # A stroke over the whole day, half way up.
    box = curve.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    driver.page.mouse.move(box["x"] + 1, middle)
    driver.page.mouse.down()
    driver.page.mouse.move(box["x"] + box["width"] - 1, middle)
    driver.page.mouse.up()
    expect(text).to_have_value(re.compile(r"^0h=2\d(\.\d+)? 1h=2\d.* 24h=2\d(\.\d+)?$"))
    expect(dialog.locator("[data-check=ok]")).to_contain_text("1 Arrivals")
    dialog.get_by_role("button", name="YAML", exact=True).click()
    expect(editor(driver)).to_contain_text("curve: 0h=2")
