"""Editing by form: the text keeps its comments and order, and what it makes run is what was meant."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.shared_page import Stage
from tests.config_v1_34 import load, origins, table

VECTORS = Path(__file__).parents[2] / "conformance" / "config.jsonl.gz"
HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

RUN = """async (calls) => {
  const text = await import('/static/js/profile/yaml_edits.js');
  await text.loadYaml();
  return calls.map(([name, ...given]) => text[name](...given));
}"""
# These are told what the profile makes run, as the server answers it.
EVALUATED = ["enablePlugin", "disablePlugin", "movePlugin"]


@pytest.fixture(scope="module")
def call(stage: Stage) -> Iterator[Any]:
    """Calls the module in a page that was loaded once: it keeps nothing between calls."""
    with stage.turn() as driver:
        driver.page.goto(driver.url)
        yield lambda *calls: driver.page.evaluate(RUN, [_evaluated(*each) for each in calls])


def _evaluated(name: str, text: str, *given: Any) -> list[Any]:
    if name not in EVALUATED:
        return [name, text, *given]
    profiles = table(text)
    assert profiles is not None
    return [name, text, *given, profiles[given[0]]]


def accepted() -> list[str]:
    with gzip.open(VECTORS, "rt") as lines:
        return [row["scenario"]["yaml"] for row in map(json.loads, lines) if row["expected"]["ok"]]


def test_every_configuration_is_read(call: Any) -> None:
    assert [tree["error"] for tree in call(*(("parse", text) for text in accepted()))] == [None] * len(accepted())


COMMENTED = f"""\
# Packs the batch pods.
{HEAD}profiles:
# The one for everybody.
- schedulerName: default-scheduler  # do not rename
  plugins:
    score:
      enabled:
      # Twice as much as it is worth.
      - name: NodeResourcesFit
        weight: 2  # was 1
      disabled:
      - name: ImageLocality
  pluginConfig:
  - name: InterPodAffinity
    args:
      hardPodAffinityWeight: 5  # rarely used
# The last word.
podMaxBackoffSeconds: 20
"""
FILTER_FIRST = "    filter:\n      enabled:\n      - name: TaintToleration\n"
EDITS: list[tuple[str, tuple[Any, ...], list[tuple[str, str]]]] = [
    # name                          edit                                                     (before, after) of the text
    ("a weight that is written", ("setWeight", 0, "NodeResourcesFit", 7), [("weight: 2  #", "weight: 7 #")]),
    ("a weight that is not", ("setWeight", 0, "NodeAffinity", 7),
     [("      - name: ImageLocality\n",
       "      - name: ImageLocality\n"
       "    multiPoint:\n      enabled:\n      - name: NodeAffinity\n        weight: 7\n")]),
    ("a setting that is written", ("setField", ["podMaxBackoffSeconds"], 30), [("Seconds: 20", "Seconds: 30")]),
    ("a setting that is not", ("setField", ["parallelism"], 4), [("Seconds: 20\n", "Seconds: 20\nparallelism: 4\n")]),
    ("a setting taken away", ("setField", ["podMaxBackoffSeconds"], None),
     [("# The last word.\npodMaxBackoffSeconds: 20\n", "")]),
    ("an argument that is written", ("setArgument", 0, "InterPodAffinity", ["hardPodAffinityWeight"], 6),
     [("Weight: 5  #", "Weight: 6 #")]),
    ("an argument that is not", ("setArgument", 0, "VolumeBinding", ["bindTimeoutSeconds"], 6),
     [("# rarely used\n",
       "# rarely used\n  - name: VolumeBinding\n    args:\n      bindTimeoutSeconds: 6\n")]),
    ("enabled again", ("enablePlugin", 0, "score", "ImageLocality"),
     [("      disabled:\n      - name: ImageLocality\n", "")]),
    ("disabled", ("disablePlugin", 0, "filter", "NodePorts"),
     [("      - name: ImageLocality\n",
       "      - name: ImageLocality\n    filter:\n      disabled:\n      - name: NodePorts\n")]),
    ("moved to the front", ("movePlugin", 0, "filter", 2, 0),
     [("      - name: ImageLocality\n", f"      - name: ImageLocality\n{FILTER_FIRST}")]),
    ("renamed", ("setField", ["profiles", 0, "schedulerName"], "batch"),
     [("Name: default-scheduler  #", "Name: batch #")]),
    ("another profile", ("addProfile", "batch"), [("# rarely used\n", "# rarely used\n- schedulerName: batch\n")]),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "changes"), [case[1:] for case in EDITS], ids=[case[0] for case in EDITS])
def test_only_what_is_meant_changes(call: Any, edit: tuple[Any, ...], changes: list[tuple[str, str]]) -> None:
    name, *given = edit
    (after,) = call((name, COMMENTED, *given))
    want = COMMENTED
    for old, new in changes:
        assert old in want
        want = want.replace(old, new, 1)
    # The space before a comment behind a value is the writer's own.
    assert after.replace("  #", " #") == want.replace("  #", " #")
    load(after)


def test_any_order_can_be_made(call: Any) -> None:
    """Whatever is moved where, at any point of any profile: the engine then runs the plugins in that order."""
    texts = [HEAD, COMMENTED, *accepted()[::6]]
    moves, wanted = [], []
    for number, text in enumerate(texts):
        first = origins(text)["profiles"][0]
        for point in ("filter", "score", "preEnqueue"):
            order = [entry["plugin"] for entry in first["points"][point]["enabled"]]
            if len(order) < 2:
                continue
            source, target = number % len(order), (number * 5 + 3) % len(order)
            moves.append(("movePlugin", text, 0, point, source, target))
            order.insert(target, order.pop(source))
            wanted.append(
                (point, order, {each["plugin"]: each.get("weight") for each in first["points"][point]["enabled"]})
            )
    assert len(moves) > 20
    for after, (point, order, weights) in zip(call(*moves), wanted, strict=True):
        entries = origins(after)["profiles"][0]["points"][point]["enabled"]
        assert [entry["plugin"] for entry in entries] == order
        assert {entry["plugin"]: entry.get("weight") for entry in entries} == weights


def test_enable_undoes_disable(call: Any) -> None:
    (off,) = call(("disablePlugin", HEAD, 0, "filter", "NodePorts"))
    assert "NodePorts" not in [each["plugin"] for each in origins(off)["profiles"][0]["points"]["filter"]["enabled"]]
    (on,) = call(("enablePlugin", off, 0, "filter", "NodePorts"))
    assert load(on) == load(HEAD)
    (nowhere,) = call(("disablePlugin", COMMENTED, 0, "multiPoint", "NodeResourcesFit"))
    points = origins(nowhere)["profiles"][0]["points"]
    assert all("NodeResourcesFit" not in [each["plugin"] for each in points[point]["enabled"]] for point in points)
    (everywhere,) = call(("enablePlugin", nowhere, 0, "multiPoint", "NodeResourcesFit"))
    weights = {
        each["plugin"]: each["weight"] for each in origins(everywhere)["profiles"][0]["points"]["score"]["enabled"]
    }
    assert weights["NodeResourcesFit"] == 1
    (off,) = call(("disablePlugin", HEAD, 0, "multiPoint", "NodeAffinity"))
    (on,) = call(("enablePlugin", off, 0, "multiPoint", "NodeAffinity"))
    # With the weight that it has by default.
    assert load(on) == load(HEAD)


def test_a_copy_is_the_same_under_another_name(call: Any) -> None:
    (copied,) = call(("addProfile", COMMENTED, "batch", 0))
    made = load(copied)
    assert [profile.scheduler_name for profile in made.profiles] == ["default-scheduler", "batch"]
    assert made.profiles[0].plugins == made.profiles[1].plugins
    assert made.profiles[0].plugin_config == made.profiles[1].plugin_config
    (alone,) = call(("removeProfile", copied, 1))
    assert load(alone) == load(COMMENTED)
    (named,) = call(("addProfile", HEAD, "second"))
    assert [profile.scheduler_name for profile in load(named).profiles] == ["default-scheduler", "second"]
