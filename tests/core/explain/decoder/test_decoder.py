"""Pasted texts: of this version, of older ones, wrapped by tools, cut off, and made to hurt."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.explain.decoder import MAX_CHARACTERS, decode
from simulator.explain.known import find_known_reason

# name, text, kind, total, [(count, plugin)], [texts after the reasons], preemption's [(count, plugin)] or None
CASES: list[tuple[str, str, str, int | None, list[Any], list[str], list[Any] | None]] = [
    (
        "v1.34, whole",
        "0/37 nodes are available: 3 node(s) had untolerated taint {gpu: }, 34 Insufficient cpu. no new claims to "
        "deallocate, preemption: 0/37 nodes are available: 3 Preemption is not helpful for scheduling, "
        "34 No preemption victims found for incoming pod.",
        "noFit",
        37,
        [(3, "TaintToleration"), (34, "NodeResourcesFit")],
        ["no new claims to deallocate"],
        [(3, "DefaultPreemption"), (34, "DefaultPreemption")],
    ),
    (
        "kubectl describe pod",
        "  Warning  FailedScheduling  20s (x5 over 4m27s)  default-scheduler  0/1 nodes are available: 1 node(s) had "
        "taints that the pod didn't tolerate.",
        "noFit",
        1,
        [(1, "TaintToleration")],
        [],
        None,
    ),
    (
        "kubectl get events",
        "2m57s       Warning   FailedScheduling          pod/keeper-0   0/1 nodes are available: 1 node(s) had "
        "untolerated taint {node.kubernetes.io/unreachable: }. preemption: 0/1 nodes are available: "
        "1 Preemption is not helpful for scheduling.",
        "noFit",
        1,
        [(1, "TaintToleration")],
        [],
        [(1, "DefaultPreemption")],
    ),
    (
        "a comma inside a reason (v1.18 to v1.23)",
        "0/3 nodes are available: 1 node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't "
        "tolerate, 2 Insufficient memory.",
        "noFit",
        3,
        [(1, "TaintToleration"), (2, "NodeResourcesFit")],
        [],
        None,
    ),
    (
        "before v1.9, in a table of columns",
        "2h 48m 7 default-scheduler Warning FailedScheduling No nodes are available that match all of the following "
        "predicates:: Insufficient cpu (9), Insufficient memory (15), MatchNodeSelector (18).",
        "noFit",
        None,
        [(9, "NodeResourcesFit"), (15, "NodeResourcesFit"), (18, "NodeAffinity")],
        [],
        None,
    ),
    (
        "the scheduler's log",
        'I1120 10:00:00.000000       1 schedule_one.go:1077] "Unable to schedule pod; no fit; waiting" pod="shop/db-0" '
        'err="0/3 nodes are available: persistentvolumeclaim \\"data\\" not found. preemption: 0/3 nodes are '
        'available: 3 Preemption is not helpful for scheduling."',
        "noFit",
        3,
        [(None, "VolumeBinding")],
        [],
        [(3, "DefaultPreemption")],
    ),
    (
        "an event as JSON",
        '{"reason": "FailedScheduling", "message": "0/2 nodes are available: 2 Too many pods.", "count": 1}',
        "noFit",
        2,
        [(2, "NodeResourcesFit")],
        [],
        None,
    ),
    (
        "among the events of a pod",
        "Events:\n  Type     Reason            Age   From               Message\n  ----     ------            ----\n"
        "  Warning  FailedScheduling  12s   default-scheduler  0/5 nodes are available: 5 node(s) didn't match Pod's "
        "node affinity/selector.\n  Normal   Other             1s    kubelet            something else",
        "noFit",
        5,
        [(5, "NodeAffinity")],
        [],
        None,
    ),
    (
        "the cluster autoscaler's",
        "Normal  NotTriggerScaleUp  8s  cluster-autoscaler  pod didn't trigger scale-up: 4 node(s) had untolerated "
        "taint {dedicated: user}, 2 Insufficient cpu",
        "scaleUp",
        None,
        [(4, "TaintToleration"), (2, "NodeResourcesFit")],
        [],
        None,
    ),
    (
        "no number: PreFilter speaks for all nodes",
        "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
        "noFit",
        3,
        [(None, "VolumeBinding")],
        [],
        None,
    ),
    (
        "an internal error around a reason",
        'running "VolumeBinding" filter plugin for pod "web-0": pod has unbound immediate PersistentVolumeClaims',
        "other",
        None,
        [(None, "VolumeBinding")],
        [],
        None,
    ),
    (
        "preemption may not",
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: not eligible due to "
        "preemptionPolicy=Never.",
        "noFit",
        1,
        [(1, "NodeResourcesFit")],
        [],
        [(None, "DefaultPreemption")],
    ),
    (
        "preemption ended early",
        "0/2 nodes are available: pod affinity terms conflict. not found",
        "noFit",
        2,
        [(None, "NodeAffinity")],
        ["not found"],
        None,
    ),
    ("no nodes at all", "no nodes available to schedule pods", "other", None, [(None, "")], [], None),
    (
        "gated",
        "Scheduling is blocked due to non-empty scheduling gates",
        "other",
        None,
        [(None, "SchedulingGates")],
        [],
        None,
    ),
    (
        "an extender, and a plugin from out of tree",
        "0/4 nodes are available: 1 , 3 the rack is full, says the robot.",
        "noFit",
        4,
        [(1, ""), (3, "")],
        [],
        None,
    ),
    (
        "two dots at the ends (v1.25 and others)",
        "0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods.. preemption: 0/3 nodes are available: 3 No "
        "preemption victims found for incoming pod..",
        "noFit",
        3,
        [(1, "NodeResourcesFit"), (2, "NodeResourcesFit")],
        [],
        [(3, "DefaultPreemption")],
    ),
    (
        "in a box",
        "┌─────────────────────────────────────────────┐\n│ Warning  FailedScheduling  5s  default-scheduler  0/4 │\n"
        "│ nodes are available: 1 node(s) were          │\n│ unschedulable, 3 Insufficient memory.        │\n└───┘",
        "noFit",
        4,
        [(1, "NodeUnschedulable"), (3, "NodeResourcesFit")],
        [],
        None,
    ),
    (
        "in a table, wrapped within its cell",
        "| Warning | FailedScheduling | 0/2 nodes are available: 1 node(s)  |\n"
        "|         |                  | had no available disk, 1 Too many |\n"
        "|         |                  | pods. preemption: not eligible due |\n"
        "|         |                  | to preemptionPolicy=Never.         |\n+---+\n| Normal | Pulled | image |",
        "noFit",
        2,
        [(1, "VolumeRestrictions"), (1, "NodeResourcesFit")],
        [],
        [(None, "DefaultPreemption")],
    ),
    (
        "wrapped, and something else after it",
        "0/2 nodes are available: 2 node(s) had\nuntolerated taint {a: b}.\npreemption: 0/2 nodes are available: 2\n"
        "Preemption is not helpful for scheduling.\nNode-Selectors:  <none>\nTolerations: x",
        "noFit",
        2,
        [(2, "TaintToleration")],
        [],
        [(2, "DefaultPreemption")],
    ),
    (
        "v1.5 to v1.7",
        "3h 20s 665 {default-scheduler } Warning FailedScheduling pod (test-v8915) failed to fit in any node\n"
        "fit failure summary on nodes : Insufficient pods (2), PodToleratesNodeTaints (1)",
        "noFit",
        None,
        [(2, "NodeResourcesFit"), (1, "TaintToleration")],
        [],
        None,
    ),
    (
        "PreBind",
        'Warning  FailedScheduling  33m  default-scheduler  running PreBind plugin "VolumeBinding": binding volumes: '
        "timed out waiting for the condition",
        "other",
        None,
        [(None, "VolumeBinding")],
        [],
        None,
    ),
    (
        "PreBind, as v1.18 said it",
        'error while running "VolumeBinding" prebind plugin for pod "redis-0": Failed to bind volumes: timed out '
        "waiting for the condition",
        "other",
        None,
        [(None, "VolumeBinding")],
        [],
        None,
    ),
    (
        "Volcano",
        "0/3 nodes are unavailable: 1 Insufficient nvidia.com/gpu, 2 node(s) resource fit failed.",
        "noFit",
        3,
        [(1, "NodeResourcesFit"), (2, "")],
        [],
        None,
    ),
    (
        "Volcano, not counted",
        "all nodes are unavailable: 2 node(s) pod number exceeded.",
        "noFit",
        None,
        [(2, "")],
        [],
        None,
    ),
    (
        "Karpenter",
        'Failed to schedule pod, incompatible with nodepool "gpu", daemonset overhead={"cpu":"180m","pods":"4"}, did '
        'not tolerate nvidia.com/gpu=true:NoSchedule; incompatible with nodepool "default", daemonset '
        'overhead={"cpu":"205m"}, no instance type satisfied resources {"cpu":"99"} and requirements a In [b, c]',
        "scaleUp",
        None,
        [(None, ""), (None, "")],
        [],
        None,
    ),
    ("something else", "CrashLoopBackOff", "other", None, [(None, "")], [], None),
    ("nothing", "  \n ", "other", None, [], [], None),
]


@pytest.mark.parametrize(
    ("text", "kind", "total", "parts", "after", "preemption"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_decoded(
    text: str, kind: str, total: int | None, parts: list[Any], after: list[str], preemption: list[Any] | None
) -> None:
    found = decode(text)
    assert (found["kind"], found["total"]) == (kind, total)
    assert [(part["count"], part["plugin"]) for part in found["parts"]] == parts
    assert [part["reason"] for part in found["postFilter"]] == after
    told = found["preemption"]
    assert (None if told is None else [(part["count"], part["plugin"]) for part in told["parts"]]) == preemption


def test_a_part_says_what_it_means_and_what_to_look_at() -> None:
    text = "0/5 nodes are available: 2 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 3 ???."
    part, _ = decode(text)["parts"]
    assert part["known"] and part["point"] == "Filter" and part["evicting"] == "cannot"
    assert part["meaning"] is not None
    assert part["meaning"]["text"].startswith("the node has the taint node.kubernetes.io/not-ready=, which")
    assert part["details"]["wellKnown"]["text"].startswith("the node is not ready")
    assert any(look["command"].startswith("kubectl get nodes") for look in part["look"])


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory.", "add up to more than 2"),
        ("0/2 nodes are available: 2 Insuffici ...", "was cut off"),
        ("0/2 nodes are available: 1 nope, 1 Insufficient cpu.", "1 part was not recognised"),
        ("Back-off pulling image", "is no text that kube-scheduler"),
        ("", "there is no text"),
    ],
)
def test_notes(text: str, want: str) -> None:
    assert any(want in note["text"] for note in decode(text)["notes"])


@given(st.text(max_size=300))
def test_it_never_raises(text: str) -> None:
    decode(text)
    decode(f"0/3 nodes are available: {text}")
    decode(f'err="{text}')


@pytest.mark.parametrize(
    "piece",
    [
        '"',
        '\\"',
        "0/1 nodes are available: ",
        "FailedScheduling ",
        "1 a, ",
        "(((",
        " \t",
        "node(s) didn't satisfy plugin(s) [",
        "0/1 nodes are available: 1 node(s) had taint {a: ",
        'running "a" filter plugin for pod "',
    ],
)
def test_hostile_input_is_quick(piece: str) -> None:
    began = time.perf_counter()
    found = decode(piece * 200_000)
    assert time.perf_counter() - began < 1.0
    assert len(found["text"]) <= MAX_CHARACTERS


def test_the_first_entry_that_matches_counts_and_none_is_hidden() -> None:
    examples = ["Insufficient cpu", "node(s) didn't match pod topology spread constraints (missing required label)"]
    assert [find_known_reason(example) is not None for example in examples] == [True, True]
    assert find_known_reason("Insufficient cpu, or not") is None


QUOTED = [
    # the text as YAML or a log quotes it, the message
    (
        "    message: '0/3 nodes are available: 3 node(s) didn''t match Pod''s node affinity/selector.\n"
        "      preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.'\n"
        "    reason: Unschedulable",
        "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/3 nodes are "
        "available: 3 Preemption is not helpful for scheduling.",
    ),
    (
        'message: "0/3 nodes are available: 3 Insufficient\\\n    \\ cpu."\nreason: Unschedulable',
        "0/3 nodes are available: 3 Insufficient cpu.",
    ),
    (
        'err="pod 1234-abc(default/web) is in the cache, so can\'t be assumed" pod="default/web"',
        "pod 1234-abc(default/web) is in the cache, so can't be assumed",
    ),
    (
        "message: 'pod 1234(default/web) is in the cache, so can''t be assumed'",
        "pod 1234(default/web) is in the cache, so can't be assumed",
    ),
]


@pytest.mark.parametrize(("text", "message"), QUOTED)
def test_a_quoted_message_is_recognised(text: str, message: str) -> None:
    found = decode(text)
    assert (found["text"], found["recognised"]) == (message, True)
