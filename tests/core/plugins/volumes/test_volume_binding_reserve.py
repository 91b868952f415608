"""VolumeBinding from Reserve on: what is promised, given back and written."""

from typing import Any

import pytest

from kube_objects.serialize import manifest_of
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.volume_binding.finding import BIND_CONFLICT
from scheduler_core.plugins.volume_binding.plugin import STATE_KEY, State, VolumeBinding
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.plugin_calls import cluster
from tests.core.plugins.storage import (
    HOST,
    SELECTED_NODE,
    Manifest,
    StorageHandle,
    claim,
    parse,
    storage_class,
    using,
    volume,
)

UNBOUND = Status.unresolvable(BIND_CONFLICT)
BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"


class Attempt:
    """A pod with the claims `names` on its way to node n0."""

    def __init__(self, plugin: VolumeBinding, handle: StorageHandle, *names: str) -> None:
        self.plugin, self.state = plugin, CycleState()
        self.pod = using(make_pod("p-" + "-".join(names)), *names).build()
        assert plugin.pre_filter(self.state, self.pod, handle.nodes).status.is_success
        self.verdict = plugin.filter(self.state, self.pod, handle.nodes).status(0)

    def reserve(self) -> dict[str, Any]:
        assert self.verdict.is_success
        assert self.plugin.reserve(self.state, self.pod, "n0").is_success
        data: State = self.state.read(STATE_KEY)
        return data.decided()

    def give_back(self) -> None:
        self.plugin.unreserve(self.state, self.pod, "n0")

    def bind(self) -> Status:
        return self.plugin.pre_bind(self.state, self.pod, "n0")


def build(*objects: Manifest) -> tuple[VolumeBinding, StorageHandle]:
    classes = [storage_class("local"), storage_class("made", "d.csi")]
    handle: Any = StorageHandle(cluster([make_node("n0"), make_node("n1")]), [*classes, *objects])
    return VolumeBinding.create(None, handle), handle


def test_the_smallest_volume_that_fits_is_taken_by_the_smallest_claim_first() -> None:
    volumes = [volume("v9", "9Gi"), volume("v3", "3Gi"), volume("v5", "5Gi"), volume("far", "2Gi", on={HOST: "n1"})]
    plugin, handle = build(*volumes, claim("large", "3Gi"), claim("small", "2Gi"), claim("new", class_name="made"))
    decided = Attempt(plugin, handle, "large", "new", "small").reserve()
    assert decided["bind"] == {"default/small": "v3", "default/large": "v5"}
    assert decided["provision"] == ["default/new"]


def test_volumes_are_made_for_selected_claims_first_then_from_small_to_large() -> None:
    sizes = {"c3": "3Gi", "c1": "1Gi", "c2": "2Gi"}
    claims = [claim(name, size, "made", selected_node="n0" * (name == "c3")) for name, size in sizes.items()]
    plugin, handle = build(*claims)
    assert Attempt(plugin, handle, "c2", "c3", "c1").reserve()["provision"] == [
        "default/c3",
        "default/c1",
        "default/c2",
    ]


def test_a_promised_volume_is_not_promised_twice_and_comes_back_with_unreserve() -> None:
    plugin, handle = build(volume("v"), claim("c"), claim("d"))
    first = Attempt(plugin, handle, "c")
    first.reserve()
    assert handle.written == []
    assert Attempt(plugin, handle, "d").verdict == UNBOUND
    first.give_back()
    assert Attempt(plugin, handle, "d").reserve()["bind"] == {"default/d": "v"}
    first.give_back()  # a second time changes nothing for the first, and takes back what is promised by now
    assert Attempt(plugin, handle, "c").verdict == SUCCESS


def test_a_claim_whose_volume_is_to_be_made_keeps_other_pods_to_the_node_from_reserve_on() -> None:
    plugin, handle = build(claim("c", class_name="made"))
    first = Attempt(plugin, handle, "c")
    first.reserve()
    second = Attempt(plugin, handle, "c")
    assert plugin.filter(second.state, second.pod, handle.nodes).status(1) == UNBOUND
    first.give_back()
    third = Attempt(plugin, handle, "c")
    assert plugin.filter(third.state, third.pod, handle.nodes).status(1) == SUCCESS


def test_binding_writes_the_volume_and_the_claim() -> None:
    plugin, handle = build(volume("v", labels={"a": "b"}), claim("c"))
    attempt = Attempt(plugin, handle, "c")
    attempt.reserve()
    assert attempt.bind() == SUCCESS
    written_volume, written_claim = (manifest_of(obj) for obj in handle.written)
    uid = handle.get("PersistentVolumeClaim", "default/c").uid
    reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "c", "uid": uid}
    assert written_volume["spec"]["claimRef"] == reference
    assert written_volume["status"]["phase"] == "Bound"
    assert written_volume["metadata"] == {"name": "v", "labels": {"a": "b"}, "annotations": {BY_CONTROLLER: "yes"}}
    assert written_claim["spec"]["volumeName"] == "v"
    assert written_claim["status"]["phase"] == "Bound"
    assert written_claim["metadata"]["annotations"] == {"pv.kubernetes.io/bind-completed": "yes", BY_CONTROLLER: "yes"}
    # To the next pod the claim is bound.
    assert Attempt(plugin, handle, "c").reserve() == {}


def test_a_volume_that_was_reserved_for_the_claim_is_not_marked_as_the_controllers() -> None:
    plugin, handle = build(volume("v", claim_ref={"name": "c"}), claim("c"))
    attempt = Attempt(plugin, handle, "c")
    attempt.reserve()
    assert attempt.bind() == SUCCESS
    bound = handle.get("PersistentVolume", "v")
    assert bound.annotations == {}
    assert bound.claim_ref == ("default", "c", handle.get("PersistentVolumeClaim", "default/c").uid)


def test_binding_leaves_a_claim_whose_volume_is_to_be_made_unbound_on_its_node() -> None:
    plugin, handle = build(claim("c", class_name="made"))
    attempt = Attempt(plugin, handle, "c")
    attempt.reserve()
    assert attempt.bind() == SUCCESS
    (written,) = handle.written
    manifest = manifest_of(written)
    assert manifest["metadata"]["annotations"] == {SELECTED_NODE: "n0"}
    assert "volumeName" not in manifest["spec"]
    # The next pod that uses it writes nothing new.
    second = Attempt(plugin, handle, "c")
    assert second.reserve() == {"bind": {}, "provision": ["default/c"]}
    assert second.bind() == SUCCESS
    assert len(handle.written) == 1


def test_nothing_is_written_for_claims_that_are_bound() -> None:
    plugin, handle = build(volume("v"), claim("c", bound_to="v"))
    attempt = Attempt(plugin, handle, "c")
    assert attempt.reserve() == {}
    assert attempt.bind() == SUCCESS
    attempt.give_back()
    assert handle.written == []


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


@pytest.mark.parametrize(
    ("name", "changed", "deleted", "want"),
    [
        (
            "volume changed",
            volume("v", labels={"a": "b"}),
            None,
            f'Operation cannot be fulfilled on persistentvolumes "v": {MODIFIED}',
        ),
        ("volume gone", None, ("PersistentVolume", "v"), 'persistentvolumes "v" not found'),
        (
            "claim gone",
            None,
            ("PersistentVolumeClaim", "default/c"),
            'binding volumes: failed to check binding: could not find v1.PersistentVolumeClaim "default/c"',
        ),
        (
            "claim to be served changed",
            claim("new", "6Gi", "made"),
            None,
            f'Operation cannot be fulfilled on persistentvolumeclaims "new": {MODIFIED}',
        ),
        (
            "claim to be served gone",
            None,
            ("PersistentVolumeClaim", "default/new"),
            'persistentvolumeclaims "new" not found',
        ),
    ],
)
def test_nothing_is_written_over_what_changed_meanwhile(
    name: str, changed: Manifest | None, deleted: tuple[str, str] | None, want: str
) -> None:
    plugin, handle = build(volume("v"), claim("c"), claim("new", class_name="made"))
    attempt = Attempt(plugin, handle, "c", "new")
    attempt.reserve()
    if changed is not None:
        handle.lister.put(parse(changed))
    if deleted is not None:
        handle.lister.remove(*deleted)
    assert attempt.bind() == Status.error(want)
    assert handle.written == []


def test_a_changed_volume_is_promised_to_nobody_any_more() -> None:
    plugin, handle = build(volume("v"), claim("c"), claim("d"))
    Attempt(plugin, handle, "c").reserve()
    handle.lister.put(parse(volume("v", labels={"a": "b"})))
    assert Attempt(plugin, handle, "d").verdict == SUCCESS


def test_of_two_volumes_for_one_claim_the_second_stays_free() -> None:
    """A pod may name a claim twice; upstream finds a volume for each time, the PV controller binds one."""
    plugin, handle = build(volume("v", "5Gi"), volume("w", "6Gi"), claim("c"))
    attempt = Attempt(plugin, handle, "c")
    attempt.pod.volumes = attempt.pod.volumes * 2
    plugin.pre_filter(attempt.state, attempt.pod, handle.nodes)
    plugin.filter(attempt.state, attempt.pod, handle.nodes)
    attempt.reserve()
    assert attempt.bind() == SUCCESS
    assert handle.get("PersistentVolumeClaim", "default/c").volume_name == "v"
    assert handle.get("PersistentVolume", "w").claim_ref is None
    assert Attempt(plugin, handle, "c").reserve() == {}
