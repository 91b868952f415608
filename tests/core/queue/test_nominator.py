import pytest

from kube_objects.pod import Pod
from scheduler_core.queue.nominator import Nominator
from tests.conformance.testing import PodBuilder, make_pod


def _pod(status: str = "", node: str = "") -> PodBuilder:
    builder = make_pod("p")
    if status:
        builder.status(nominatedNodeName=status)
    return builder.spec(nodeName=node) if node else builder


ADDITIONS = [
    # name, pod, node given, live pod, want
    ("by its status", _pod("n1"), None, _pod("n1"), "n1"),
    ("given", _pod(), "n2", _pod(), "n2"),
    ("given beats status", _pod("n1"), "n2", _pod("n1"), "n2"),
    ("taken back", _pod("n1"), "", _pod("n1"), ""),
    ("nothing to say", _pod(), None, _pod(), ""),
    ("gone", _pod("n1"), None, None, ""),
    ("assigned by now", _pod("n1"), None, _pod("n1", node="n9"), ""),
]


@pytest.mark.parametrize(("name", "pod", "given", "live", "want"), ADDITIONS)
def test_add(name: str, pod: PodBuilder, given: str | None, live: PodBuilder | None, want: str) -> None:
    found: Pod | None = live.build() if live else None
    nominator = Nominator(lambda key: found)
    nominator.add(pod.build(), given)
    assert list(nominator.nodes()) == ([want] if want else [])
    assert nominator.on_node(want) == ([("default", "p", pod.build().uid)] if want else [])


UPDATES = [
    # name, nominated in memory, old status, new status, want
    ("an update that says nothing keeps what is in memory", "n1", "", "", "n1"),
    ("set", "", "", "n2", "n2"),
    ("changed", "n1", "n1", "n2", "n2"),
    ("removed", "n1", "n1", "", ""),
    ("removed, another in memory", "n3", "n1", "", ""),
]


@pytest.mark.parametrize(("name", "memory", "old", "new", "want"), UPDATES)
def test_update(name: str, memory: str, old: str, new: str, want: str) -> None:
    nominator = Nominator(lambda key: _pod(new).build())
    nominator.add(_pod(old).build(), memory)
    nominator.update(_pod(old).build(), _pod(new).build())
    assert list(nominator.nodes()) == ([want] if want else [])


def test_order_on_a_node_and_removal() -> None:
    pods = [make_pod(name).status(nominatedNodeName="n").build() for name in ("b", "a", "c")]
    nominator = Nominator(lambda key: next(pod for pod in pods if pod.key == key))
    for pod in pods:
        nominator.add(pod)
    nominator.remove(pods[1].uid)
    assert [name for _, name, _ in nominator.on_node("n")] == ["b", "c"]
    copy = Nominator(lambda key: None)
    copy.load(nominator.dump())
    copy.remove(pods[0].uid)
    assert [name for _, name, _ in copy.on_node("n")] == ["c"]
