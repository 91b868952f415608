"""Why no node was found: the statuses of all nodes in a column, the text, and who is blamed."""

import numpy as np

from scheduler_core.framework.diagnosis import Diagnosis, NodeToStatus
from scheduler_core.framework.status import SUCCESS, Code, Status

NO, NEVER = Status(Code.UNSCHEDULABLE, ("no",), "A"), Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("never",), "B")
PENDING = Status(Code.PENDING, ("gated",), "C")


def statuses(*codes: int) -> NodeToStatus:
    found = NodeToStatus({name: row for row, name in enumerate("vwxyz")})
    found.set_rows(np.arange(len(codes)), np.array(codes, np.int32), [SUCCESS, NO, NEVER, PENDING])
    return found


def test_success_and_what_was_not_looked_at_are_absent() -> None:
    found = statuses(0, 1, 2)
    assert [found[name] for name in "vwxyz"] == [found.absent, NO, NEVER, found.absent, found.absent]
    assert found.explicit == 2 and [found.has(name) for name in "vwx"] == [False, True, True]
    assert found.rows_with(Code.UNSCHEDULABLE).tolist() == [1]
    assert found.rows_with(Code.UNSCHEDULABLE_AND_UNRESOLVABLE).tolist() == [0, 2, 3, 4]


def test_a_later_answer_takes_the_place_of_an_earlier_one() -> None:
    found = statuses(1, 1)
    found.set("w", NEVER)
    found.set("elsewhere", NO)
    assert (found["v"], found["w"], found["elsewhere"]) == (NO, NEVER, NO)
    assert found.tally() == {NO: 2, NEVER: 1} and len(found) == 6


def test_the_text_sorts_its_reasons_as_strings() -> None:
    found = Diagnosis(statuses(1, 1, 2), 12)
    found.statuses.absent = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("far",))
    found.post_filter_message = "preemption: no."
    assert found.message == "0/12 nodes are available: 1 never, 2 no, 9 far. preemption: no."
    found.statuses.absent = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)
    assert found.message == "0/12 nodes are available: 1 never, 2 no. preemption: no."


def test_what_pre_filter_says_goes_for_all_nodes() -> None:
    found = Diagnosis(statuses(), 5, pre_filter_message="no such volume")
    assert found.message == "0/5 nodes are available: no such volume."


def test_only_who_rejected_is_blamed() -> None:
    found = Diagnosis(statuses(1, 3, 0), 5)
    found.add_all_plugin_statuses()
    found.add_plugin_status(Status(Code.ERROR, ("boom",), "D"))
    assert (found.unschedulable_plugins, found.pending_plugins) == ({"A", "C"}, {"C"})
