"""Whatever the real scheduler said in our vectors is recognised, and what others say that a user may paste."""

import re
from collections.abc import Iterator

import pytest

from scheduler_core.emulations import EMULATIONS
from simulator.explain.decoder import decode
from simulator.explain.known import KNOWN_REASONS
from tests.core.explain.watching import scenarios

OTHERS = [
    # text                                                                                       point
    ('running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded', "PreBind"),
    ('running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "a"', "PreBind"),
    ('running PreBind plugin "VolumeBinding": Operation cannot be fulfilled on pvc "a": the object …', "PreBind"),
    ('error while running "VolumeBinding" prebind plugin for pod "a": Failed to bind volumes: timed out waiting for '
     "the condition", "PreBind"),
    ('binding rejected: running Bind plugin "DefaultBinder": pods "a" not found', "Bind"),
    ('running PreBind plugin "DynamicResources": device binding timeout: context deadline exceeded', "PreBind"),
    ('running PreBind plugin "DynamicResources": device binding timeout: claim=x', "PreBind"),
    ('running PreBind plugin "DynamicResources": device binding failed: claim=x, reason=Link, message="no"', "PreBind"),
    ('running PreBind plugin "DynamicResources": context canceled', "PreBind"),
    ('running PreBind plugin "DynamicResources": claim default/x got deallocated elsewhere in the meantime', "PreBind"),
    ("waiting for binding conditions for device on node n0", "PreBind"),
    ("claim default/x, request r: asks for all devices, but resource pool d/p is currently being updated", "Filter"),
    ("claim default/x, request r: cannot add device d/p/x because a claim constraint would not be satisfied", "Filter"),
    ("class gpu: selector #0: CEL runtime error: no such key: model", "Filter"),
    ("claim default/x: number of requested devices 40 exceeds the claim limit of 32", "Filter"),
    ('waiting for pods\'s pod group "g" to appear in scheduling queue', "PreEnqueue"),
    ("waiting for minCount pods from a gang to appear in scheduling queue", "PreEnqueue"),
    ("waiting for minCount pods from a gang to be scheduled, one or more plugins asked to wait and no plugin "
     "rejected pod", "Permit"),
    ("pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or more plugins asked to "
     "wait and no plugin rejected pod", "Permit"),
    ("pod group is unschedulable, pod group is waiting for preemption to complete", "PostFilter"),
    ("pod group is unschedulable", ""),
    ("rejected due to timeout after waiting 5m0s at plugin GangScheduling", "Permit"),
    ("failed to schedule other pod from a pod group: could not be done", ""),
    ('all pods in a single pod group should have the same .spec.schedulerName set, got: "a" and "b"', ""),
    ("waiting on permit for pod: preempted", "Permit"),
    ("3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable", ""),
    ('Failed to schedule pod, all available instance types exceed limits for nodepool: "default"', ""),
    ("0/3 nodes are unavailable: 3 node(s) resource fit failed..", "Filter"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "point"), OTHERS)
def test_what_others_say_is_known(text: str, point: str) -> None:
    found = decode(text)
    assert found["recognised"], found
    assert [part["point"] for part in found["parts"]] == [point]


def messages() -> Iterator[tuple[str, str]]:
    families = ("fit", "gates", "messages", "mixed", "nodeaffinity", "preemption", "profiles", "sampling", "volumes")
    for family in (*families, "interpodaffinity", "nodeports", "taints", "topologyspread"):
        for vector in scenarios(family):
            for result in (*vector["expected"]["pods"], *vector["expected"].get("retries", ())):
                if result.get("message") and "schedulingError" not in result:
                    yield vector["expected"]["name"], result["message"]


def test_every_message_of_the_real_scheduler_is_recognised_and_its_numbers_are_kept() -> None:
    count = 0
    for name, message in messages():
        found = decode(message)
        unknown = [part["text"] for part in (*found["parts"], *found["postFilter"]) if not part["known"]]
        assert found["recognised"], (name, message, unknown)
        body = message.partition(". ")[0]
        numbers = [int(number) for number in re.findall(r"(?:: |, )(\d+) (?=[\w(])", body)]
        assert [part["count"] for part in found["parts"] if part["count"] is not None] == numbers, (name, message)
        count += 1
    assert count > 300


def test_every_plugin_that_is_named_exists() -> None:
    plugins = {name for emulation in EMULATIONS.values() for name in emulation.registry}
    assert {known.plugin for known in KNOWN_REASONS} - {""} <= plugins
