"""Pods of Windows, and the disks that vendors of storage offer: every cause. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from tests.core.kube_apiserver.refusals import MAIN, Object, pod, told, told_of_change

NOT_OF_WINDOWS = "Forbidden: cannot be set for a windows pod"
NOT_OF_LINUX = "Forbidden: windows options cannot be set for a linux pod"
C0 = "spec.containers[0].securityContext"
USER = f"{C0}.windowsOptions.runAsUserName: Invalid value"


def windows(context: Object | None = None, **fields: Any) -> Object:
    return pod(os={"name": "windows"}, **({"securityContext": context} if context else {}), **fields)


def of_container(context: Object, **fields: Any) -> Object:
    return {"spec": {"containers": [{**MAIN, "securityContext": context}], **fields}}


def named(user: str) -> Object:
    return of_container({"windowsOptions": {"runAsUserName": user}})


PODS: list[tuple[str, Object, list[str]]] = [
    ("a system without a name", pod(os={}), ["spec.os.name: Required value"]),
    (
        "another system",
        pod(os={"name": "plan9"}),
        ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    ),
    ("windows, as it should be", windows(), []),
    (
        "what only linux has",
        windows({"runAsUser": 5, "fsGroup": 3, "sysctls": [{"name": "a", "value": "b"}]}, hostPID=True, hostUsers=True),
        [
            f"spec.hostUsers: {NOT_OF_WINDOWS}",
            f"spec.hostPID: {NOT_OF_WINDOWS}",
            f"spec.securityContext.fsGroup: {NOT_OF_WINDOWS}",
            f"spec.securityContext.sysctls: {NOT_OF_WINDOWS}",
            f"spec.securityContext.runAsUser: {NOT_OF_WINDOWS}",
        ],
    ),
    (
        "a container of it",
        of_container({"capabilities": {"drop": ["ALL"]}, "seLinuxOptions": {"level": "x"}}, os={"name": "windows"}),
        [f"{C0}.seLinuxOptions: {NOT_OF_WINDOWS}", f"{C0}.capabilities: {NOT_OF_WINDOWS}"],
    ),
    (
        "what only windows has",
        of_container({"windowsOptions": {}}, os={"name": "linux"}, securityContext={"windowsOptions": {}}),
        [f"spec.securityContext.windowsOptions: {NOT_OF_LINUX}", f"{C0}.windowsOptions: {NOT_OF_LINUX}"],
    ),
    (
        "a process of the node without its network",
        windows({"windowsOptions": {"hostProcess": True}}),
        ["spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers"],
    ),
    (
        "a pod and a container that disagree",
        of_container(
            {"windowsOptions": {"hostProcess": False}},
            securityContext={"windowsOptions": {"hostProcess": True}},
            hostNetwork=True,
        ),
        [
            f"{C0}.windowsOptions.hostProcess: Invalid value: false: "
            "pod hostProcess value must be identical if both are specified, was true"
        ],
    ),
    ("a user of windows", named("CORP.example\\me"), []),
    ("no user", named(""), [f'{USER}: "": runAsUserName cannot be an empty string']),
    (
        "two backslashes",
        named("a\\b\\c"),
        [f'{USER}: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash'],
    ),
    ("dots", named(".."), [f'{USER}: "..": runAsUserName\'s User cannot contain only periods or spaces']),
    (
        "a sign that no user has",
        named("a+b"),
        [f'{USER}: "a+b": runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]'],
    ),
]


@pytest.mark.parametrize(("name", "given", "want"), PODS)
def test_a_pod(name: str, given: Object, want: list[str]) -> None:
    assert told("pods", given) == want


LUN = "must be between 0 and 255, inclusive"
# The kind, the disk, what is said of it as a persistent volume's and as a pod's.
DISKS: list[tuple[str, Object, list[str], list[str]]] = [
    ("iscsi", {"targetPortal": "10.0.0.1", "iqn": "iqn.2015-02.example.com:test", "lun": 0}, [], []),
    (
        "iscsi",
        {"iqn": "bad", "lun": 999, "chapAuthSession": True, "initiatorName": "naa.1"},
        [
            "targetPortal: Required value",
            'iqn: Invalid value: "bad": must be valid format',
            f"lun: Invalid value: 999: {LUN}",
            "secretRef: Required value",
            'initiatorname: Invalid value: "naa.1": must be valid format',
        ],
        [
            "targetPortal: Required value",
            'iqn: Invalid value: "bad": must be valid format starting with iqn, eui, or naa',
            f"lun: Invalid value: 999: {LUN}",
            "secretRef: Required value",
            'initiatorname: Invalid value: "naa.1": must be valid format',
        ],
    ),
    ("fc", {"targetWWNs": ["a"]}, ["lun: Required value: lun is required if targetWWNs is specified"], ["same"]),
    ("fc", {"targetWWNs": ["a"], "lun": 300}, [f"lun: Invalid value: 300: {LUN}"], ["same"]),
    (
        "azureDisk",
        {"diskName": "d", "diskURI": "x", "kind": "Shared"},
        [
            'diskURI: Unsupported value: "x": supported values: '
            '"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"'
        ],
        ["same"],
    ),
    ("rbd", {}, ["monitors: Required value", "image: Required value"], ["same"]),
    ("vsphereVolume", {}, ["volumePath: Required value"], ["same"]),
    ("flocker", {"datasetName": "a/b"}, ["datasetName: Invalid value: \"a/b\": must not contain '/'"], ["same"]),
    (
        "awsElasticBlockStore",
        {"volumeID": "v", "partition": -1},
        ["partition: Invalid value: -1: must be between 1 and 255, inclusive"],
        ["same"],
    ),
]


@pytest.mark.parametrize(("kind", "disk", "of_volume", "of_pod"), DISKS)
def test_a_disk(kind: str, disk: Object, of_volume: list[str], of_pod: list[str]) -> None:
    volume = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], kind: disk}
    said = told("persistentvolumes", {"spec": volume})
    assert [each.removeprefix(f"spec.{kind}.") for each in said] == of_volume
    said = told("pods", pod(volumes=[{"name": "v", kind: disk}]))
    assert [each.removeprefix(f"spec.volumes[0].{kind}.") for each in said] == (
        of_volume if of_pod == ["same"] else of_pod
    )


def test_a_time_that_is_below_zero_is_told_twice_of_a_pod_that_is_there() -> None:
    path = "spec.activeDeadlineSeconds: Invalid value: -7: must be between"
    assert told_of_change("pods", pod(), {"spec": {"activeDeadlineSeconds": -7}}) == [
        f"{path} 1 and 2147483647, inclusive",
        f"{path} 0 and 2147483647, inclusive",
    ]


def test_a_class_whose_policy_says_nothing() -> None:
    assert told("priorityclasses", {"value": 1, "preemptionPolicy": ""}) == ["preemptionPolicy: Required value"]


def test_of_a_template_of_claims_only_labels_and_annotations_count() -> None:
    claim = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}
    given = {"spec": {"metadata": {"name": "x", "labels": {"a": "b"}, "finalizers": ["a/b"]}, "spec": claim}}
    assert told("resourceclaimtemplates", given) == [
        "spec.metadata.name: Forbidden: cannot be set",
        "spec.metadata.finalizers: Forbidden: cannot be set",
    ]


ADDRESSES = [
    ("10.0.0.3", ""),
    ("fd00::1", ""),
    ("10.0.0.300", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    ("FD00::1", 'must be in canonical form ("fd00::1")'),
]


@pytest.mark.parametrize(("address", "why"), ADDRESSES)
def test_an_address_is_its_own_name(address: str, why: str) -> None:
    parent = {"resource": "services", "name": "a", "namespace": "default"}
    given = {"metadata": {"name": address}, "spec": {"parentRef": parent}}
    want = [f'metadata.name: Invalid value: "{address}": {why}'] if why else []
    assert told("ipaddresses", given) == want
