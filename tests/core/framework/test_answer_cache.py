"""What is kept of earlier answers: asked again is only about rows that changed, and never for other pods."""

from itertools import islice
from typing import Any, cast

import numpy as np
import pytest

from scheduler_core.cache.cache import Cache
from scheduler_core.cache.node_table import MAX_RECENT_CHANGES
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.answer_cache import MAX_SIGNATURES, CachedStage, RowAnswers, SignatureCache
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import Reads, ScorePlugin
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.helper import ConstantState
from tests.conformance.testing import make_node, make_pod
from tests.core.framework.scripted_profile import Stage, plugin

FULL = Status.unschedulable("full")
POD = make_pod("p").build()


def scorer(name: str, reads: Reads) -> ScorePlugin:
    return cast(ScorePlugin, plugin(name, ScorePlugin, score=lambda *_: None, reads=reads)())


class Rows:
    """Three nodes, and what is kept of them; `asked` has the names of each call."""

    def __init__(self) -> None:
        self.cache = Cache()
        for name in "abc":
            self.cache.add_node(make_node(name).build())
        self.cache.update_snapshot()
        self.answers = RowAnswers(self.cache.table)
        self.asked: list[tuple[str, str]] = []
        self.plugins: list[Any] = []

    def run_a_pod(self, node: str) -> None:
        self.cache.add_pod(make_pod(f"on-{node}").node(node).build())
        self.cache.update_snapshot()

    def filter(self, *rows: int, by_load: bool = False) -> list[str]:
        """What is said of the rows: node `c` is rejected by itself, and rows with a pod on them."""

        def by_node(nodes: Nodes) -> Any:
            self.asked.append(("node", "".join(nodes.names)))
            return np.array([int(name == "c") for name in nodes.names], np.int32), [SUCCESS, FULL]

        def by_row(nodes: Nodes) -> Any:
            self.asked.append(("row", "".join(nodes.names)))
            return (nodes.pod_count > 0).astype(np.int32), [SUCCESS, FULL]

        codes = self.answers.filter(np.array(rows), self.plugins, by_node, by_row, by_load)
        return [self.answers.statuses[code].message for code in codes]

    def score(self, plugins: list[ScorePlugin]) -> list[list[int]]:
        def ask(each: ScorePlugin, nodes: Nodes) -> Any:
            self.asked.append((each.name, "".join(nodes.names)))
            return nodes.pod_count

        return self.answers.scores(plugins, np.arange(3), ask).tolist()


def test_the_same_rows_are_asked_about_once() -> None:
    rows = Rows()
    assert rows.filter(0, 2) == rows.filter(0, 2) == ["", "full"]
    assert rows.asked == [("node", "abc"), ("row", "ab")], "what the node alone decides is not asked again by row"


def test_only_a_row_that_changed_is_asked_about_again() -> None:
    rows = Rows()
    rows.filter(0, 1, 2)
    rows.run_a_pod("b")
    assert rows.filter(0, 1, 2) == ["", "full", "full"]
    assert rows.asked[2:] == [("row", "b")]
    assert rows.filter(0, 1) == ["", "full"] and len(rows.asked) == 3, "now it is known again"


def test_scores_that_read_the_row_follow_it_and_those_of_the_node_stay() -> None:
    by_row = scorer("ByRow", Reads.ROW)
    by_node = scorer("ByNode", Reads.NODE)
    rows = Rows()
    assert rows.score([by_row, by_node]) == [[0, 0, 0], [0, 0, 0]]
    rows.run_a_pod("a")
    assert rows.score([by_row, by_node]) == [[1, 0, 0], [0, 0, 0]]
    assert rows.asked == [("ByRow", "abc"), ("ByNode", "abc"), ("ByRow", "a")]


def test_a_row_that_is_as_full_as_one_that_was_asked_about_is_not_asked_about() -> None:
    rows = Rows()
    rows.filter(0, 1, 2, by_load=True)
    rows.run_a_pod("a")
    rows.filter(0, 1, 2, by_load=True)
    rows.run_a_pod("b")
    rows.run_a_pod("c")
    assert rows.filter(0, 1, 2, by_load=True) == ["full", "full", "full"]
    assert rows.asked[2:] == [("row", "a")], "what the node alone decides stays as well"


def test_scores_by_load_are_those_of_a_row_that_is_as_full() -> None:
    by_load, by_node = scorer("ByLoad", Reads.LOAD), scorer("ByNode", Reads.NODE)
    rows = Rows()
    rows.score([by_load, by_node])
    rows.run_a_pod("a")
    rows.score([by_load, by_node])
    rows.run_a_pod("c")
    assert rows.score([by_load, by_node]) == [[1, 0, 1], [0, 0, 0]]
    assert rows.asked[2:] == [("ByLoad", "a")]


def test_as_full_as_another_is_nothing_any_more_when_everything_is_renewed() -> None:
    by_load, rows = scorer("ByLoad", Reads.LOAD), Rows()
    rows.score([by_load])
    rows.run_a_pod("a")
    rows.score([by_load])
    rows.cache.table.invalidate_rows()
    rows.score([by_load])
    assert rows.asked[1:] == [("ByLoad", "a"), ("ByLoad", "abc")]


@pytest.mark.parametrize("changes", [1, MAX_RECENT_CHANGES, MAX_RECENT_CHANGES + 1])
def test_rows_that_changed_are_found_however_many_changes_there_were(changes: int) -> None:
    by_row, rows = scorer("ByRow", Reads.ROW), Rows()
    rows.score([by_row])
    for number in range(changes):
        rows.cache.add_pod(make_pod(f"p{number}").node("b").build())
    assert rows.score([by_row]) == [[0, changes, 0]]
    assert rows.asked[1:] == [("ByRow", "b")]


class Said:
    """Two plugins at a point: of the first the answer stands, of the second it may change; `asked` are their names."""

    def __init__(self) -> None:
        self.plugins = [scorer("CachedStage", Reads.NODE), scorer("Changing", Reads.NODE)]
        self.standing: CachedStage[ScorePlugin, str, list[str]] = CachedStage()
        self.asked: list[str] = []

    def ask(self, changing: str, state: CycleState, first: int = 2) -> list[str]:
        """What comes of the answers of so many of the plugins."""

        def ask(plugin: ScorePlugin) -> str:
            self.asked.append(plugin.name)
            state.write(plugin.name, ConstantState(changing))
            return "yes" if plugin.name == "CachedStage" else changing

        return self.standing.outcome(
            self.plugins,
            state,
            ask,
            lambda plugin: plugin.name == "CachedStage",
            lambda answers: [answer for _, answer in islice(answers, first)],
        )


def test_what_stands_is_asked_once_and_what_comes_of_the_same_answers_is_one() -> None:
    said, states = Said(), [CycleState(), CycleState(), CycleState()]
    outcomes = [said.ask(answer, state) for answer, state in zip(("no", "no", "perhaps"), states, strict=True)]
    assert outcomes == [["yes", "no"], ["yes", "no"], ["yes", "perhaps"]] and outcomes[0] is outcomes[1]
    assert said.asked.count("CachedStage") == 1
    left = [(state.read("CachedStage").value, state.read("Changing").value) for state in states]
    assert left == [("no", "no"), ("no", "no"), ("no", "perhaps")]


def test_a_plugin_is_asked_when_its_turn_comes() -> None:
    said = Said()
    said.ask("no", CycleState(), first=1)
    assert said.asked == ["CachedStage"], "the second may not be asked at all"


def test_nothing_is_left_by_a_plugin_whose_turn_does_not_come() -> None:
    said, state = Said(), CycleState()
    said.plugins.reverse()
    said.ask("no", CycleState())
    for _ in range(2):
        assert said.ask("never", state, first=1) == ["never"]
        assert state.keys == ["Changing"]


def test_other_plugins_are_asked_about_every_row() -> None:
    first = scorer("First", Reads.NODE)
    second = scorer("Second", Reads.NODE)
    rows = Rows()
    rows.score([first])
    rows.score([second])
    assert rows.asked == [("First", "abc"), ("Second", "abc")]


def test_a_signature_is_kept_from_the_second_pod_on_that_has_it() -> None:
    table, signatures = Rows().cache.table, SignatureCache()
    assert signatures.rows_for(POD, table) is None
    kept = signatures.rows_for(make_pod("its-replica").build(), table)
    assert kept is not None and signatures.rows_for(POD, table) is kept
    assert signatures.rows_for(make_pod("other").cpu("1").build(), table) is None, "another template is another one"


def test_the_signature_that_was_used_last_stays() -> None:
    table, signatures = Rows().cache.table, SignatureCache()
    for number in range(MAX_SIGNATURES):
        signatures.rows_for(make_pod("p").cpu(f"{number + 1}m").build(), table)
    assert signatures.rows_for(make_pod("p").cpu("1m").build(), table) is not None
    signatures.rows_for(make_pod("p").cpu("9").build(), table)
    assert signatures.rows_for(make_pod("p").cpu("1m").build(), table) is not None, "used a moment ago"
    assert signatures.rows_for(make_pod("p").cpu("2m").build(), table) is None, "the one that was not used for longest"


def test_pods_of_one_shape_share_what_is_known_by_row() -> None:
    """Those of another label come to known rows with the first of them; what answers the template is their own."""
    table, signatures = Rows().cache.table, SignatureCache(by_shape=True)
    web, db = make_pod("w").label("app", "web").build(), make_pod("d").label("app", "db").build()
    assert signatures.rows_for(web, table) is None
    first, second = signatures.rows_for(db, table), signatures.rows_for(web, table)
    assert first is not None and second is not None and first is not second
    assert first.rows is second.rows and first.pre_filter is not second.pre_filter
    assert signatures.rows_for(make_pod("larger").cpu("1").build(), table) is None, "another shape"


def test_other_filters_are_asked_about_every_row() -> None:
    """Of pods of one shape some may skip a plugin that others do not."""
    rows = Rows()
    rows.filter(0, 1, 2)
    rows.plugins = [scorer("Another", Reads.NODE)]
    rows.filter(0, 1, 2)
    assert rows.asked == [("node", "abc"), ("row", "ab")] * 2


@pytest.mark.parametrize("looks", [True, False])
def test_rows_are_shared_where_no_plugin_looks_at_metadata(looks: bool) -> None:
    """What reads the whole cluster is asked for each pod anyway."""
    by_label = plugin("Label", ScorePlugin, score=lambda *_: None, reads=Reads.ROW, reads_metadata=looks)
    everywhere = plugin("All", ScorePlugin, score=lambda *_: None, reads=Reads.CLUSTER)
    stage = Stage([by_label, everywhere], [make_node("a")])
    pods = [make_pod(name).label("app", name).build() for name in ("web", "db")]
    found = [stage.framework.signature_cache.rows_for(pod, stage.nodes.table) for pod in pods]
    assert found[0] is None and (found[1] is None) is looks


def test_nothing_is_kept_of_nodes_that_came_and_went() -> None:
    rows, signatures = Rows(), SignatureCache()
    signatures.rows_for(POD, rows.cache.table)
    assert signatures.rows_for(POD, rows.cache.table) is not None
    rows.cache.add_node(make_node("d").build())
    rows.cache.update_snapshot()
    assert signatures.rows_for(POD, rows.cache.table) is None
