"""Texts that people, clients, files and extenders write are shown as text: none runs, none becomes an element."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect

from tests.browser import faults
from tests.browser.conftest import SEEN
from tests.browser.driver import Answers, Driver
from tests.core.controllers.chaos import workload
from tests.outbound.loopback_servers import answers, serve
from tests.services import Playground
from tests.web import Manifest, node, pod

# `<x-probe>` shows that a text was parsed as HTML, `ran()` that it was run.
SHORT = "\"'><svg onload=ran()><x-probe>"
TEXT = (
    SHORT + "<img src=x onerror=ran()></script></style></textarea></title><script>ran()</script>"
    "<a href=javascript:ran()>{{constructor.constructor('ran()')()}}${ran()}[x](javascript:ran())<!--\u202e\u200b`"
)
# Names have neither control characters nor more than 100 characters.
NAME = TEXT[:100]
CLIENT = "<x-probe><svg/onload=ran()>"
PARSED = 'x-probe, [onload], [onerror], [src=x], [href^="javascript:" i], iframe, object, embed'
WATCH = """
window.ran = () => report('a script ran');
addEventListener('securitypolicyviolation', (event) => report(`policy: ${event.violatedDirective} ${event.sample}`));
const find = () => document.querySelector('%(parsed)s');
new MutationObserver(() => find() && report(`parsed: ${find().outerHTML.slice(0, 200)}`)).observe(
  document, {subtree: true, childList: true, attributes: true});
""".replace("%(parsed)s", PARSED)
SHOW_TAB = "async (tab) => (await import('/static/js/base/store.js')).store.side.value = tab"
SHOW_DIALOG = "async (about) => (await import('/static/js/base/store.js')).store.dialog.value = about"
UNFOLD = "() => document.querySelectorAll('details').forEach((part) => part.open = true)"
DIALOGS = """async () => {
  const source = await (await fetch('/static/js/shell/dialogs.js')).text();
  return [...source.matchAll(/^  (\\w+): lazy/gm)].map((match) => match[1]);
}"""
ABOUT_POD = {
    "kind": "Pod",
    "objectKey": "default/big",
    "pod": "default/big",
    "node": "a",
    "cycle": 1,
    "lane": "unschedulable",
}
ABOUT: dict[str, dict[str, Any]] = {
    "confirm": {"title": TEXT, "text": TEXT, "action": TEXT},
    "ownerless": {"counts": {TEXT: 1}},
    "rollout": {"kind": "Deployment", "namespace": "default", "workload": "web"},
}
SAVE_PICTURE = """async (view) => (await import('/static/js/palette/picture_rows.js')).pictureActions()
  .find(({id}) => id === `picture-${view}-svg`).run()"""


def hostile_node(name: str) -> Manifest:
    made = node(name)
    made["metadata"]["annotations"] = {"note": TEXT}
    made["status"]["images"] = [{"names": [TEXT], "sizeBytes": 1000}]
    made["status"]["conditions"] = [{"type": "Ready", "status": "True", "reason": TEXT, "message": TEXT}]
    return made


def hostile_pod(name: str, **spec: Any) -> Manifest:
    made = pod(name, cpu="3", **spec)
    made["metadata"]["annotations"] = {"note": TEXT}
    made["spec"]["containers"][0] |= {"image": TEXT, "args": [TEXT], "env": [{"name": "A", "value": TEXT}]}
    return made


OBJECTS = [
    hostile_node("a"),
    hostile_node("b"),
    hostile_pod("first", nodeName="b"),
    hostile_pod("big"),
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "texts"}, "data": {"text": TEXT}},
    {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": 3,
        "description": TEXT,
    },
    workload("Deployment", "web", replicas=1),
]
# Each is sent to the Kubernetes API by a client whose name is markup, too.
WRITES = [
    ("api/v1/namespaces/default/configmaps", {"kind": "ConfigMap", "metadata": {"name": "made"}, "data": {"a": TEXT}}),
    ("api/v1/namespaces/default/configmaps", {"kind": "ConfigMap", "metadata": {"name": SHORT}}),
    (
        "api/v1/namespaces/default/events",
        {
            "kind": "Event",
            "metadata": {"name": "e", "namespace": "default"},
            "involvedObject": {"kind": "Pod", "name": "big", "namespace": "default"},
            "type": "Warning",
            "reason": SHORT,
            "message": TEXT,
            "source": {"component": TEXT},
        },
    ),
]

PROFILE = f"""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {{score: {{enabled: [{{name: {json.dumps(SHORT)}}}]}}}}
"""
MANIFESTS = f"""apiVersion: v1
kind: Pod
metadata: {{name: {json.dumps(SHORT)}, labels: {{{json.dumps(SHORT)}: {json.dumps(SHORT)}}}}}
spec: {{containers: [{{name: {json.dumps(SHORT)}}}]}}
---
apiVersion: {json.dumps(SHORT)}
kind: {json.dumps(SHORT)}
metadata: {{name: x}}
"""


class Reports:
    """What scripts, policies and requests of the pages of a context did that no text may make them do."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self._url = url
        self._found: list[str] = []
        context.expose_binding("report", lambda _source, text: self._found.append(text))
        context.add_init_script(WATCH)
        context.on("page", self._watch)

    def _watch(self, page: Page) -> None:
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self._check_origin(request.url))

    def _dismiss(self, dialog: Dialog) -> None:
        self._found.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _check_origin(self, url: str) -> None:
        if not url.startswith((self._url, "data:", "blob:", "file:")):
            self._found.append(f"request to {url}")

    def check(self, view: str) -> None:
        assert self._found == [], view


class Hostile:
    """A playground with one cluster whose texts are all markup, a page on it, and what became of the texts."""

    def __init__(self, driver: Driver, reports: Reports, context: BrowserContext) -> None:
        self.driver, self.reports, self.context = driver, reports, context
        self.page = driver.page
        self.answers = Answers(driver.page)
        self.cluster = 0

    def write(self, path: str, body: Manifest) -> None:
        self.driver.request.post(
            f"{self.driver.url}/k8s/{self.cluster}/{path}",
            data={"apiVersion": "v1", **body},
            headers={"User-Agent": CLIENT, "Connection": "close"},
        )

    def settle(self, view: str) -> None:
        """Wait until the view is drawn; fail if it did anything with a text but show it."""
        self.answers.settle()
        self.page.locator("body").evaluate("() => new Promise(requestAnimationFrame)")
        self.reports.check(view)


@pytest.fixture(scope="module")
def hostile(browser: Browser, browser_context_args: dict[str, Any], playground_server: Playground) -> Iterator[Hostile]:
    url = playground_server.url
    # The extender takes the only node that has room; `big` waits, with the extender's text as its reason.
    refusal = json.dumps({"NodeNames": [], "FailedNodes": {"a": f"{TEXT}\x0b"}}).encode()
    with browser.new_context(**browser_context_args) as context, serve(answers(refusal)) as extender:
        context.add_init_script(SEEN)
        reports = Reports(context, url)
        made = Hostile(Driver(context.new_page(), url), reports, context)
        driver = made.driver
        profile = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "extenders": [{"urlPrefix": extender.url(""), "filterVerb": "f", "nodeCacheCapable": True}],
        }
        created = driver.post("clusters/", {"name": NAME, "seed": 1, "config": json.dumps(profile)})
        made.cluster = driver.first_made = int(created["id"])
        driver.post(f"clusters/{made.cluster}/commands/", {"kind": "create", "objects": OBJECTS})
        driver.run(made.cluster, {"cycles": 2})
        yield made
        driver.leave()


def test_no_view_runs_or_parses_a_text(hostile: Hostile) -> None:
    page, driver = hostile.page, hostile.driver
    driver.show(hostile.cluster, "&t=1&pod=default/big&node=a")
    for tab in ("why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile"):
        page.evaluate(SHOW_TAB, tab)
        hostile.settle(tab)
        page.evaluate(UNFOLD)
        hostile.settle(f"{tab}, unfolded")
        if tab in {"why", "pod", "node", "events"}:
            expect(page.locator("#side-panel")).to_contain_text("<x-probe>")
    for name in page.evaluate(DIALOGS):
        page.evaluate(SHOW_DIALOG, {"name": name, **ABOUT_POD, **ABOUT.get(name, {})})
        hostile.settle(f"dialog {name}")
        page.evaluate(SHOW_DIALOG, None)
    page.emulate_media(media="print")
    hostile.settle("print")
    page.emulate_media(media="screen")


def test_a_text_of_a_client_is_no_markup(hostile: Hostile) -> None:
    hostile.driver.show(hostile.cluster)
    hostile.page.keyboard.press("K")
    expect(hostile.page.locator("#terminal-writes")).to_be_visible()
    for path, body in WRITES:
        hostile.write(path, body)
    expect(hostile.page.locator(".terminal").get_by_text("<x-probe>").nth(1)).to_be_visible()
    hostile.settle("terminal")
    hostile.page.keyboard.press("K")


def test_a_text_that_is_pasted_is_no_markup(hostile: Hostile) -> None:
    page = hostile.page
    hostile.driver.show(hostile.cluster, "&t=1&view=profile")
    page.get_by_role("button", name="YAML", exact=True).click()
    hostile.driver.write(page.locator(".profile .cm-content"), PROFILE)
    expect(page.locator(".profile .problems li").first).to_contain_text("<x-probe>")
    hostile.settle("profile")
    page.evaluate(SHOW_DIALOG, {"name": "import"})
    page.locator("dialog .cm-content").click()
    page.keyboard.insert_text(MANIFESTS)
    expect(page.locator("dialog .problems li").first).to_contain_text("<x-probe>")
    hostile.settle("import")
    hostile.driver.close_dialog()


def test_a_file_that_is_saved_runs_nothing(hostile: Hostile, tmp_path: Path) -> None:
    page, driver = hostile.page, hostile.driver
    driver.show(hostile.cluster, "&t=1&pod=default/big&view=why")
    expect(page.locator("#side-panel")).to_contain_text("<x-probe>")
    story = tmp_path / "cycle.html"
    story.write_bytes(driver.request.get(f"{driver.url}/api/v1/clusters/{hostile.cluster}/cycles/1/storyboard/").body())
    files = [story]
    for view in ("cluster", "matrix", "ledger"):
        with page.expect_download() as download:
            page.evaluate(SAVE_PICTURE, view)
        files.append(tmp_path / download.value.suggested_filename)
        download.value.save_as(files[-1])
    hostile.settle("pictures")
    saved = hostile.context.new_page()
    faults.watch(saved)
    for file in files:
        # Extenders may answer with control characters, which no XML may have.
        if file.suffix == ".svg":
            ElementTree.parse(file)  # noqa: S314  a picture of our own
        saved.goto(file.as_uri())
        assert "x-probe" in saved.content()
        assert saved.locator(PARSED).count() == 0, file.name
    saved.close()


# Browsers take the last two for steps to another path of the API.
PARTS = [quote(SHORT), "__proto__", "constructor", "..", "."]


@pytest.mark.parametrize("part", PARTS)
def test_an_address_names_things_and_nothing_else(hostile: Hostile, part: str) -> None:
    hostile.driver.show(hostile.cluster, f"&t=1&pod={part}&node={part}&plugin={part}&view=pod")
    expect(hostile.page.locator("#side-panel")).to_contain_text("This Pod is no longer in the cluster.")
    hostile.page.evaluate(SHOW_TAB, "node")
    hostile.settle(part)
